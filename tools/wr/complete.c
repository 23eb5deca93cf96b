#include "complete.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <editline/readline.h>

static const char *const keywords[] = {
    "ADD", "ALLOW FILTERING", "ALTER", "AND", "APPLY BATCH", "ASC", "BATCH", "BEGIN BATCH", "BEGIN COUNTER BATCH", "BEGIN UNLOGGED BATCH",
    "BY", "CAPTURE", "CLEAR", "CLUSTERING ORDER BY", "CONSISTENCY", "CONTAINS", "CONTAINS KEY", "COPY", "CREATE", "CREATE INDEX", "CREATE KEYSPACE",
    "CREATE TABLE", "CREATE TYPE", "DELETE", "DESC", "DESCRIBE", "DESCRIBE KEYSPACES", "DESCRIBE TABLES", "DISTINCT", "DROP", "EXISTS", "EXIT",
    "EXPAND", "FROM", "GROUP BY", "HELP", "IF EXISTS", "IF NOT EXISTS", "IN", "INDEX", "INSERT INTO", "JSON", "KEYSPACE", "LIMIT", "LOGIN", "NOT", "NULL",
    "ON", "ORDER BY", "PAGING", "PER PARTITION LIMIT", "PRIMARY KEY", "SELECT", "SERIAL CONSISTENCY", "SET", "SHOW VERSION", "SOURCE", "STATIC", "TABLE", "TIMESTAMP", "TOKEN", "TRACING", "TRUNCATE",
    "TTL", "TYPE", "UPDATE", "USE", "USING", "VALUES", "WHERE", "WITH", "WRITETIME",
};

/* The line editor calls back without an argument of ours, so this is the one place of the program that keeps state of its own. */
static struct {
    wr_db *db;
    char **words;
    size_t count, room, at;
    char prefix[128];
    size_t prefix_len;
} completer;

static void forget_words(void)
{
    for (size_t i = 0; i < completer.count; i++)
        free(completer.words[i]);
    completer.count = completer.at = 0;
}

static void offer(const char *word)
{
    if (strncasecmp(word, completer.prefix, completer.prefix_len) != 0)
        return;
    for (size_t i = 0; i < completer.count; i++)
        if (strcmp(completer.words[i], word) == 0)
            return;
    if (completer.count == completer.room) {
        size_t room = completer.room ? completer.room * 2 : 64;
        char **wider = realloc(completer.words, room * sizeof *wider);
        if (!wider)
            return;
        completer.words = wider;
        completer.room = room;
    }
    char *copy = strdup(word);
    if (copy)
        completer.words[completer.count++] = copy;
}

static bool offer_names(void *arg, wr_stmt *row)
{
    char qualified[320];
    (void)arg;
    int last = wr_column_count(row) - 1;
    const char *name = wr_column_text(row, last);
    offer(name);
    if (last > 0) {
        snprintf(qualified, sizeof qualified, "%s.%s", wr_column_text(row, 0), name);
        offer(qualified);
    }
    return true;
}

static void gather(void)
{
    bool lower = completer.prefix_len && islower((unsigned char)completer.prefix[0]);
    char word[64];
    forget_words();
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        snprintf(word, sizeof word, "%s", keywords[i]);
        for (char *c = word; lower && *c; c++)
            *c = (char)tolower((unsigned char)*c);
        offer(word);
    }
    wr_exec(completer.db, "SELECT keyspace_name FROM system_schema.keyspaces", offer_names, NULL);
    wr_exec(completer.db, "SELECT keyspace_name, table_name FROM system_schema.tables", offer_names, NULL);
    wr_exec(completer.db, "SELECT keyspace_name, view_name FROM system_schema.views", offer_names, NULL);
    wr_exec(completer.db, "SELECT type_name FROM system_schema.types", offer_names, NULL);
    const char *keyspace = wr_keyspace(completer.db);
    if (keyspace) {
        char query[256];
        snprintf(query, sizeof query, "SELECT column_name FROM system_schema.columns WHERE keyspace_name = '%.64s'", keyspace);
        wr_exec(completer.db, query, offer_names, NULL);
    }
}

static char *next_word(const char *text, int state)
{
    if (!state) {
        completer.prefix_len = (size_t)snprintf(completer.prefix, sizeof completer.prefix, "%s", text);
        if (completer.prefix_len >= sizeof completer.prefix)
            return NULL;
        gather();
    }
    return completer.at < completer.count ? strdup(completer.words[completer.at++]) : NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start, (void)end;
    return rl_completion_matches(text, next_word);
}

void complete_begin(wr_db *db)
{
    completer.db = db;
    rl_attempted_completion_function = complete;
    rl_basic_word_break_characters = " \t\n\"'`@$><=;|&{(,";
}

void complete_end(void)
{
    rl_attempted_completion_function = NULL;
    forget_words();
    free(completer.words);
    completer.words = NULL;
    completer.room = 0;
}
