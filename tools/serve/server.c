#include "server.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients.h"
#include "digest.h"
#include "events.h"
#include "stopwatch.h"
#include "tls.h"
#include "widerow_serve.h"

enum { TURN_US = 2000, THREADS_MIN = 2, CONNECTIONS_MAX = 20000, PREPARED_MAX = 10000, DATABASES_MAX = 1000, PARTING_TICKS = 5 };
enum { TOMBSTONES_WARNED = 1000, TOMBSTONES_REFUSED = 100000, MUTATION_BYTES = 16 << 20 }; /* of cassandra.yaml */

struct wr_server {
    struct server it;
    pid_t process; /* that started it */
    char error[256];
    size_t script_message; /* databases_error's, of the script that failed when it started */
    ptrdiff_t script_offset;
};

/* ---- worker threads ---- */

void server_leave(struct server *server, const struct session *session)
{
    for (unsigned i = 0; i < server->run_count; i++)
        awaited_leave(&server->runs[i]->awaited, session);
}

static void *worker_begin(void *arg)
{
    struct server *server = arg;
    struct run *run = malloc(sizeof *run);
    if (!run)
        return NULL;
    server->runs[server->run_count++] = run;
    run_init(run, server->run_count + 1);
    run->awaited.ticks_max = server->read_timeout_s;
    return run;
}

/* Behind what is there. false, and out has failed: there is no memory to tell even that, and nothing was put. */
static bool put_answer(struct wire_out *out, struct run *run, const struct session *session, int16_t stream)
{
    size_t before = out->len;
    if (answer_frame(out, &run->answer, session->format, stream))
        return true;
    out->len = before;
    out->failed = false;
    answer_error(&run->answer, ERROR_SERVER, "out of memory");
    if (answer_frame(out, &run->answer, session->format, stream))
        return true;
    out->len = before;
    return false;
}

/* Puts it behind those that take long if it has turned out to be one. */
static bool run_job(struct run *run, struct session_job *request)
{
    struct session *session = request->session;
    if (!request->is_short) {
        run_request(run, &session->client, &request->header, request->body, request->len);
        return true;
    }
    if (run_briefly(run, RUN_SHORT, &session->client, &request->header, request->body, request->len))
        return true;
    request->is_short = false;
    pool_put(session->server->pool, POOL_LONG, &session->lanes[POOL_LONG], &request->job);
    return false;
}

static void worker_request(void *state, struct job *job)
{
    struct run *run = state;
    struct session_job *request = (struct session_job *)job;
    struct session *session = request->session;
    struct server *server = session->server;
    struct wire_out frame = { 0 };
    awaited_begin(&run->awaited, session); /* before it is asked whether it has closed */
    bool abandoned = request->reads && session_has_closed(session); /* writes that have come are done, whoever waits */
    if (!abandoned && !run_job(run, request))
        return;
    if (request->holds)
        atomic_fetch_sub(&server->holding, 1);
    if (abandoned) {
        session_done(request);
        return;
    }
    put_answer(&frame, run, session, request->header.stream);
    if (!session_send_answer(session, &frame)) {
        answer_clear(&run->answer);
        answer_error(&run->answer, ERROR_OVERLOADED, "The client does not read: %u MiB of answers wait for it", SESSION_OUT_MAX >> 20);
        wire_out_clear(&frame);
        answer_frame(&frame, &run->answer, session->format, request->header.stream);
        session_send(session, &frame);
    }
    session_done(request);
}

static void worker_end(void *state)
{
    run_release(state);
    free(state);
}

static void worker_sweep(void *state, struct job *job)
{
    struct server *server = (struct server *)((char *)job - offsetof(struct server, sweep));
    (void)state;
    databases_sweep(server->databases);
    atomic_store(&server->is_sweeping, false);
}

void server_run(struct server *server, struct session_job *job)
{
    struct session *session = job->session;
    job->job.run = worker_request;
    struct run_outlook outlook = run_outlook(&session->client, &job->header, job->body, job->len);
    enum pool_length length = outlook.is_short ? POOL_SHORT : POOL_LONG;
    job->is_short = outlook.is_short;
    job->holds = outlook.holds;
    job->reads = outlook.reads;
    if (job->holds)
        atomic_fetch_add(&server->holding, 1);
    pool_put(server->pool, length, &session->lanes[length], &job->job);
}

