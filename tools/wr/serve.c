/* wr serve: the database on a port, until a signal. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "widerow_serve.h"
#include "wr.h"

struct serve_arguments {
    struct wr_serve_options options;
    const char *path; /* of the database; NULL: in memory */
    char host[256];
    struct suite suite;
    bool until_stdin_ends;
};

static bool fail_usage(const char *problem, const char *what)
{
    fprintf(stderr, "wr serve: %s%s (see wr help)\n", problem, what);
    return false;
}

static bool read_number(const char *text, unsigned long most, unsigned long *out)
{
    char *end;
    *out = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *out <= most;
}

struct serve_option {
    const char *name;
    bool (*set)(struct serve_arguments *arguments, const struct serve_option *option, const char *text);
    size_t at;            /* in the arguments */
    uint32_t least, most; /* of a number; of words the first and the last one's place */
    const char *problem;  /* with what is none of these */
    const char *const *words;
};

static void *field_of(struct serve_arguments *arguments, const struct serve_option *option)
{
    return (char *)arguments + option->at;
}

static bool set_flag(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    (void)text;
    return *(bool *)field_of(arguments, option) = true;
}

static bool set_text(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    *(const char **)field_of(arguments, option) = text;
    return true;
}

static bool set_number(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    unsigned long number;
    if (!read_number(text, option->most, &number) || number < option->least)
        return fail_usage(option->problem, text);
    *(uint32_t *)field_of(arguments, option) = (uint32_t)number;
    return true;
}

/* 0: never. */
static bool set_threshold(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    uint32_t *field = field_of(arguments, option);
    if (!set_number(arguments, option, text))
        return false;
    *field = *field ? *field : UINT32_MAX;
    return true;
}

/* A value of an enum. */
static bool set_word(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    unsigned *field = field_of(arguments, option);
    for (*field = option->least; *field <= option->most; ++*field)
        if (strcmp(text, option->words[*field]) == 0)
            return true;
    return fail_usage(option->problem, text);
}

static bool set_port(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    unsigned long port;
    (void)option;
    if (!read_number(text, UINT16_MAX, &port))
        return fail_usage("no port: ", text);
    arguments->options.port = (uint16_t)port;
    return true;
}

static bool set_listen(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    bool in_brackets = len > 2 && text[0] == '[' && colon[-1] == ']'; /* as addresses of IPv6 are written before a port */
    if (!len || len >= sizeof arguments->host)
        return fail_usage("no address and port: ", text);
    len -= in_brackets ? 2 : 0;
    memcpy(arguments->host, text + in_brackets, len);
    arguments->host[len] = '\0';
    arguments->options.host = arguments->host;
    return set_port(arguments, option, colon + 1);
}

static bool add_script(struct serve_arguments *arguments, const struct serve_option *option, const char *text)
{
    bool added = suite_add(&arguments->suite, text);
    (void)option;
    arguments->options.script = arguments->suite.text;
    return added;
}

static const char *const database_per[] = { [WR_SERVE_PER_USER] = "user", [WR_SERVE_PER_PREFIX] = "prefix", [WR_SERVE_PER_CONNECTION] = "connection" };
static const char *const durabilities[] = { [WR_DURABILITY_PERIODIC] = "periodic", [WR_DURABILITY_FULL] = "full", [WR_DURABILITY_NONE] = "none" };

#define AT(member) .at = offsetof(struct serve_arguments, member)
#define NUMBER(member, first, last, what) set_number, AT(options.member), .least = (first), .most = (last), .problem = "no number of " what ": "
#define THRESHOLD(member, what) set_threshold, AT(options.member), .most = UINT32_MAX - 1, .problem = "no number of " what ": "
#define WORD(member, list, first, what) set_word, AT(options.member), .least = (first), .most = sizeof(list) / sizeof *(list) - 1, .problem = what ": ", .words = (list)

static const struct serve_option serve_options[] = {
    { "--listen", set_listen, AT(host) },
    { "--port", set_port, AT(options.port) },
    { "--socket", set_text, AT(options.socket_path) },
    { "--replicas", NUMBER(replicas, 1, 1000, "nodes") },
    { "--threads", NUMBER(threads, 1, 64, "threads (1 to 64)") },
    { "--allow-remote", set_flag, AT(options.allow_remote) },
    { "--auth", set_flag, AT(options.authenticate) },
    { "--idle", NUMBER(idle_s, 0, UINT32_MAX, "seconds") },
    { "--connections", NUMBER(connections_max, 1, UINT32_MAX, "connections") },
    { "--database-per", WORD(database_per, database_per, WR_SERVE_PER_USER, "no user, prefix or connection") },
    { "--databases", NUMBER(databases_max, 1, UINT32_MAX, "databases") },
    { "--database-idle", NUMBER(database_idle_s, 0, UINT32_MAX, "seconds") },
    { "--durability", WORD(durability, durabilities, 0, "no periodic, full or none") },
    { "--tombstone-warn", THRESHOLD(tombstones_warned, "tombstones") },
    { "--tombstone-failure", THRESHOLD(tombstones_refused, "tombstones") },
    { "--max-mutation-size", THRESHOLD(mutation_bytes_max, "bytes") },
    { "--read-timeout", NUMBER(read_timeout_s, 0, UINT32_MAX, "seconds") },
    { "--clock", set_flag, AT(options.clock_functions) },
    { "--script", add_script, AT(suite) },
    { "--until-stdin-ends", set_flag, AT(until_stdin_ends) },
    { "--tls-cert", set_text, AT(options.tls_certificate) },
    { "--tls-key", set_text, AT(options.tls_key) },
    { "--tls-client-ca", set_text, AT(options.tls_client_ca) },
};

