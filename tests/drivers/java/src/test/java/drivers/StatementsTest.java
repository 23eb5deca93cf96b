package drivers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.QueryTrace;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.AlreadyExistsException;
import com.datastax.oss.driver.api.core.servererrors.InvalidConfigurationInQueryException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Running statements: prepared, named, paged, batches, conditions, counters, traces, errors. Each test has a partition of its own. */
class StatementsTest extends InKeyspace {
  private PreparedStatement insert;

  @Override
  void tables() {
    session.execute("CREATE TABLE t (p int, c int, v text, PRIMARY KEY (p, c))");
    session.execute("CREATE TABLE n (p int PRIMARY KEY, n counter)");
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)");
  }

  private Row one(String text, Object... values) {
    return session.execute(SimpleStatement.newInstance(text, values)).one();
  }

  @Test
  void preparedNullAndUnset() {
    session.execute(insert.bind(1, 1, "one"));
    session.execute(insert.bind(1, 2, null));
    session.execute(insert.boundStatementBuilder().setInt("p", 1).setInt("c", 1).build()); // v is not set: it stays
    assertEquals("one", one("SELECT v FROM t WHERE p = 1 AND c = 1").getString("v"));
    assertTrue(one("SELECT v FROM t WHERE p = 1 AND c = 2").isNull("v"));
    assertThrows(InvalidQueryException.class, () -> session.execute(insert.boundStatementBuilder().setInt("p", 1).build()));
    assertThrows(InvalidQueryException.class, () -> session.execute(SimpleStatement.newInstance("SELECT v FROM t WHERE p = ?", 1, 2)));
  }

  @Test
  void namedParameters() {
    session.execute(SimpleStatement.newInstance("INSERT INTO t (p, c, v) VALUES (:p, :c, :v)", Map.of("v", "named", "c", 1, "p", 2)));
    PreparedStatement select = session.prepare("SELECT v FROM t WHERE p = :key AND c = :\"C\"");
    assertEquals("named", session.execute(select.boundStatementBuilder().setInt("key", 2).setInt("\"C\"", 1).build()).one().getString(0));
  }

  @Test
  void paging() {
    for (int c = 0; c < 500; c++) session.execute(insert.bind(3, c, "x"));
    ResultSet rows = session.execute(SimpleStatement.newInstance("SELECT c FROM t WHERE p = 3").setPageSize(64));
    assertEquals(64, rows.getAvailableWithoutFetching());
    List<Integer> seen = new ArrayList<>();
    rows.forEach(row -> seen.add(row.getInt(0)));
    assertEquals(IntStream.range(0, 500).boxed().toList(), seen);
    SimpleStatement tens = SimpleStatement.newInstance("SELECT c FROM t WHERE p = 3").setPageSize(10);
    ByteBuffer state = session.execute(tens).getExecutionInfo().getPagingState();
    assertEquals(10, session.execute(tens.setPagingState(state)).one().getInt(0));
    assertFalse(session.execute("SELECT c FROM t WHERE p = 3 LIMIT 5").getExecutionInfo().getPagingState() != null);
  }

  @Test
  void batches() {
    for (BatchType kind : new BatchType[] {BatchType.LOGGED, BatchType.UNLOGGED}) {
      BatchStatementBuilder batch = BatchStatement.builder(kind).setQueryTimestamp(7);
      for (int c = 0; c < 50; c++) batch.addStatement(insert.bind(4, c, kind.toString()));
      batch.addStatement(SimpleStatement.newInstance("INSERT INTO t (p, c, v) VALUES (?, ?, ?)", 4, 50, "simple"));
      session.execute(batch.build());
    }
    assertEquals(51, one("SELECT count(*) FROM t WHERE p = 4").getLong(0));
    assertEquals(7, one("SELECT writetime(v) FROM t WHERE p = 4 AND c = 50").getLong(0));
    BatchStatement select = BatchStatement.newInstance(BatchType.LOGGED, SimpleStatement.newInstance("SELECT * FROM t"));
    assertThrows(InvalidQueryException.class, () -> session.execute(select));
  }

  @Test
  void counters() {
    PreparedStatement add = session.prepare("UPDATE n SET n = n + ? WHERE p = ?");
    session.execute(BatchStatement.newInstance(BatchType.COUNTER, add.bind(5L, 1), add.bind(-2L, 1), add.bind(1L, 2)));
    session.execute(add.bind(10L, 1));
    assertEquals(13, one("SELECT n FROM n WHERE p = 1").getLong(0));
    BatchStatement mixed = BatchStatement.newInstance(BatchType.LOGGED, add.bind(1L, 1));
    assertEquals("Cannot include a counter statement in a logged batch", assertThrows(InvalidQueryException.class, () -> session.execute(mixed)).getMessage());
  }

  @Test
  void lightweightTransactions() {
    PreparedStatement first = session.prepare("INSERT INTO t (p, c, v) VALUES (6, ?, ?) IF NOT EXISTS");
    assertTrue(session.execute(first.bind(1, "first")).wasApplied());
    ResultSet refused = session.execute(first.bind(1, "second").setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL));
    assertFalse(refused.wasApplied());
    assertEquals("first", refused.one().getString("v"));
    assertFalse(session.execute("UPDATE t SET v = 'x' WHERE p = 6 AND c = 1 IF v = 'nosuch'").wasApplied());
    BatchStatement batch = BatchStatement.newInstance(BatchType.LOGGED, first.bind(2, "a"), insert.bind(6, 3, "b"));
    assertTrue(session.execute(batch).wasApplied());
    assertFalse(session.execute(batch).wasApplied());
    assertEquals(3, one("SELECT count(*) FROM t WHERE p = 6").getLong(0));
  }

  @Test
  void tracing() {
    session.execute(insert.bind(7, 1, "x"));
    ResultSet rows = session.execute(SimpleStatement.newInstance("SELECT * FROM t WHERE p = 7").setTracing(true));
    assertNotNull(rows.getExecutionInfo().getTracingId());
    QueryTrace trace = rows.getExecutionInfo().getQueryTrace();
    assertEquals("Execute CQL3 query", trace.getRequestType());
    assertEquals("SELECT * FROM t WHERE p = 7", trace.getParameters().get("query"));
    assertEquals("/127.0.0.1", trace.getCoordinatorAddress().getAddress().toString());
    assertTrue(trace.getEvents().stream().anyMatch(event -> event.getActivity().equals("Read 1 live rows and 0 tombstone cells")));
    assertEquals("'x'", session.execute(insert.bind(7, 2, "x").setTracing(true)).getExecutionInfo().getQueryTrace().getParameters().get("bound_var_2_v"));
  }

  @Test
  void warningsAndPayloads() {
    assertEquals(List.of("Aggregation query used without partition key"), session.execute("SELECT count(*) FROM t").getExecutionInfo().getWarnings());
    SimpleStatement with = SimpleStatement.newInstance("SELECT v FROM t WHERE p = 8").setCustomPayload(Map.of("k", ByteBuffer.wrap(new byte[] {1})));
    assertEquals(Map.of(), session.execute(with).getExecutionInfo().getIncomingPayload());
  }

  @Test
  void whatARequestSays() {
    session.execute(SimpleStatement.newInstance("INSERT INTO t (p, c, v) VALUES (9, 1, 'x') USING TTL 100").setNowInSeconds(1000000000).setQueryTimestamp(5));
    SimpleStatement count = SimpleStatement.newInstance("SELECT count(*) FROM t WHERE p = 9");
    assertEquals(0, session.execute(count).one().getLong(0)); // written in 2001 for a hundred seconds
    assertEquals(1, session.execute(count.setNowInSeconds(1000000099)).one().getLong(0));
    assertEquals("local", session.execute(SimpleStatement.newInstance("SELECT key FROM local").setKeyspace("system")).one().getString(0));
    assertEquals("local", session.execute(session.prepare(SimpleStatement.newInstance("SELECT key FROM local").setKeyspace("system")).bind()).one().getString(0));
  }

  @Test
  void errors() {
    refused(SyntaxError.class, "SELEC", "line 1:0 no viable alternative at input 'SELEC' ([SELEC])");
    refused(InvalidQueryException.class, "SELECT nosuch FROM t", "Undefined column name nosuch in table " + keyspace + ".t");
    refused(InvalidQueryException.class, "SELECT * FROM nosuch.t", "keyspace nosuch does not exist");
    refused(InvalidQueryException.class, "INSERT INTO t (p) VALUES (1)", "Some clustering keys are missing: c");
    refused(InvalidConfigurationInQueryException.class, "CREATE KEYSPACE x WITH replication = {'class': 'Nosuch'}",
        "Unable to find replication strategy class 'org.apache.cassandra.locator.Nosuch'");
    refused(UnauthorizedException.class, "DROP TABLE system.local", "system keyspace is not user-modifiable.");
    refused(AlreadyExistsException.class, "CREATE TABLE t (p int PRIMARY KEY)", "Object " + keyspace + ".t already exists");
    refused(AlreadyExistsException.class, "CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "Keyspace " + keyspace + " already exists");
    AllNodesFailedException everywhere = assertThrows(AllNodesFailedException.class,
        () -> session.execute(SimpleStatement.newInstance("SELECT * FROM t").setConsistencyLevel(ConsistencyLevel.THREE)));
    UnavailableException unavailable = assertInstanceOf(UnavailableException.class, everywhere.getAllErrors().values().iterator().next().get(0));
    assertArrayEquals(new int[] {3, 1}, new int[] {unavailable.getRequired(), unavailable.getAlive()});
  }

  private void refused(Class<? extends Exception> kind, String text, String message) {
    assertEquals(message, assertThrows(kind, () -> session.execute(text)).getMessage());
  }
}
