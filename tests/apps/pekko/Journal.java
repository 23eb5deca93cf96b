import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.persistence.cassandra.query.javadsl.CassandraReadJournal;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/** Carts whose events are in Pekko Persistence's Cassandra journal: filled, stopped, recovered from snapshot and events, queried. */
public class Journal {
    static final int CARTS = 3, EVENTS = 25;
    static final Duration PATIENCE = Duration.ofSeconds(60);

    interface Command {}
    record Add(String item, ActorRef<String> replyTo) implements Command {}

    static class Cart extends EventSourcedBehavior<Command, String, String> {
        Cart(String id) {
            super(PersistenceId.of("cart", id));
        }

        @Override
        public String emptyState() {
            return "";
        }

        @Override
        public CommandHandler<Command, String, String> commandHandler() {
            return newCommandHandlerBuilder().forAnyState()
                .onCommand(Add.class, c -> Effect().persist(c.item).thenReply(c.replyTo, state -> state))
                .build();
        }

        @Override
        public EventHandler<String, String> eventHandler() {
            return (state, event) -> state.isEmpty() ? event : state + " " + event;
        }

        @Override
        public Set<String> tagsFor(String event) {
            return event.endsWith("0") ? Set.of("round") : Set.of();
        }

        @Override
        public RetentionCriteria retentionCriteria() {
            return RetentionCriteria.snapshotEvery(10, 2);
        }
    }

    static void mustBe(String what, Object is, Object wanted) {
        if (!is.equals(wanted))
            throw new AssertionError(what + ": " + is + " and not " + wanted);
    }

    static <T> List<T> all(Source<T, ?> source, ActorSystem<?> system) throws Exception {
        return source.runWith(Sink.seq(), system).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    static String items(int from, int to) {
        return String.join(" ", IntStream.range(from, to).mapToObj(n -> "item" + n).toList());
    }

    static ActorSystem<SpawnProtocol.Command> start(Config config) {
        return ActorSystem.create(SpawnProtocol.create(), "shop", config);
    }

    static void stop(ActorSystem<?> system) throws Exception {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** What a cart says when another item has been put into it. */
    static String add(ActorSystem<SpawnProtocol.Command> system, ActorRef<Command> cart, String item) throws Exception {
        return AskPattern.<Command, String>ask(cart, to -> new Add(item, to), PATIENCE, system.scheduler()).toCompletableFuture().get();
    }

    static ActorRef<Command> open(ActorSystem<SpawnProtocol.Command> system, int n) throws Exception {
        return AskPattern.<SpawnProtocol.Command, ActorRef<Command>>ask(system,
            to -> new SpawnProtocol.Spawn<>(new Cart("c" + n), "cart" + n, Props.empty(), to), PATIENCE, system.scheduler())
            .toCompletableFuture().get();
    }

    public static void main(String[] arguments) throws Exception {
        Config config = ConfigFactory.parseString(arguments[0]).withFallback(ConfigFactory.load());
        ActorSystem<SpawnProtocol.Command> system = start(config);
        for (int n = 0; n < CARTS; n++) {
            ActorRef<Command> cart = open(system, n);
            for (int i = 0; i < EVENTS; i++)
                mustBe("a cart", add(system, cart, "item" + i), items(0, i + 1));
        }
        stop(system);

        system = start(config);
        for (int n = 0; n < CARTS; n++)
            mustBe("a recovered cart", add(system, open(system, n), "item" + EVENTS), items(0, EVENTS + 1));
        CassandraReadJournal journal =
            PersistenceQuery.get(system).getReadJournalFor(CassandraReadJournal.class, CassandraReadJournal.Identifier());
        mustBe("ids", Set.copyOf(all(journal.currentPersistenceIds(), system)), Set.of("cart|c0", "cart|c1", "cart|c2"));
        mustBe("events", all(journal.currentEventsByPersistenceId("cart|c1", 20, 24), system).stream().map(e -> e.event()).toList(),
            List.of("item19", "item20", "item21", "item22", "item23"));
        List<Object> tagged = List.of();
        for (int tries = 0; tries < 60 && tagged.size() < 3 * CARTS; tries++) { /* written behind the events, a little later */
            Thread.sleep(1000);
            tagged = all(journal.currentEventsByTag("round", Offset.noOffset()), system).stream().map(e -> e.event()).toList();
        }
        mustBe("tagged events", tagged.stream().sorted().toList(),
            List.of("item0", "item0", "item0", "item10", "item10", "item10", "item20", "item20", "item20"));
        stop(system);
        System.out.println("all is well");
    }
}
