/*
 * twissandra.h - the thirteen actions of Twissandra, twice: on column families as in Cassandra 0.7, and in CQL. A tweet's id is a
 * timeuuid; lines hold ids, newest first when read.
 */
#ifndef TWISSANDRA_H
#define TWISSANDRA_H

#include "example.h"

enum { NAMES_MAX = 256, NAME_LEN = 32, BODY_LEN = 160 };

struct users {
    char names[NAMES_MAX][NAME_LEN], passwords[NAMES_MAX][NAME_LEN];
    int count;
};

struct tweets {
    uint8_t ids[NAMES_MAX][16];
    char authors[NAMES_MAX][NAME_LEN], bodies[NAMES_MAX][BODY_LEN];
    char author_passwords[NAMES_MAX][NAME_LEN]; /* from the authors' own records, by the second multiget */
    int count;
};

#define PUBLIC_USERLINE_KEY "!PUBLIC!"

struct twissandra {
    const char *name;
    void *(*open)(wr_db *db);
    void (*close)(void *t);
    void (*create_user)(void *t, const char *name, const char *password);
    bool (*get_user)(void *t, const char *name, struct users *out);
    void (*get_users)(void *t, const char *const *names, int count, struct users *out); /* those that exist */
    void (*add_friend)(void *t, const char *name, const char *friend);
    void (*remove_friend)(void *t, const char *name, const char *friend);
    void (*friend_names)(void *t, const char *name, struct users *out);
    void (*follower_names)(void *t, const char *name, struct users *out);
    void (*create_tweet)(void *t, const uint8_t id[16], const char *author, const char *body); /* into all lines it belongs to */
    bool (*get_tweet)(void *t, const uint8_t id[16], struct tweets *out);
    void (*timeline)(void *t, const char *name, int most, struct tweets *out);  /* of those one follows, with authors */
    void (*userline)(void *t, const char *name, int most, struct tweets *out);  /* one's own; PUBLIC_USERLINE_KEY: everybody's */
};

extern const struct twissandra twissandra_families, twissandra_cql;

#endif
