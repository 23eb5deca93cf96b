package drivers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.InvalidKeyspaceException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Versions, compression, discovery, many requests at once, a server that comes back. */
class ConnectTest extends InKeyspace {
  @Override
  void tables() {
    session.execute("CREATE TABLE t (p int PRIMARY KEY, v text)");
  }

  @ParameterizedTest
  @CsvSource({"V3,none", "V3,lz4", "V3,snappy", "V4,none", "V4,lz4", "V4,snappy", "V5,none", "V5,lz4"})
  void eachVersionAndCompression(String version, String compression) throws Exception {
    try (CqlSession speaker =
        Server.shared().connect(options -> options.withString(DefaultDriverOption.PROTOCOL_VERSION, version).withString(DefaultDriverOption.PROTOCOL_COMPRESSION, compression))) {
      assertEquals(version, speaker.getContext().getProtocolVersion().name());
      PreparedStatement insert = speaker.prepare("INSERT INTO " + keyspace + ".t (p, v) VALUES (?, ?)");
      String text = "x".repeat(300000);
      speaker.execute(insert.bind(version.hashCode(), text));
      assertEquals(text, speaker.execute("SELECT v FROM " + keyspace + ".t WHERE p = " + version.hashCode()).one().getString(0));
    }
  }

  @Test
  void theDriverFindsTheBestVersionAndTheNode() {
    assertEquals("V5", session.getContext().getProtocolVersion().name());
    assertEquals(1, session.getMetadata().getNodes().size());
    Node node = session.getMetadata().getNodes().values().iterator().next();
    assertEquals(List.of("datacenter1", "rack1", "5.0.6", NodeState.UP),
        List.of(node.getDatacenter(), node.getRack(), node.getCassandraVersion().toString(), node.getState()));
    assertEquals(session.execute("SELECT cluster_name FROM system.local").one().getString(0), session.getMetadata().getClusterName().orElseThrow());
    assertEquals(1, session.getMetadata().getTokenMap().orElseThrow().getReplicas(keyspace, java.nio.ByteBuffer.wrap(new byte[] {1})).size());
  }

  @Test
  void aKeyspaceThatIsNotThere() {
    assertThrows(InvalidKeyspaceException.class, () -> Server.shared().builder(options -> options).withKeyspace("nosuch").build().close());
    assertThrows(DriverException.class, () -> session.execute("USE nosuch"));
  }

  @Test
  void twoHundredInFlight() {
    PreparedStatement insert = session.prepare("INSERT INTO t (p, v) VALUES (?, ?)");
    PreparedStatement select = session.prepare("SELECT v FROM t WHERE p = ?");
    List<CompletionStage<Row>> read = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      int p = i;
      read.add(session.executeAsync(insert.bind(p, "v" + p)).thenCompose(done -> session.executeAsync(select.bind(p))).thenApply(AsyncResultSet::one));
      if (i >= 200) read.get(i - 200).toCompletableFuture().join(); // so many, and no more, are under way
    }
    for (int i = 0; i < 2000; i++) assertEquals("v" + i, read.get(i).toCompletableFuture().join().getString(0));
  }

  @Test
  void reconnectsAfterARestart(@TempDir Path folder) throws Exception {
    String database = folder.resolve("db").toString();
    Server server = Server.own(database, "--port", "0");
    try (CqlSession own =
        server.connect(options -> options
            .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(50))
            .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofMillis(200)))) {
      own.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
      own.execute("CREATE TABLE k.t (p int PRIMARY KEY, v int)");
      PreparedStatement insert = own.prepare("INSERT INTO k.t (p, v) VALUES (?, ?)");
      own.execute(insert.bind(1, 2));
      assertEquals(0, server.stop());
      assertThrows(DriverException.class, () -> own.execute(insert.bind(2, 3)));
      server = Server.own(database, "--port", String.valueOf(server.port));
      for (int n = 0; ; n++) {
        try {
          own.execute(insert.bind(3, 4));
          break;
        } catch (AllNodesFailedException notYet) {
          assertTrue(n < 200, "no connection in 20 s");
          Thread.sleep(100);
        }
      }
      assertEquals(2, own.execute("SELECT v FROM k.t WHERE p = 1").one().getInt(0));
      assertEquals(4, own.execute("SELECT v FROM k.t WHERE p = 3").one().getInt(0));
    }
    assertEquals(0, server.stop());
  }
}
