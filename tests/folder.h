/*
 * folder.h - a folder of a test's own, under TMPDIR, and its end.
 */
#ifndef WR_TESTS_FOLDER_H
#define WR_TESTS_FOLDER_H

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline void make_folder(char *path, size_t room)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, room, "%s/widerow-test-XXXXXX", base && *base ? base : P_tmpdir);
    assert_non_null(mkdtemp(path));
}

static inline int remove_entry(const char *path, const struct stat *file, int kind, struct FTW *at)
{
    (void)file, (void)kind, (void)at;
    return remove(path);
}

/* With all that is in it. */
static inline void remove_folder(const char *path)
{
    enum { FILES_OPEN = 8 };
    assert_int_equal(nftw(path, remove_entry, FILES_OPEN, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
