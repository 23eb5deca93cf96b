/*
 * Conversations (document 003 of the seeds): slices of time, newest first, a static column, a set, a map, a list, and an index.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

#define CONVERSATION "04d580b0-9412-11e2-8e9d-0123456789ab"

static const struct {
    const char *time, *sender, *content;
} talk[] = {
    { "2013-04-03 07:03:20", "kate@example.com", "Hi!" },
    { "2013-04-03 07:04:52", "tom@example.com", "Hello!" },
    { "2013-04-03 07:05:01", "kate@example.com", "Where are you?" },
    { "2013-04-03 07:06:32", "tom@example.com", "in Istanbul" },
    { "2013-04-03 07:11:10", "kate@example.com", "wow! how come" },
};

enum { MESSAGES = sizeof talk / sizeof talk[0] };

static wr_stmt *one_message(wr_db *db, const char *cql)
{
    wr_stmt *s = prepare(db, cql);
    int last = wr_marker_count(s) - 1;
    must_step(s, wr_bind_text(s, last - 1, CONVERSATION, -1));
    must_step(s, wr_bind_literal(s, last, "minTimeuuid('2013-04-03 07:03:20+0000')", -1));
    return s;
}

static void write_all(wr_db *db)
{
    wr_stmt *name = prepare(db, "UPDATE conversations.messages SET name = ? WHERE conversation_id = ?");
    run(bind(name, "ss", "Travel", CONVERSATION));
    wr_stmt *s = prepare(db, "INSERT INTO conversations.messages (conversation_id, message_id, sender, content, recipients) "
                             "VALUES (?, ?, ?, ?, {'kate@example.com', 'tom@example.com'})");
    for (int i = 0; i < MESSAGES; i++) {
        char id[64];
        snprintf(id, sizeof id, "minTimeuuid('%s+0000')", talk[i].time);
        must_step(s, wr_bind_text(s, 0, CONVERSATION, -1));
        must_step(s, wr_bind_literal(s, 1, id, -1));
        must_step(s, wr_bind_text(s, 2, talk[i].sender, -1));
        must_step(s, wr_bind_text(s, 3, talk[i].content, -1));
        run(s);
    }
}

/* People join and leave, files are attached, and who has seen the message is kept in order. */
static void change_first(wr_db *db)
{
    static const char *const seen[] = { "tom@example.com", "ada@example.com" };
    wr_stmt *s = one_message(db, "UPDATE conversations.messages SET recipients = recipients + {'ada@example.com'}, "
                                 "attachments = attachments + {'map.png': 'file://map.png'} WHERE conversation_id = ? AND message_id = ?");
    run(s);
    run(one_message(db, "UPDATE conversations.messages SET recipients = recipients - {'tom@example.com'}, "
                        "attachments['plan.pdf'] = 'file://plan.pdf' WHERE conversation_id = ? AND message_id = ?"));
    for (int i = 0; i < 2; i++) {
        s = prepare(db, "UPDATE conversations.messages SET seen_by = seen_by + ? WHERE conversation_id = ? AND message_id = ?");
        must_step(s, wr_bind_open(s, 0));
        must_step(s, wr_bind_text(s, WR_ELEMENT, seen[i], -1));
        must_step(s, wr_bind_close(s));
        must_step(s, wr_bind_text(s, 1, CONVERSATION, -1));
        must_step(s, wr_bind_literal(s, 2, "minTimeuuid('2013-04-03 07:03:20+0000')", -1));
        run(s);
    }
}

/* Runs a query and prints its rows, or only counts them; the first column of the first row is kept. */
static int ask(wr_db *db, const char *title, const char *cql, bool show, char first[256])
{
    wr_stmt *s = prepare(db, cql);
    enum wr_status st;
    int rows = 0;
    int64_t t = tick();
    if (show)
        printf("%s\n", title);
    for (; (st = wr_step(s)) == WR_ROW; rows++) {
        if (rows == 0)
            snprintf(first, 256, "%s", wr_column_text(s, 0) ? wr_column_text(s, 0) : "null");
        for (int i = 0; show && i < wr_column_count(s); i++)
            printf("%s%s", i ? " | " : "  ", wr_column_text(s, i) ? wr_column_text(s, i) : "null");
        if (show)
            printf("\n");
    }
    must_step(s, st);
    if (show)
        tell_time("query and printing", tick() - t);
    return rows;
}