static bool read_option(struct serve_arguments *arguments, int argc, char **argv, int *at)
{
    for (const struct serve_option *o = serve_options; o < serve_options + sizeof serve_options / sizeof *serve_options; o++) {
        if (strcmp(argv[*at], o->name) != 0)
            continue;
        if (o->set != set_flag && ++*at == argc)
            return fail_usage("a value is missing behind ", o->name);
        return o->set(arguments, o, argv[*at]);
    }
    return fail_usage("there is no option ", argv[*at]);
}

static bool read_arguments(struct serve_arguments *arguments, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] == '-') {
            if (!read_option(arguments, argc, argv, &i))
                return false;
        } else if (arguments->path) {
            return fail_usage("more than one path: ", argv[i]);
        } else {
            arguments->path = argv[i];
        }
    }
    return true;
}

/* A connection is an open file, and the usual limit is a thousand. */
static void allow_many_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

static void tell_listening(const struct serve_arguments *arguments, const wr_server *server)
{
    if (arguments->options.socket_path)
        printf("listening on %s\n", arguments->options.socket_path);
    else
        printf(strchr(arguments->host, ':') ? "listening on [%s]:%u\n" : "listening on %s:%u\n", arguments->host, wr_serve_port(server));
    fflush(stdout);
}

/* Where they are closed (<&- >&- 2>&-) clients' connections would be they, and what is printed would go there. */
static void hold_standard_files(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0)
        close(fd);
}

static void tell_refused(const struct serve_arguments *arguments, const wr_server *server, enum wr_status status)
{
    ptrdiff_t offset;
    const char *in_script = server ? wr_serve_script_error(server, &offset) : NULL;
    if (in_script)
        suite_tell_failure(&arguments->suite, (size_t)offset, status, in_script);
    else
        fprintf(stderr, "wr serve: %s\n", server ? wr_serve_error(server) : "out of memory");
}

/* Whoever began this process holds the other end, and lets go of it however it ends itself. */
static void *await_stdin(void *arg)
{
    char passed_over[256];
    struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
    ssize_t n;
    do {
        poll(&in, 1, -1); /* it may be one that does not block */
        n = read(STDIN_FILENO, passed_over, sizeof passed_over);
    } while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
    kill(getpid(), SIGTERM);
    return arg;
}

/* Until a signal. */
static bool await_end(const struct serve_arguments *arguments, const sigset_t *ends)
{
    pthread_t thread;
    int got;
    if (arguments->until_stdin_ends && pthread_create(&thread, NULL, await_stdin, NULL) != 0) {
        fprintf(stderr, "wr serve: there is no thread to be had\n");
        return false;
    }
    sigwait(ends, &got);
    return true;
}

/* Until it is told to end; the program's status. */
static int serve(struct serve_arguments *arguments)
{
    wr_server *server;
    sigset_t ends;
    hold_standard_files();
    allow_many_files();
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* before any thread is: they are waited for below */
    bool shared = arguments->options.database_per == WR_SERVE_ONE || arguments->options.database_per == WR_SERVE_PER_PREFIX;
    if (arguments->options.database_per != WR_SERVE_ONE)
        arguments->options.database_folder = arguments->path;
    struct wr_options options = WR_OPTIONS_INIT;
    options.durability = arguments->options.durability;
    wr_db *db = open_by_options(shared ? arguments->path : NULL, options); /* where nobody sees it, it lies nowhere */
    if (!db)
        return 1;
    enum wr_status st = wr_serve_start(db, &arguments->options, &server);
    bool ended_well = false;
    if (st == WR_OK) {
        tell_listening(arguments, server);
        ended_well = await_end(arguments, &ends);
    } else {
        tell_refused(arguments, server, st);
    }
    wr_serve_stop(server);
    wr_close(db);
    return ended_well ? 0 : 1;
}

int command_serve(int argc, char **argv)
{
    struct serve_arguments arguments = { .options = WR_SERVE_OPTIONS_INIT, .host = "127.0.0.1" };
    arguments.options.host = arguments.host;
    arguments.options.port = 9042;
    int status = read_arguments(&arguments, argc, argv) ? serve(&arguments) : 2;
    suite_release(&arguments.suite);
    return status;
}
