import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hugegraph.HugeFactory;
import org.apache.hugegraph.HugeGraph;
import org.apache.hugegraph.backend.serializer.SerializerFactory;
import org.apache.hugegraph.backend.store.BackendProviderFactory;
import org.apache.hugegraph.backend.store.cassandra.CassandraOptions;
import org.apache.hugegraph.config.HugeConfig;
import org.apache.hugegraph.config.OptionSpace;
import org.apache.hugegraph.masterelection.GlobalMasterInfo;
import org.apache.hugegraph.schema.SchemaManager;
import org.apache.hugegraph.traversal.optimize.ConditionP;
import org.apache.hugegraph.traversal.optimize.TraversalUtil;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversal;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.__;
import org.apache.tinkerpop.gremlin.structure.T;
import org.apache.tinkerpop.gremlin.structure.Vertex;

/** A property graph with its schema, indexes of all kinds, edges both ways, paging, TTLs, and the graph opened again. */
class Graph {
    static final String KEYSPACE = "app_hugegraph";

    static void must(Object is, Object wanted) {
        if (!is.equals(wanted))
            throw new AssertionError(is + ", not " + wanted);
    }

    static HugeGraph open(String host, String port) throws IOException {
        Path file = Files.createTempFile("graph", ".properties");
        Files.writeString(file, String.join("\n", "gremlin.graph=org.apache.hugegraph.HugeFactory", "backend=cassandra", "serializer=cassandra", "store=" + KEYSPACE,
                                            "cassandra.host=" + host, "cassandra.port=" + port, "cassandra.connect_timeout=30", "cassandra.read_timeout=100",
                                            "vertex.cache_type=l1", "edge.cache_type=l1", "search.text_analyzer=jieba", "search.text_analyzer_mode=INDEX"));
        return HugeFactory.open(new HugeConfig(file.toString()));
    }

    static void schema(HugeGraph graph) {
        SchemaManager schema = graph.schema();
        schema.propertyKey("name").asText().create();
        schema.propertyKey("age").asInt().create();
        schema.propertyKey("weight").asDouble().create();
        schema.propertyKey("since").asDate().create();
        schema.propertyKey("about").asText().create();
        schema.propertyKey("tags").asText().valueSet().create();
        schema.propertyKey("scores").asLong().valueList().create();
        schema.vertexLabel("person").properties("name", "age", "about", "tags", "scores").primaryKeys("name").nullableKeys("age", "about", "tags", "scores").create();
        schema.vertexLabel("thing").useCustomizeNumberId().properties("name", "weight").nullableKeys("weight").create();
        schema.vertexLabel("guest").useCustomizeUuidId().properties("name").ttl(86400000L).create();
        schema.edgeLabel("knows").sourceLabel("person").targetLabel("person").properties("since", "weight").nullableKeys("weight").multiTimes().sortKeys("since").create();
        schema.edgeLabel("has").sourceLabel("person").targetLabel("thing").properties("weight").create();
        schema.indexLabel("byAge").onV("person").by("age").range().create();
        schema.indexLabel("byAbout").onV("person").by("about").search().create();
        schema.indexLabel("byWeight").onV("thing").by("weight").range().create();
        schema.indexLabel("byThing").onV("thing").by("name").secondary().create();
        schema.indexLabel("byNameAge").onV("person").by("name", "age").shard().create();
        schema.indexLabel("hasWeight").onE("has").by("weight").range().create();
        schema.indexLabel("uniqueAbout").onV("thing").by("name", "weight").unique().create();
    }

    static void fill(HugeGraph graph) {
        List<Vertex> people = new ArrayList<>();
        for (int i = 0; i < 60; i++)
            people.add(graph.addVertex(T.label, "person", "name", "p" + i, "age", 20 + i, "about", i % 3 == 0 ? "likes green tea" : "likes black coffee", "tags", "t" + i % 4, "scores", (long) i));
        graph.tx().commit(); // what is committed at once is one batch
        for (int i = 0; i < 30; i++) {
            Vertex thing = graph.addVertex(T.label, "thing", T.id, 1000L + i, "name", "thing " + i % 7, "weight", i / 4.0);
            people.get(i).addEdge("has", thing, "weight", i * 1.5);
        }
        graph.tx().commit();
        for (int i = 0; i < 60; i++) {
            for (int j = 1; j <= 3; j++)
                people.get(i).addEdge("knows", people.get((i + j) % 60), "since", new Date(1700000000000L + j * 1000));
            graph.tx().commit();
        }
        graph.addVertex(T.label, "guest", T.id, "835e1153-9281-4957-8691-cf79258e90eb", "name", "g");
        graph.tx().commit();
    }