bool server_run_here(struct server *server, struct session *session, const struct frame_header *header, const uint8_t *body, size_t len)
{
    if (!run_may_be_quick(&session->client, header, len) || atomic_load(&server->holding))
        return false;
    uint64_t now_us = stopwatch_us();
    if (!server->turn_from_us)
        server->turn_from_us = now_us;
    if (now_us - server->turn_from_us >= TURN_US || !run_briefly(&server->run, RUN_QUICK, &session->client, header, body, len))
        return false;
    if (!put_answer(&server->ready, &server->run, session, header->stream)) {
        server->ready.failed = false; /* what it was told before goes out */
        session_cut_off(session);
    }
    return true;
}

/* ---- sessions ---- */

void server_dirty(struct server *server, struct session *session)
{
    pthread_mutex_lock(&server->dirty_lock);
    if (!server->ended) {
        bool first = !server->dirty;
        atomic_fetch_add(&session->references, 1);
        session->next_dirty = server->dirty;
        server->dirty = session;
        if (first)
            net_wake(server->net);
    }
    pthread_mutex_unlock(&server->dirty_lock);
}

static struct session *take_dirty(struct server *server)
{
    pthread_mutex_lock(&server->dirty_lock);
    struct session *dirty = server->dirty;
    server->dirty = NULL;
    pthread_mutex_unlock(&server->dirty_lock);
    return dirty;
}

static bool list_session(struct server *server, struct session *session)
{
    pthread_mutex_lock(&server->sessions_lock);
    if (server->session_count == server->session_room) {
        uint32_t room = server->session_room ? server->session_room * 2 : 64;
        struct session **sessions = realloc(server->sessions, room * sizeof(struct session *));
        if (sessions) {
            server->sessions = sessions;
            server->session_room = room;
        }
    }
    bool ok = server->session_count < server->session_room;
    if (ok) {
        session->place = server->session_count;
        server->sessions[server->session_count++] = session;
    }
    pthread_mutex_unlock(&server->sessions_lock);
    return ok;
}

static void unlist_session(struct server *server, struct session *session)
{
    pthread_mutex_lock(&server->sessions_lock);
    struct session *last = server->sessions[--server->session_count];
    last->place = session->place;
    server->sessions[session->place] = last;
    pthread_mutex_unlock(&server->sessions_lock);
}

/* ---- what the network tells ---- */

static void *on_opened(void *arg, struct net_conn *conn, const struct net_address *address)
{
    struct server *server = arg;
    struct session *session = session_new(server, conn, address);
    if (!session)
        return NULL;
    if (!list_session(server, session)) {
        session_release(session);
        return NULL;
    }
    if (server->session_count > server->connections_max) {
        answer_clear(&server->answer);
        answer_error(&server->answer, ERROR_OVERLOADED, "Too many connections: the server takes %u", server->connections_max);
        session_answer(session, 0);
        session_end(session);
    }
    return session;
}

static void on_received(void *session, const uint8_t *data, size_t len)
{
    session_received(session, data, len);
}

static struct chunk *on_outgoing(void *session)
{
    return session_outgoing(session);
}

static void on_written(void *session, size_t len)
{
    session_written(session, len);
}

static void on_secured(void *arg, const char *protocol, const char *cipher)
{
    struct session *session = arg;
    atomic_store(&session->tls_cipher, cipher);
    atomic_store(&session->tls_protocol, protocol);
}

static void on_closed(void *arg)
{
    struct session *session = arg;
    unlist_session(session->server, session);
    session_closed(session);
}

/* All that was asked before the server was told to stop has been answered. */
static bool all_idle(struct server *server)
{
    for (uint32_t i = 0; i < server->session_count; i++)
        if (!session_is_idle(server->sessions[i]))
            return false;
    return true;
}

static void end(struct server *server)
{
    pthread_mutex_lock(&server->dirty_lock);
    server->ended = true;
    pthread_mutex_unlock(&server->dirty_lock);
    net_end(server->net);
}

static void part(struct server *server)
{
    events_down(server);
    net_accept_no_more(server->net);
    for (uint32_t i = 0; i < server->session_count; i++) {
        server->sessions[i]->deaf = true;
        session_pump(server->sessions[i]); /* stops reading, and wants to hear of what ends */
    }
    server->parting = true;
    server->ticks_left = PARTING_TICKS;
}

