/* C: one e-mail of 1 KB by its id, out of 1,000,000. */
#include "workload.h"

static void load_mails(struct run *run)
{
    const uint64_t count = scaled_thousands(run, 1000000);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    for (uint64_t i = 0; i < count; i += 1000)
        run->store->put_mails(h, i, 1000);
    run->store->close(h);
}

static const struct dataset data = { "mail", load_mails };

static bool mails(const struct store *store)
{
    return store->put_mails && store->get_mail;
}

static uint64_t read_mails(const struct run *run, void *h, uint64_t from, uint64_t count, uint64_t of)
{
    uint8_t id[16];
    uint64_t sum = 0;
    for (uint64_t i = from; i < from + count; i++) {
        data_mail_id(data_mix(i ^ 0x77) % of, id);
        sum += run->store->get_mail(h, id);
    }
    return sum;
}

static void run_mails(struct run *run)
{
    const uint64_t count = scaled(run, 300000), of = scaled_thousands(run, 1000000);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    run->sum = read_mails(run, h, 0, count, of);
    struct watch start = watch_start();
    run->sum += read_mails(run, h, count, count, of);
    give_rate(run, 0, count, watch_stop(start));
    run->store->close(h);
}

static const struct figure figures[] = {
    { "C", "one e-mail of 1 KB by uuid, of 1,000,000", "reads/s", false, { { "sqlite", 2, 2.5 }, { "rocksdb", 1.3, 1.5 }, { "lmdb", 0.65, 0.75 } } },
};
const struct workload work_mail = { "C", FIGURES(figures), run_mails, mails, &data, 0, false };
