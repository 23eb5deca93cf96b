import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.tinkerpop.gremlin.process.traversal.Order;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.structure.Direction;
import org.apache.tinkerpop.gremlin.structure.Vertex;
import org.apache.tinkerpop.gremlin.structure.VertexProperty;
import org.janusgraph.core.Cardinality;
import org.janusgraph.core.JanusGraph;
import org.janusgraph.core.JanusGraphFactory;
import org.janusgraph.core.JanusGraphTransaction;
import org.janusgraph.core.PropertyKey;
import org.janusgraph.core.SchemaViolationException;
import org.janusgraph.core.schema.ConsistencyModifier;
import org.janusgraph.core.schema.JanusGraphIndex;
import org.janusgraph.core.schema.JanusGraphManagement;

/** People who know one another, in a JanusGraph on Cassandra: indexes, a unique one that locks, TTLs, edges in order, all of it again after a stop. */
public class Graph {
    static final int PEOPLE = 200;
    static final int KNOWN_BY_EACH = 7;

    static JanusGraph open(String host, String port, String datacenter) {
        return JanusGraphFactory.build().set("storage.backend", "cql").set("storage.hostname", host).set("storage.port", Integer.parseInt(port))
            .set("storage.cql.local-datacenter", datacenter).set("storage.cql.keyspace", "app_janusgraph").set("storage.cql.request-timeout", 60000)
            .set("ids.block-size", 1000).set("storage.lock.wait-time", Duration.ofMillis(500)).open(); // a busy machine writes its lock within that
    }

    static void same(Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }

    static void schema(JanusGraph graph) {
        JanusGraphManagement management = graph.openManagement();
        PropertyKey name = management.makePropertyKey("name").dataType(String.class).make();
        PropertyKey age = management.makePropertyKey("age").dataType(Integer.class).make();
        management.makePropertyKey("tag").dataType(String.class).cardinality(Cardinality.SET).make();
        management.setTTL(management.makePropertyKey("mood").dataType(String.class).make(), Duration.ofHours(1));
        JanusGraphIndex byName = management.buildIndex("byName", Vertex.class).addKey(name).unique().buildCompositeIndex();
        management.setConsistency(byName, ConsistencyModifier.LOCK);
        management.buildIndex("byAge", Vertex.class).addKey(age).buildCompositeIndex();
        PropertyKey since = management.makePropertyKey("since").dataType(Long.class).make();
        management.buildEdgeIndex(management.makeEdgeLabel("knows").make(), "bySince", Direction.BOTH, Order.desc, since);
        management.commit();
    }

    static void fill(JanusGraph graph) {
        JanusGraphTransaction transaction = graph.newTransaction();
        List<Vertex> people = new ArrayList<>();
        for (int i = 0; i < PEOPLE; i++) {
            Vertex person = transaction.addVertex();
            person.property("name", "n" + i);
            person.property("age", i % 20);
            person.property("tag", "a" + i);
            person.property(VertexProperty.Cardinality.set, "tag", "b" + i);
            if (i % 5 == 0) {
                person.property("mood", "fine");
            }
            people.add(person);
        }
        for (int i = 0; i < PEOPLE; i++) {
            for (int k = 1; k <= KNOWN_BY_EACH; k++) {
                people.get(i).addEdge("knows", people.get((i * k + 7) % PEOPLE), "since", (long) (i * k));
            }
        }
        transaction.commit();
    }

    static void ask(GraphTraversalSource people) {
        same((long) PEOPLE, people.V().count().next());
        same((long) PEOPLE * KNOWN_BY_EACH, people.E().count().next());
        same((long) PEOPLE / 20, people.V().has("age", 3).count().next());
        same(List.of("n12", "n17", "n22", "n27", "n32", "n37", "n42"), people.V().has("name", "n5").out("knows").values("name").order().toList());
        same(List.of(35L, 30L, 25L),
            people.V().has("name", "n5").outE("knows").has("since", P.gt(10L)).order().by("since", Order.desc).limit(3).values("since").toList());
        same(List.of("a9", "b9"), people.V().has("name", "n9").values("tag").order().toList());
        same(40L, people.V().has("mood", "fine").count().next());
    }

    static void change(GraphTraversalSource people) {
        people.V().has("name", "n7").drop().iterate();
        people.V().has("name", "n8").property("age", 99).iterate();
        people.tx().commit();
        same(false, people.V().has("name", "n7").hasNext());
        same(List.of("n8"), people.V().has("age", 99).values("name").toList());
        try {
            people.addV().property("name", "n9").iterate();
            people.tx().commit();
            throw new AssertionError("a name twice");
        } catch (SchemaViolationException expected) {
            people.tx().rollback();
        }
    }

    static void story(String[] arguments) throws Exception {
        JanusGraph graph = open(arguments[0], arguments[1], arguments[2]);
        schema(graph);
        fill(graph);
        ask(graph.traversal());
        graph.close();
        graph = open(arguments[0], arguments[1], arguments[2]);
        ask(graph.traversal());
        change(graph.traversal());
        JanusGraphFactory.drop(graph);
    }

    /** Its threads go on after a failure, so the end is told. */
    public static void main(String[] arguments) {
        try {
            story(arguments);
            System.out.println("all is well");
            System.exit(0);
        } catch (Throwable failure) {
            failure.printStackTrace();
            System.exit(1);
        }
    }
}
