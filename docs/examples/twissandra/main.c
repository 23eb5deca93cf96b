/* Twissandra (document 002 of the seeds), on column families and in CQL. */
#include <stdio.h>
#include <string.h>

#include "twissandra.h"

static void play(wr_db *db, const struct twissandra *api, void *t, uint8_t first_id[16])
{
    static const char *const said[][2] = {
        { "tom", "hello" }, { "ada", "is anybody there?" }, { "tom", "yes" }, { "bob", "me too" }, { "tom", "good night" },
    };
    api->create_user(t, "tom", "a");
    api->create_user(t, "ada", "b");
    api->create_user(t, "bob", "c");
    api->add_friend(t, "ada", "tom");
    api->add_friend(t, "bob", "tom");
    api->add_friend(t, "tom", "ada");
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        uint8_t id[16];
        wr_timeuuid(db, id);
        if (i == 0)
            memcpy(first_id, id, 16);
        api->create_tweet(t, id, said[i][0], said[i][1]);
    }
}

static void print_tweets(const struct tweets *tweets)
{
    for (int i = 0; i < tweets->count; i++)
        printf("  @%-4s %s\n", tweets->authors[i], tweets->bodies[i]);
}

static bool says(const struct tweets *tweets, int at, const char *author, const char *body, const char *password)
{
    return at < tweets->count && strcmp(tweets->authors[at], author) == 0 && strcmp(tweets->bodies[at], body) == 0 &&
           strcmp(tweets->author_passwords[at], password) == 0;
}

static void check_all(const struct twissandra *api, void *t, const uint8_t first_id[16])
{
    static struct users users;
    static struct tweets tweets;
    const char *names[] = { "bob", "nobody", "ada" };
    printf("%s\n", api->name);
    check(api->get_user(t, "tom", &users) && strcmp(users.passwords[0], "a") == 0, "a user record by username");
    check(!api->get_user(t, "nobody", &users), "none of who is not there");
    api->get_users(t, names, 3, &users);
    check(users.count == 2, "user records by usernames");
    api->friend_names(t, "ada", &users);
    check(users.count == 1 && strcmp(users.names[0], "tom") == 0, "the friends of a username");
    api->follower_names(t, "tom", &users);
    check(users.count == 2 && strcmp(users.names[0], "ada") == 0 && strcmp(users.names[1], "bob") == 0, "the followers of a username, in order");
    api->get_users(t, (const char *[]){ users.names[0], users.names[1] }, 2, &users);
    check(users.count == 2, "the followers' records");
    check(api->get_tweet(t, first_id, &tweets) && says(&tweets, 0, "tom", "hello", "a"), "a tweet by its id, with its author");
    api->timeline(t, "ada", 20, &tweets);
    check(tweets.count == 3 && says(&tweets, 0, "tom", "good night", "a") && says(&tweets, 2, "tom", "hello", "a"), "a timeline, newest first");
    api->timeline(t, "tom", 20, &tweets);
    check(tweets.count == 1 && says(&tweets, 0, "ada", "is anybody there?", "b"), "everybody has a timeline of his own");
    api->userline(t, "tom", 2, &tweets);
    check(tweets.count == 2 && says(&tweets, 1, "tom", "yes", "a"), "the last two of a user's own");
    api->userline(t, PUBLIC_USERLINE_KEY, 20, &tweets);
    check(tweets.count == 5 && says(&tweets, 1, "bob", "me too", "c"), "the public line");
    api->remove_friend(t, "ada", "tom");
    api->friend_names(t, "ada", &users);
    check(users.count == 0, "a friend removed is no friend");
    api->follower_names(t, "tom", &users);
    check(users.count == 1, "nor a follower");
}

int main(int argc, char **argv)
{
    static const struct twissandra *const apis[] = { &twissandra_families, &twissandra_cql };
    static struct tweets tweets;
    struct example e;
    example_begin(&e, argc, argv, EXAMPLE_FOLDER "/schema.cql");
    for (int i = 0; i < 2; i++) {
        const struct twissandra *api = apis[i];
        uint8_t first_id[16];
        void *t = api->open(e.db);
        play(e.db, api, t, first_id);
        if (e.check) {
            check_all(api, t, first_id);
        } else {
            printf("Twissandra on %s: ada's timeline\n", api->name);
            int64_t start = tick();
            api->timeline(t, "ada", 20, &tweets);
            start = tick() - start;
            print_tweets(&tweets);
            tell_time("timeline, tweets and authors", start);
            printf("the public line\n");
            start = tick();
            api->userline(t, PUBLIC_USERLINE_KEY, 20, &tweets);
            start = tick() - start;
            print_tweets(&tweets);
            tell_time("public line, tweets and authors", start);
        }
        api->close(t);
    }
    return example_end(&e);
}