    static void ask(HugeGraph graph) {
        GraphTraversalSource g = graph.traversal();
        must(g.V().hasLabel("person").count().next(), 60L);
        must(g.V().hasLabel("person").has("age", P.between(30, 35)).count().next(), 5L);
        must(g.V().hasLabel("person").has("age", P.gt(75)).values("name").toSet(), Set.of("p56", "p57", "p58", "p59"));
        must(g.V().has("person", "name", "p7").next().value("age"), 27);
        must(g.V().hasLabel("person").has("about", ConditionP.textContains("green")).count().next(), 20L);
        must(g.V().has("person", "name", "p7").out("knows").values("name").toSet(), Set.of("p8", "p9", "p10"));
        must(g.V().has("person", "name", "p7").in("knows").values("name").toSet(), Set.of("p6", "p5", "p4"));
        must(g.V().has("person", "name", "p7").outE("knows").has("since", P.gte(new Date(1700000002000L))).count().next(), 2L);
        must(g.E().hasLabel("has").has("weight", P.lt(6.0)).count().next(), 4L);
        must(g.V().has("thing", "name", "thing 3").count().next(), 4L);
        must(g.V().has("thing", "weight", P.gte(7.0)).id().map(id -> id.get().toString()).toSet(), Set.of("1028", "1029"));
        must(g.V(1005L).in("has").next().value("name"), "p5");
        must(g.V().has("person", "name", "p1").repeat(__.out("knows")).times(2).dedup().count().next(), 5L);
        TreeSet<String> seen = new TreeSet<>();
        String page = "";
        do {
            GraphTraversal<Vertex, Vertex> some = g.V().hasLabel("person").has("~page", page).limit(7);
            while (some.hasNext())
                seen.add(some.next().value("name"));
            page = TraversalUtil.page(some);
        } while (page != null);
        must(seen.size(), 60);
    }

    static void change(HugeGraph graph) {
        GraphTraversalSource g = graph.traversal();
        g.V().has("person", "name", "p7").property("age", 99).iterate();
        g.V().has("person", "name", "p8").next().property("tags", "more");
        graph.tx().commit();
        must(g.V().hasLabel("person").has("age", P.gt(90)).count().next(), 1L);
        must(g.V().hasLabel("person").has("age", 27).count().next(), 0L);
        g.V().has("person", "name", "p7").next().remove();
        graph.tx().commit();
        must(g.V().hasLabel("person").has("age", P.gt(90)).count().next(), 0L);
        must(g.V().has("person", "name", "p6").out("knows").count().next(), 2L);
        try {
            graph.addVertex(T.label, "thing", T.id, 5000L, "name", "thing 1", "weight", 0.25);
            graph.tx().commit();
            throw new AssertionError("it is there already");
        } catch (IllegalArgumentException e) {
            graph.tx().rollback();
        }
    }

    public static void main(String[] args) {
        int status = 1;
        try {
            OptionSpace.register("cassandra", CassandraOptions.class.getName());
            BackendProviderFactory.register("cassandra", "org.apache.hugegraph.backend.store.cassandra.CassandraStoreProvider");
            SerializerFactory.register("cassandra", "org.apache.hugegraph.backend.store.cassandra.CassandraSerializer");
            HugeGraph graph = open(args[0], args[1]);
            graph.initBackend();
            graph.serverStarted(GlobalMasterInfo.master("server-1"));
            schema(graph);
            fill(graph);
            ask(graph);
            change(graph);
            graph.close();
            graph = open(args[0], args[1]);
            graph.serverStarted(GlobalMasterInfo.master("server-1"));
            must(graph.traversal().V().hasLabel("person").count().next(), 59L);
            graph.truncateBackend();
            graph.clearBackend();
            graph.close();
            System.out.println("all is well");
            status = 0;
        } catch (Throwable t) {
            t.printStackTrace();
        }
        System.exit(status);
    }
}
