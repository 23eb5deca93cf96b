/*
 * intake.h - bytes of a connection, cut anywhere, to whole requests. All of it is the loop's.
 *
 * 1. What is wrong with a frame or a segment is answered as a server answers it; where the next begins is known then, or the connection ends.
 * 2. Memory is taken for what has come, not for what was announced.
 */
#ifndef WR_SERVE_INTAKE_H
#define WR_SERVE_INTAKE_H

#include "frame.h"
#include "wire.h"

struct session;
struct session_job;

struct intake {
    uint8_t head[FRAME_HEADER_LEN]; /* of the frame that is coming in */
    size_t head_len;
    struct session_job *coming;     /* its body so far */
    bool refused;                   /* the message before, by its header: with a second one in a segment all of that is taken for garbage */
    size_t skip;                    /* bytes of a refused frame that are still to come */
    struct frame_header too_big;    /* of the frame that is skipped, if it was for its length; length 0: it was not */
    struct wire_out cut;            /* the beginning of a segment */
};

void intake_bytes(struct session *session, const uint8_t *data, size_t len); /* of its intake */
void intake_release(struct intake *intake);

#endif