static void on_woken(void *arg)
{
    struct server *server = arg;
    struct session *session = take_dirty(server);
    while (session) {
        struct session *next = session->next_dirty;
        session_look(session);
        session_release(session);
        session = next;
    }
    if (atomic_load(&server->stopping) && !server->parting)
        part(server);
    if (server->parting && all_idle(server))
        end(server);
}

static void on_turn(void *arg)
{
    struct server *server = arg;
    server->turn_from_us = 0;
}

static void on_tick(void *arg)
{
    struct server *server = arg;
    if (server->parting && (all_idle(server) || server->ticks_left-- == 0)) {
        end(server);
        return;
    }
    for (uint32_t i = 0; i < server->session_count; i++)
        session_tick(server->sessions[i], server->idle_s);
    for (unsigned i = 0; i < server->run_count; i++)
        awaited_tick(&server->runs[i]->awaited);
    if (!atomic_load(&server->is_sweeping) && databases_are_due(server->databases)) {
        atomic_store(&server->is_sweeping, true);
        server->sweep.run = worker_sweep;
        pool_put(server->pool, POOL_LONG, &server->sweep_lane, &server->sweep);
    }
}

/* ---- what the database tells and asks ---- */

static void on_schema_change(void *arg, const struct wr_schema_change *change)
{
    struct database *database = arg;
    prepared_schema_change(database->prepared, change);
    events_schema_change(database, change);
}

/* ---- starting and stopping ---- */

static enum wr_status refuse_start(wr_server *server, enum wr_status status, const char *text)
{
    snprintf(server->error, sizeof server->error, "%s", text);
    return status;
}

static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;
}

static unsigned thread_count(const struct wr_serve_options *options)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = options->threads ? (long)options->threads : processors;
    return threads < THREADS_MIN && !options->threads ? THREADS_MIN : threads > THREADS_MAX ? THREADS_MAX : (unsigned)threads;
}

static enum wr_status start_threads(wr_server *server, const struct wr_serve_options *options)
{
    struct server *it = &server->it;
    struct pool_work work = { worker_begin, worker_end, it };
    if (!(it->pool = pool_open(thread_count(options), &work)) || !net_start(it->net))
        return refuse_start(server, WR_NOMEM, "there are no threads to be had");
    return WR_OK;
}

static enum wr_status check_databases(wr_server *server, const struct wr_serve_options *options)
{
    if (options->database_per > WR_SERVE_PER_CONNECTION)
        return refuse_start(server, WR_MISUSE, "wr_serve_start: there is no such database_per");
    if (options->database_per == WR_SERVE_PER_CONNECTION && options->database_folder)
        return refuse_start(server, WR_MISUSE, "the database of a connection is gone with it, so it cannot lie in a folder");
    return WR_OK;
}

/* tombstone_warn_threshold, tombstone_failure_threshold, max_mutation_size */
static uint32_t threshold(uint32_t asked, uint32_t usual)
{
    return asked == UINT32_MAX ? 0 : asked ? asked : usual;
}

static enum wr_status open_databases(wr_server *server, wr_db *db, const struct wr_serve_options *options, const char *host)
{
    struct databases_setup setup = {
        .per = options->database_per,
        .folder = options->database_folder,
        .durability = options->durability,
        .most = options->databases_max ? options->databases_max : DATABASES_MAX,
        .idle_s = options->database_idle_s,
        .prepared_max = options->prepared_max ? options->prepared_max : PREPARED_MAX,
        .nodes = options->replicas ? options->replicas : 1,
        .tombstones_warned = threshold(options->tombstones_warned, TOMBSTONES_WARNED),
        .tombstones_refused = threshold(options->tombstones_refused, TOMBSTONES_REFUSED),
        .mutation_bytes = threshold(options->mutation_bytes_max, MUTATION_BYTES),
        .clock_functions = options->clock_functions,
        .script = options->script,
        .host = options->socket_path ? NULL : host,
        .port = net_address(server->it.net).port,
        .server = &server->it,
        .schema_changed = on_schema_change,
        .clients_next = clients_next,
    };
    enum wr_status st;
    struct databases_error error;
    server->it.databases = databases_open(db, &setup, &st, &error);
    if (server->it.databases)
        return WR_OK;
    server->script_message = error.message;
    server->script_offset = error.script_offset;
    return refuse_start(server, st, error.text);
}

