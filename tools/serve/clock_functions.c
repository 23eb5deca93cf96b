#include "clock_functions.h"

enum { US_PER_S = 1000000, US_PER_MS = 1000 };

static void tell(wr_call *call, wr_db *db)
{
    wr_return_int(call, wr_clock_now(db) / US_PER_MS);
}

/* False: it is no time, and the statement fails. */
static bool read_us(wr_call *call, int64_t us_each, int64_t *us)
{
    if (!__builtin_mul_overflow(wr_value_int(wr_call_arg(call, 0)), us_each, us))
        return true;
    wr_return_error(call, "the clock does not go so far");
    return false;
}

static void step(wr_call *call, void *db)
{
    int64_t us;
    if (!read_us(call, US_PER_S, &us))
        return;
    wr_clock_step(db, us);
    tell(call, db);
}

static void set(wr_call *call, void *db)
{
    int64_t us;
    if (!read_us(call, US_PER_MS, &us))
        return;
    wr_clock_set(db, us);
    tell(call, db);
}

static void release(wr_call *call, void *db)
{
    wr_clock_release(db);
    tell(call, db);
}

enum wr_status clock_functions_register(wr_db *db)
{
    const struct wr_function functions[] = {
        { .name = "clock_step", .arguments = "bigint", .call = step },
        { .name = "clock_set", .arguments = "timestamp", .call = set },
        { .name = "clock_release", .arguments = "", .call = release },
    };
    enum wr_status st = WR_OK;

    for (size_t i = 0; st == WR_OK && i < sizeof functions / sizeof *functions; i++) {
        struct wr_function function = functions[i];
        function.keyspace = "widerow";
        function.returns = "timestamp";
        function.arg = db;
        st = wr_function_register(db, &function);
    }
    return st;
}
