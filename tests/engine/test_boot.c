/* Answers engine/syncfile.h where the kernel does not tell which run of the machine this is: then a database counts as one from before a loss of power. */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/engine/disk.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static const char *boot_id_text; /* what that file has; NULL: there is none */

static int open_text(const char *text)
{
    int fd = text ? memfd_create("boot_id", MFD_CLOEXEC) : -1;

    if (!text)
        errno = ENOENT;
    if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0))
        abort();
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list more;

    if (strcmp(path, BOOT_ID) == 0)
        return open_text(boot_id_text);
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void an_id_is_whole_or_none(void **state)
{
    static const uint8_t whole[BOOT_ID_BYTES] = { 0x9b, 0xd6, 0xf3, 0xc9, 0x6b, 0x3e, 0x4b, 0xd6, 0xa0, 0xa2, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab };
    static const uint8_t none[BOOT_ID_BYTES];
    static const char *const partly[] = { NULL, "", "\n", "9bd6f3c9", "9bd6f3c9-6b3e-4bd6-a0a2-0123456789\n", "9bd6f3c9-6b3e-4bd6-a0a2-0123456789xy\n" };
    uint8_t id[BOOT_ID_BYTES];
    (void)state;

    boot_id_text = "9bd6f3c9-6b3e-4bd6-a0a2-0123456789ab\n";
    boot_id_read(id);
    assert_memory_equal(id, whole, sizeof id);
    for (size_t i = 0; i < sizeof partly / sizeof *partly; i++) {
        memset(id, 0xFF, sizeof id);
        boot_id_text = partly[i];
        boot_id_read(id);
        assert_memory_equal(id, none, sizeof id);
    }
}

/* As the process left them, which died without a loss of power. */
static void image_of(const struct database *db, struct database *image)
{
    make_image(image, load(db, "widerow.db"), load(db, "widerow.sync"), NO_FILE);
}

static void without_one_every_open_is_after_another_boot(void **state)
{
    static struct versions live, synced;
    struct database db, image;
    uint64_t seed = 3;
    (void)state;

    boot_id_text = NULL;
    new_disk(&db, DURABILITY_PERIODIC);
    fill(&db, &live);
    OK(&db.ctx, engine_sync(&db.ctx, db.engine));
    synced = live;
    change(&db, &live, &seed, 20);
    assert_false(memcmp(&live, &synced, sizeof live) == 0);
    image_of(&db, &image);
    open_disk(&image, DURABILITY_PERIODIC);
    assert_true(holds(&image, &synced));
    database_close(&image);
    database_close(&db);

    new_disk(&db, DURABILITY_NONE);
    change(&db, &live, &seed, 20);
    image_of(&db, &image);
    assert_int_equal(try_open(&image, DURABILITY_NONE, false), WR_CORRUPT);
    database_close(&image);
    reopen(&db, DURABILITY_NONE); /* closing has synced */
    database_close(&db);
}

static void with_one_what_the_process_wrote_is_there(void **state)
{
    static struct versions live;
    struct database db, image;
    uint64_t seed = 3;
    (void)state;

    boot_id_text = "00000000-0000-0000-0000-000000000001\n";
    new_disk(&db, DURABILITY_NONE);
    change(&db, &live, &seed, 20);
    image_of(&db, &image);
    open_disk(&image, DURABILITY_NONE);
    assert_true(holds(&image, &live));
    database_close(&image);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_whole_or_none),
        cmocka_unit_test(without_one_every_open_is_after_another_boot),
        cmocka_unit_test(with_one_what_the_process_wrote_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
