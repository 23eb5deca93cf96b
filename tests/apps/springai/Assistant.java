import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataTypes;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.ai.chat.memory.repository.cassandra.CassandraChatMemoryRepository;
import org.springframework.ai.chat.memory.repository.cassandra.CassandraChatMemoryRepositoryConfig;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.vectorstore.SearchRequest;
import org.springframework.ai.vectorstore.cassandra.CassandraVectorStore;
import org.springframework.ai.vectorstore.cassandra.CassandraVectorStore.SchemaColumn;
import org.springframework.ai.vectorstore.cassandra.CassandraVectorStore.SchemaColumnTags;

/** What an assistant keeps: documents, found by what they are about, and what has been said. */
class Assistant {
    static final String KEYSPACE = "app_springai";

    /** Letters, counted: texts of the same letters are near each other. */
    static class Letters implements EmbeddingModel {
        static final int DIMENSIONS = 8;

        @Override
        public int dimensions() {
            return DIMENSIONS;
        }

        @Override
        public float[] embed(String text) {
            float[] counts = new float[DIMENSIONS];
            for (char c : text.toCharArray())
                counts[c % DIMENSIONS] += 1;
            return counts;
        }

        @Override
        public float[] embed(Document document) {
            return embed(document.getText());
        }

        @Override
        public EmbeddingResponse call(EmbeddingRequest request) {
            List<Embedding> found = new ArrayList<>();
            for (String text : request.getInstructions())
                found.add(new Embedding(embed(text), found.size()));
            return new EmbeddingResponse(found);
        }
    }

    static void must(Object is, Object wanted) {
        if (!is.equals(wanted))
            throw new AssertionError(is + ", not " + wanted);
    }

    static List<String> found(CassandraVectorStore store, String query, int most, String filter) {
        SearchRequest.Builder request = SearchRequest.builder().query(query).topK(most);
        if (filter != null)
            request.filterExpression(filter);
        return store.similaritySearch(request.build()).stream().map(Document::getId).toList();
    }

    static void documents(CqlSession session) {
        CassandraVectorStore store = CassandraVectorStore.builder(new Letters()).session(session).keyspace(KEYSPACE).table("documents").initializeSchema(true)
            .addMetadataColumns(new SchemaColumn("lang", DataTypes.TEXT, SchemaColumnTags.INDEXED), new SchemaColumn("year", DataTypes.SMALLINT, SchemaColumnTags.INDEXED),
                                new SchemaColumn("rank", DataTypes.DOUBLE), new SchemaColumn("tags", DataTypes.setOf(DataTypes.TEXT)))
            .build();
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 60; i++)
            documents.add(new Document("d" + i, "a".repeat(i + 1) + "b".repeat(60 - i),
                                       Map.of("lang", i % 3 == 0 ? "de" : "en", "year", (short) (2000 + i % 7), "rank", i / 4.0, "tags", Set.of("all", "t" + i % 4))));
        store.add(documents);

        must(found(store, "a".repeat(31) + "b".repeat(30), 1, null), List.of("d30"));
        must(new TreeSet<>(found(store, "a", 3, null)), new TreeSet<>(List.of("d57", "d58", "d59")));
        must(found(store, "b", 2, "lang == 'de'"), List.of("d0", "d3"));
        must(found(store, "b", 2, "year >= 2003 && lang == 'en'"), List.of("d4", "d5"));
        must(found(store, "a", 10, "id == 'd7'"), List.of("d7"));
        Document first = store.similaritySearch(SearchRequest.builder().query("b").topK(1).build()).get(0);
        must(first.getMetadata().get("tags"), Set.of("all", "t0"));
        must(first.getMetadata().get("year"), (short) 2000);
        try {
            found(store, "b", 2, "rank > 3.0");
            throw new AssertionError("a column without an index was searched by");
        } catch (InvalidQueryException e) {
            must(e.getMessage(), "ANN ordering by vector requires all restricted column(s) to be indexed");
        }
        store.delete(List.of("d0", "d30"));
        must(found(store, "b", 1, null), List.of("d1"));
        must(session.execute("SELECT count(*) FROM " + KEYSPACE + ".documents").one().getLong(0), 58L);
    }

    static void chats(CqlSession session) {
        CassandraChatMemoryRepository memory = CassandraChatMemoryRepository.create(CassandraChatMemoryRepositoryConfig.builder().withCqlSession(session)
            .withKeyspaceName(KEYSPACE).withTableName("chats").withTimeToLive(Duration.ofDays(3)).build());
        for (String chat : List.of("games", "plans")) {
            List<Message> said = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                said.add(i % 2 == 0 ? new UserMessage(chat + i) : new AssistantMessage(chat + i));
                memory.saveAll(chat, said);
            }
        }
        must(Set.copyOf(memory.findConversationIds()), Set.of("games", "plans"));
        must(memory.findByConversationId("games").stream().map(Message::getText).toList(), List.of("games0", "games1", "games2", "games3", "games4", "games5", "games6"));
        memory.deleteByConversationId("games");
        must(memory.findByConversationId("games"), List.of());
        must(memory.findByConversationId("plans").size(), 7);
    }

    public static void main(String[] args) {
        int status = 1;
        try (CqlSession session = CqlSession.builder().addContactPoint(new InetSocketAddress(args[0], Integer.parseInt(args[1]))).withLocalDatacenter("datacenter1").build()) {
            session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            documents(session);
            chats(session);
            session.execute("DROP KEYSPACE " + KEYSPACE);
            System.out.println("all is well");
            status = 0;
        } catch (Throwable t) {
            t.printStackTrace();
        }
        System.exit(status); // the store's threads would stay
    }
}
