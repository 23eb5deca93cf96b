package drivers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.IndexKind;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The schema as the driver reads it. */
class SchemaTest extends InKeyspace {
  @Override
  void tables() {
    session.execute("CREATE TYPE addr (street text, zip int)");
    session.execute("CREATE TABLE \"Mixed\" (\"P\" int, c1 timeuuid, c2 text, st text static, v list<int>, a frozen<addr>, PRIMARY KEY (\"P\", c1, c2)) "
        + "WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC) AND comment = 'it''s' AND gc_grace_seconds = 100");
    session.execute("CREATE INDEX by_st ON \"Mixed\" (st)");
    session.execute("CREATE TABLE base (p int, c int, v int, PRIMARY KEY (p, c))");
    session.execute("CREATE MATERIALIZED VIEW by_c AS SELECT * FROM base WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)");
  }

  private KeyspaceMetadata schema() {
    return session.refreshSchema().getKeyspace(keyspace).orElseThrow();
  }

  @Test
  void tableAndColumns() {
    TableMetadata table = schema().getTable(CqlIdentifier.fromInternal("Mixed")).orElseThrow();
    Map<String, String> columns = new LinkedHashMap<>();
    table.getColumns().forEach((name, column) -> columns.put(name.asInternal(), column.getType().asCql(true, true) + (column.isStatic() ? " static" : "")));
    assertEquals(Map.of("P", "int", "c1", "timeuuid", "c2", "text", "st", "text static", "v", "list<int>", "a", "frozen<" + keyspace + ".addr>"), columns);
    assertEquals(List.of("P"), table.getPartitionKey().stream().map(c -> c.getName().asInternal()).toList());
    assertEquals(List.of(ClusteringOrder.DESC, ClusteringOrder.ASC), List.copyOf(table.getClusteringColumns().values()));
    assertEquals("it's", table.getOptions().get(CqlIdentifier.fromCql("comment")));
    assertEquals(100, table.getOptions().get(CqlIdentifier.fromCql("gc_grace_seconds")));
    assertEquals(IndexKind.COMPOSITES, table.getIndex("by_st").orElseThrow().getKind());
  }

  @Test
  void whatTheDriverMakesOfItCanBeRun() {
    TableMetadata table = schema().getTable(CqlIdentifier.fromInternal("Mixed")).orElseThrow();
    session.execute(table.describe(false).replace("\"Mixed\"", "copied"));
    TableMetadata copied = schema().getTable("copied").orElseThrow();
    assertEquals(table.getColumns().keySet(), copied.getColumns().keySet());
    assertEquals(table.getOptions(), copied.getOptions().entrySet().stream().collect(java.util.stream.Collectors.toMap(Map.Entry::getKey,
        entry -> entry.getKey().asInternal().equals("id") ? table.getOptions().get(entry.getKey()) : entry.getValue())));
    session.execute("DROP TABLE copied");
  }

  @Test
  void typesAndViews() {
    KeyspaceMetadata read = schema();
    assertEquals("[street, zip]", read.getUserDefinedType("addr").orElseThrow().getFieldNames().toString());
    assertEquals("base", read.getView("by_c").orElseThrow().getBaseTable().asInternal());
    assertEquals(Map.of("class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "1"), read.getReplication());
    assertTrue(read.isDurableWrites() && !read.isVirtual());
    assertTrue(session.getMetadata().getKeyspace("system_views").isEmpty() || session.getMetadata().getKeyspace("system_views").get().isVirtual());
  }

  @Test
  void aSchemaChangeIsInTheMetadataWhenTheStatementIsDone() {
    session.execute("CREATE TABLE seen (p int PRIMARY KEY, v int)");
    assertEquals(2, session.getMetadata().getKeyspace(keyspace).orElseThrow().getTable("seen").orElseThrow().getColumns().size());
    session.execute("ALTER TABLE seen ADD w text");
    assertEquals(3, session.getMetadata().getKeyspace(keyspace).orElseThrow().getTable("seen").orElseThrow().getColumns().size());
    session.execute("DROP TABLE seen");
    assertFalse(session.getMetadata().getKeyspace(keyspace).orElseThrow().getTable("seen").isPresent());
    assertTrue(session.checkSchemaAgreement());
  }

  @Test
  void aPreparedStatementTellsItsColumns() {
    PreparedStatement select = session.prepare("SELECT st, v FROM \"Mixed\" WHERE c2 = ? AND c1 = ? AND \"P\" = :key");
    assertEquals(List.of(2), select.getPartitionKeyIndices());
    assertEquals(List.of("c2", "c1", "key"), columns(select.getVariableDefinitions()));
    assertEquals(List.of("st", "v"), columns(select.getResultSetDefinitions()));
    session.execute("CREATE TABLE changing (p int PRIMARY KEY, v int, w int)");
    PreparedStatement all = session.prepare("SELECT * FROM changing WHERE p = 1");
    session.execute("ALTER TABLE changing DROP w");
    assertEquals(List.of("p", "v"), columns(session.execute(all.bind()).getColumnDefinitions()));
  }

  private static List<String> columns(com.datastax.oss.driver.api.core.cql.ColumnDefinitions definitions) {
    List<String> names = new java.util.ArrayList<>();
    definitions.forEach(definition -> names.add(definition.getName().asInternal()));
    return names;
  }
}