#define WHERE_CONVERSATION "FROM conversations.messages WHERE conversation_id = " CONVERSATION
#define SLICE                                                                                                                              \
    "SELECT content, sender, toTimestamp(message_id) " WHERE_CONVERSATION                                                                \
    " AND message_id > minTimeuuid('2013-04-03 07:04:00+0000') AND message_id < maxTimeuuid('2013-04-03 07:10:00+0000')"
#define NEWEST "SELECT content, sender " WHERE_CONVERSATION " LIMIT 2"
#define FIRST_OF_ALL WHERE_CONVERSATION " ORDER BY message_id ASC LIMIT 1"

static void check_all(wr_db *db)
{
    char first[256];
    check(ask(db, "", SLICE, false, first) == 3 && strcmp(first, "in Istanbul") == 0, "a slice of time, newest first");
    check(ask(db, "", NEWEST, false, first) == 2 && strcmp(first, "wow! how come") == 0, "the most recent two");
    check(ask(db, "", "SELECT recipients " FIRST_OF_ALL, false, first) == 1 && strcmp(first, "{'ada@example.com', 'kate@example.com'}") == 0,
          "recipients come and go");
    check(ask(db, "", "SELECT attachments " FIRST_OF_ALL, false, first) == 1 &&
              strcmp(first, "{'map.png': 'file://map.png', 'plan.pdf': 'file://plan.pdf'}") == 0,
          "attachments by name");
    check(ask(db, "", "SELECT seen_by " FIRST_OF_ALL, false, first) == 1 && strcmp(first, "['tom@example.com', 'ada@example.com']") == 0,
          "who has seen it, in order");
    check(ask(db, "", "SELECT content FROM conversations.messages WHERE sender = 'kate@example.com'", false, first) == 3,
          "messages by sender, from the index");
    run(prepare(db, "UPDATE conversations.messages SET name = 'Istanbul' WHERE conversation_id = " CONVERSATION));
    check(ask(db, "", "SELECT name " WHERE_CONVERSATION, false, first) == MESSAGES && strcmp(first, "Istanbul") == 0,
          "a static column is one for the whole conversation");
    check(ask(db, "", "SELECT DISTINCT name " WHERE_CONVERSATION, false, first) == 1, "and shows once with DISTINCT");
}

/* ---- the partition as stored cells, as the document's transposed picture has it ---- */

struct picture {
    bool show;
    int cells, list_cells;
    char row[128];
};

static bool draw_cell(void *arg, const struct wr_cell *cell)
{
    struct picture *p = arg;
    p->cells++;
    p->list_cells += strcmp(cell->column, "seen_by") == 0 && cell->element && strcmp(cell->kind, "cell") == 0;
    if (!p->show)
        return true;
    const char *row = cell->clustering ? cell->clustering : "(static)";
    if (strcmp(p->row, row) != 0) {
        snprintf(p->row, sizeof p->row, "%s", row);
        printf("  %s\n", row);
    }
    printf("      %s%s%s", cell->column, cell->element ? ":" : "", cell->element ? cell->element : "");
    printf("%s%s", cell->value ? "  " : "", cell->value ? cell->value : "");
    if (strcmp(cell->kind, "cell") != 0)
        printf("%s(%s)", *cell->column ? "  " : "", cell->kind);
    printf("\n");
    return true;
}

int main(int argc, char **argv)
{
    struct example e;
    struct picture picture = { .show = false };
    char first[256];
    example_begin(&e, argc, argv, EXAMPLE_FOLDER "/schema.cql");
    must(e.db, wr_exec(e.db, "TRUNCATE conversations.messages", NULL, NULL));
    write_all(e.db);
    change_first(e.db);
    if (e.check) {
        check_all(e.db);
    } else {
        ask(e.db, "Conversations: between 07:04 and 07:10, newest first", SLICE, true, first);
        ask(e.db, "the first message", "SELECT content, recipients, attachments, seen_by " FIRST_OF_ALL, true, first);
        ask(e.db, "all of kate's, by the index", "SELECT content FROM conversations.messages WHERE sender = 'kate@example.com'", true, first);
        printf("the partition as stored cells (wr stats --cells)\n");
        picture.show = true;
    }
    must(e.db, wr_table_cells(e.db, "conversations", "messages", CONVERSATION, draw_cell, &picture));
    check(picture.list_cells == 2, "each element of a list is a cell of its own");
    return example_end(&e);
}
