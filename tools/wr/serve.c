/* wr serve: the database on a port, until a signal. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
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

static bool set_port(struct serve_arguments *arguments, const char *text)
{
    unsigned long port;
    if (!read_number(text, UINT16_MAX, &port))
        return fail_usage("no port: ", text);
    arguments->options.port = (uint16_t)port;
    return true;
}

static bool set_listen(struct serve_arguments *arguments, const char *text)
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
    return set_port(arguments, colon + 1);
}

static bool set_socket(struct serve_arguments *arguments, const char *text)
{
    arguments->options.socket_path = text;
    return true;
}

static bool set_database_per(struct serve_arguments *arguments, const char *text)
{
    static const char *const names[] = {
        [WR_SERVE_PER_USER] = "user", [WR_SERVE_PER_PREFIX] = "prefix", [WR_SERVE_PER_CONNECTION] = "connection"
    };
    for (unsigned per = WR_SERVE_PER_USER; per <= WR_SERVE_PER_CONNECTION; per++) {
        if (strcmp(text, names[per]) != 0)
            continue;
        arguments->options.database_per = (enum wr_serve_database_per)per;
        return true;
    }
    return fail_usage("no user, prefix or connection: ", text);
}

static bool set_durability(struct serve_arguments *arguments, const char *text)
{
    static const char *const names[] = { [WR_DURABILITY_PERIODIC] = "periodic", [WR_DURABILITY_FULL] = "full", [WR_DURABILITY_NONE] = "none" };
    for (unsigned durability = 0; durability < sizeof names / sizeof *names; durability++) {
        if (strcmp(text, names[durability]) != 0)
            continue;
        arguments->options.durability = (enum wr_durability)durability;
        return true;
    }
    return fail_usage("no periodic, full or none: ", text);
}

static bool set_databases(struct serve_arguments *arguments, const char *text)
{
    unsigned long databases;
    if (!read_number(text, UINT32_MAX, &databases) || !databases)
        return fail_usage("no number of databases: ", text);
    arguments->options.databases_max = (uint32_t)databases;
    return true;
}

static bool set_seconds(const char *text, uint32_t *out)
{
    unsigned long seconds;
    if (!read_number(text, UINT32_MAX, &seconds))
        return fail_usage("no number of seconds: ", text);
    *out = (uint32_t)seconds;
    return true;
}

static bool set_database_idle(struct serve_arguments *arguments, const char *text)
{
    return set_seconds(text, &arguments->options.database_idle_s);
}

static bool set_auth(struct serve_arguments *arguments, const char *text)
{
    (void)text;
    arguments->options.authenticate = true;
    return true;
}

static bool set_certificate(struct serve_arguments *arguments, const char *text)
{
    arguments->options.tls_certificate = text;
    return true;
}

static bool set_key(struct serve_arguments *arguments, const char *text)
{
    arguments->options.tls_key = text;
    return true;
}

static bool set_client_ca(struct serve_arguments *arguments, const char *text)
{
    arguments->options.tls_client_ca = text;
    return true;
}

static bool set_replicas(struct serve_arguments *arguments, const char *text)
{
    unsigned long replicas;
    if (!read_number(text, 1000, &replicas) || !replicas)
        return fail_usage("no number of nodes: ", text);
    arguments->options.replicas = (uint32_t)replicas;
    return true;
}

static bool set_idle(struct serve_arguments *arguments, const char *text)
{
    return set_seconds(text, &arguments->options.idle_s);
}

static bool set_read_timeout(struct serve_arguments *arguments, const char *text)
{
    return set_seconds(text, &arguments->options.read_timeout_s);
}

static bool set_connections(struct serve_arguments *arguments, const char *text)
{
    unsigned long connections;
    if (!read_number(text, UINT32_MAX, &connections) || !connections)
        return fail_usage("no number of connections: ", text);
    arguments->options.connections_max = (uint32_t)connections;
    return true;
}

static bool set_threads(struct serve_arguments *arguments, const char *text)
{
    unsigned long threads;
    if (!read_number(text, 64, &threads) || !threads)
        return fail_usage("no number of threads (1 to 64): ", text);
    arguments->options.threads = (uint32_t)threads;
    return true;
}

/* 0: never. */
static bool set_threshold(const char *text, const char *what, uint32_t *out)
{
    unsigned long number;
    if (!read_number(text, UINT32_MAX - 1, &number))
        return fail_usage(what, text);
    *out = number ? (uint32_t)number : UINT32_MAX;
    return true;
}

static bool set_tombstone_warn(struct serve_arguments *arguments, const char *text)
{
    return set_threshold(text, "no number of tombstones: ", &arguments->options.tombstones_warned);
}

static bool set_tombstone_failure(struct serve_arguments *arguments, const char *text)
{
    return set_threshold(text, "no number of tombstones: ", &arguments->options.tombstones_refused);
}

static bool set_max_mutation_size(struct serve_arguments *arguments, const char *text)
{
    return set_threshold(text, "no number of bytes: ", &arguments->options.mutation_bytes_max);
}

static bool set_remote(struct serve_arguments *arguments, const char *text)
{
    (void)text;
    arguments->options.allow_remote = true;
    return true;
}

static bool set_script(struct serve_arguments *arguments, const char *text)
{
    bool added = suite_add(&arguments->suite, text);
    arguments->options.script = arguments->suite.text;
    return added;
}

static bool set_clock(struct serve_arguments *arguments, const char *text)
{
    (void)text;
    arguments->options.clock_functions = true;
    return true;
}

static bool set_until_stdin_ends(struct serve_arguments *arguments, const char *text)
{
    (void)text;
    arguments->until_stdin_ends = true;
    return true;
}

static const struct {
    const char *name;
    bool has_value;
    bool (*set)(struct serve_arguments *arguments, const char *text);
} serve_options[] = {
    { "--listen", true, set_listen },     { "--port", true, set_port },       { "--socket", true, set_socket },
    { "--replicas", true, set_replicas }, { "--threads", true, set_threads }, { "--allow-remote", false, set_remote },
    { "--auth", false, set_auth },        { "--idle", true, set_idle },       { "--connections", true, set_connections },
    { "--database-per", true, set_database_per }, { "--databases", true, set_databases },
    { "--database-idle", true, set_database_idle }, { "--durability", true, set_durability },
    { "--tombstone-warn", true, set_tombstone_warn }, { "--tombstone-failure", true, set_tombstone_failure },
    { "--max-mutation-size", true, set_max_mutation_size }, { "--read-timeout", true, set_read_timeout },
    { "--clock", false, set_clock },      { "--script", true, set_script },
    { "--until-stdin-ends", false, set_until_stdin_ends },
    { "--tls-cert", true, set_certificate }, { "--tls-key", true, set_key },  { "--tls-client-ca", true, set_client_ca },
};

static bool read_option(struct serve_arguments *arguments, int argc, char **argv, int *at)
{
    for (size_t i = 0; i < sizeof serve_options / sizeof serve_options[0]; i++) {
        if (strcmp(argv[*at], serve_options[i].name) != 0)
            continue;
        if (serve_options[i].has_value && ++*at == argc)
            return fail_usage("a value is missing behind ", serve_options[i].name);
        return serve_options[i].set(arguments, argv[*at]);
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
