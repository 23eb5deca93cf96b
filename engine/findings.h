/* findings.h - what a check has found wrong: told one by one, and counted. */
#ifndef WR_ENGINE_FINDINGS_H
#define WR_ENGINE_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

struct findings {
    void (*report)(void *arg, const char *finding); /* NULL: nobody wants to hear; a text is gone after the call */
    void *arg;
    uint64_t count;
    bool unreadable; /* what lies in the pages is not to be read: LMDB might end the process over it (pagecheck.h) */
};

void findings_add(struct findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
