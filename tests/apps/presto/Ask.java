import com.datastax.driver.core.Cluster;
import com.datastax.driver.core.Session;
import com.facebook.presto.cassandra.CassandraPlugin;
import com.facebook.presto.testing.LocalQueryRunner;
import com.facebook.presto.testing.TestingSession;
import java.util.Map;

/** SQL over tables of Cassandra's: by ranges of tokens, by keys, slices and an index; joins, a table made of a query. */
class Ask {
    static final String KEYSPACE = "app_presto";

    static void fill(Session session) {
        session.execute("CREATE TABLE orders (shop text, day date, id int, item text, price double, n bigint, at timestamp, ok boolean, u uuid, t timeuuid, tags set<text>, d decimal, v varint,"
            + " ip inet, f float, m map<text, int>, l list<int>, b blob, s smallint, i tinyint, PRIMARY KEY ((shop, day), id, item))");
        session.execute("CREATE TABLE people (id int PRIMARY KEY, name text, age int)");
        session.execute("CREATE INDEX ON people (age)");
        for (int i = 0; i < 200; i++) {
            session.execute(String.format("INSERT INTO orders (shop, day, id, item, price, n, at, ok, u, t, tags, d, v, ip, f, m, l, b, s, i) VALUES ('s%d', '2024-01-0%d', %d, 'i%d', %s, %d, %d, %b,"
                + " 00000000-0000-0000-0000-0000000000%02d, 2134aa%02d-9da0-11ee-8c90-0242ac120002, {'t%d'}, %d.5, %d, '127.0.0.1', 1.5, {'k': 1}, [1, 2], 0x01, 3, 4)",
                i % 3, 1 + i % 4, i, i % 7, i / 8.0, i, 1700000000000L + i, i % 2 == 0, i % 100, i % 100, i, i, i));
            session.execute(String.format("INSERT INTO people (id, name, age) VALUES (%d, 'n%d', %d)", i, i, i % 10));
        }
        session.execute("CREATE MATERIALIZED VIEW by_name AS SELECT * FROM people WHERE name IS NOT NULL AND id IS NOT NULL PRIMARY KEY (name, id)");
    }

    static void ask(LocalQueryRunner runner, String query, String wanted) {
        String is = runner.execute(query).getMaterializedRows().toString();
        if (!is.equals(wanted))
            throw new AssertionError(query + ": " + is + ", not " + wanted);
    }

    static void askAll(LocalQueryRunner runner) {
        ask(runner, "SHOW TABLES", "[[by_name], [orders], [people]]");
        ask(runner, "SELECT count(*), sum(price), max(id), sum(n), count(distinct u) FROM orders", "[[200, 2487.5, 199, 19900, 100]]");
        ask(runner, "SELECT d, v, ip, f, m, l, b, s, i, tags, t FROM orders WHERE shop = 's1' AND day = date '2024-01-02' AND id = 13 AND item = 'i6'",
            "[[13.5, 13, 127.0.0.1, 1.5, {\"k\":1}, [1,2], 01, 3, 4, [\"t13\"], 2134aa13-9da0-11ee-8c90-0242ac120002]]");
        ask(runner, "SELECT id FROM orders WHERE shop = 's1' AND day = date '2024-01-02' AND id > 50 AND id < 100 ORDER BY id", "[[61], [73], [85], [97]]");
        ask(runner, "SELECT id, item FROM orders WHERE shop IN ('s1', 's2') AND day IN (date '2024-01-02', date '2024-01-01') AND id = 13", "[[13, i6]]");
        ask(runner, "SELECT shop, count(*) FROM orders GROUP BY shop ORDER BY 1", "[[s0, 67], [s1, 67], [s2, 66]]");
        ask(runner, "SELECT id FROM people WHERE age = 3 ORDER BY id LIMIT 5", "[[3], [13], [23], [33], [43]]");
        ask(runner, "SELECT p.name, o.price FROM people p JOIN orders o ON p.id = o.id WHERE p.age = 4 AND o.ok ORDER BY 1 LIMIT 2", "[[n104, 13.0], [n114, 14.25]]");
        ask(runner, "SELECT id FROM people WHERE id IN (1, 5, 7, 1000) ORDER BY 1", "[[1], [5], [7]]");
        ask(runner, "SELECT id, age FROM by_name WHERE name = 'n5'", "[[5, 5]]");
        ask(runner, "CREATE TABLE copy AS SELECT id AS n, name, age, cast(id AS double) AS x, date '2024-01-01' AS d FROM people", "[[200]]");
        ask(runner, "SELECT count(*), sum(x), max(n), max(d) FROM copy", "[[200, 19900.0, 199, 2024-01-01]]");
    }

    public static void main(String[] args) {
        int status = 1;
        try (Cluster cluster = Cluster.builder().addContactPoint(args[0]).withPort(Integer.parseInt(args[1])).withoutJMXReporting().build()) {
            fill(cluster.connect(KEYSPACE));
            LocalQueryRunner runner = new LocalQueryRunner(TestingSession.testSessionBuilder().setCatalog("cassandra").setSchema(KEYSPACE).build());
            runner.createCatalog("cassandra", new CassandraPlugin().getConnectorFactories().iterator().next(),
                                 Map.of("cassandra.contact-points", args[0], "cassandra.native-protocol-port", args[1], "cassandra.protocol-version", "V4", "cassandra.client.read-timeout", "60s"));
            askAll(runner);
            System.out.println("all is well");
            status = 0;
        } catch (Throwable t) {
            t.printStackTrace();
        }
        System.exit(status); // the runner's threads would stay
    }
}