static enum wr_status start(wr_server *server, wr_db *db, const struct wr_serve_options *options)
{
    if (options->size != sizeof *options)
        return refuse_start(server, WR_MISUSE, "wr_serve_start: the options are not of this library's version");
    struct server *it = &server->it;
    struct net_handlers handlers = { on_opened, on_received, on_outgoing, on_written, on_secured, on_closed, on_woken, on_tick, on_turn, it };
    struct tls_files files = { options->tls_certificate, options->tls_key, options->tls_client_ca };
    const char *host = options->host ? options->host : "127.0.0.1";
    if (!options->socket_path && !options->allow_remote && !is_loopback(host) && !files.client_ca &&
        !(options->authenticate && files.key))
        return refuse_start(server, WR_MISUSE, "clients are not asked who they are over TLS, so only this machine's own addresses are listened at "
                                               "unless told otherwise");
    if (!files.certificate != !files.key || (files.client_ca && !files.key))
        return refuse_start(server, WR_MISUSE, "TLS needs a certificate and its key");
    if (files.key && !(it->tls = tls_context_open(&files, server->error, sizeof server->error)))
        return WR_INVALID;
    enum wr_status st = check_databases(server, options);
    if (st != WR_OK)
        return st;
    struct net_place place = { host, options->port, options->socket_path, it->tls };
    if (!(it->net = net_open(&place, &handlers, server->error, sizeof server->error)))
        return WR_IO;
    it->idle_s = options->idle_s;
    it->read_timeout_s = options->read_timeout_s;
    it->authenticates = options->authenticate;
    it->connections_max = options->connections_max ? options->connections_max : CONNECTIONS_MAX;
    if ((st = open_databases(server, db, options, host)) != WR_OK)
        return st;
    return start_threads(server, options);
}

enum wr_status wr_serve_start(wr_db *db, const struct wr_serve_options *options, wr_server **out)
{
    static const struct wr_serve_options defaults = WR_SERVE_OPTIONS_INIT;
    sigset_t all, before;
    wr_server *server = *out = calloc(1, sizeof *server);
    if (!server)
        return WR_NOMEM;
    server->process = getpid();
    server->script_offset = -1;
    answer_init(&server->it.answer);
    run_init(&server->it.run, 1);
    pthread_mutex_init(&server->it.sessions_lock, NULL);
    pthread_mutex_init(&server->it.dirty_lock, NULL);
    digest_begin();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the host program's; writing to a closed socket raises one too */
    enum wr_status st = start(server, db, options ? options : &defaults);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return st;
}

uint16_t wr_serve_port(const wr_server *server)
{
    return server->it.net ? net_address(server->it.net).port : 0;
}

const char *wr_serve_error(const wr_server *server)
{
    return server->error;
}

const char *wr_serve_script_error(const wr_server *server, ptrdiff_t *offset)
{
    *offset = server->script_offset;
    return server->script_offset < 0 ? NULL : server->error + server->script_message;
}

enum wr_status wr_serve_database(wr_server *server, const char *name, wr_db **out)
{
    struct databases_error error;
    enum wr_serve_database_per per = server->it.databases ? databases_per(server->it.databases) : WR_SERVE_ONE;
    *out = NULL;
    server->error[0] = '\0';
    if (per != WR_SERVE_PER_USER && per != WR_SERVE_PER_PREFIX)
        return refuse_start(server, WR_MISUSE, "wr_serve_database: this server has no databases by name");
    struct database *database = databases_take(server->it.databases, name, &error); /* and never given back: it is to stay */
    if (!database)
        return refuse_start(server, error.code == ERROR_INVALID ? WR_INVALID : WR_SERVER_ERROR, error.text);
    enum wr_status st = wr_attach(database->db, out);
    return st == WR_OK ? st : refuse_start(server, st, wr_error(database->db));
}

void wr_serve_stop(wr_server *server)
{
    if (!server || server->process != getpid())
        return; /* in a child that was forked its threads are not, and its sockets are the parent's */
    struct server *it = &server->it;
    atomic_store(&it->stopping, true);
    if (it->net) {
        net_wake(it->net);
        net_close(it->net);
    }
    it->ended = true;
    pool_close(it->pool);
    for (struct session *session = it->dirty, *next; session; session = next) {
        next = session->next_dirty;
        session_release(session);
    }
    tls_context_close(it->tls);
    run_release(&it->run);
    wire_out_release(&it->ready);
    databases_close(it->databases);
    answer_release(&it->answer);
    free(it->sessions);
    pthread_mutex_destroy(&it->sessions_lock);
    pthread_mutex_destroy(&it->dirty_lock);
    free(server);
}
