package drivers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.MappedAsyncPagingIterable;
import com.datastax.oss.driver.api.core.PagingIterable;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The object mapper: what the annotation processor makes of Mapping.java. */
class MapperTest extends InKeyspace {
  private Mapping.Readings readings;

  @Override
  void tables() {
    session.execute("CREATE TYPE place (room text, floor int)");
    session.execute("CREATE TABLE reading (sensor int, at int, value double, tags set<text>, place frozen<place>, PRIMARY KEY (sensor, at))");
    session.execute("CREATE TABLE hits (name text PRIMARY KEY, n counter)");
    readings = new Mapping_StartBuilder(session).build().readings(CqlIdentifier.fromCql(keyspace)); // which checks the entities against the schema
  }

  private static Mapping.Reading reading(int sensor, int at, double value) {
    return new Mapping.Reading(sensor, at, value, Set.of("x", "y"), new Mapping.Place("lab", 2));
  }

  @Test
  void saveFindUpdateDelete() {
    readings.save(reading(1, 1, 0.5));
    assertEquals(reading(1, 1, 0.5), readings.find(1, 1));
    assertTrue(readings.update(new Mapping.Reading(1, 1, 0.75, null, null))); // nulls are not set
    assertEquals(reading(1, 1, 0.75), readings.find(1, 1));
    readings.delete(reading(1, 1, 0));
    assertNull(readings.find(1, 1));
    assertFalse(readings.update(reading(1, 1, 0))); // IF EXISTS
  }

  @Test
  void conditions() {
    assertNull(readings.saveNew(reading(2, 1, 1)));
    assertEquals(reading(2, 1, 1), readings.saveNew(reading(2, 1, 2)));
  }

  @Test
  void pagesAndQueries() {
    BatchStatement batch = BatchStatement.newInstance(BatchType.UNLOGGED);
    for (int at = 0; at < 100; at++) batch = batch.add(readings.saving(reading(3, at, at)));
    session.execute(batch);
    PagingIterable<Mapping.Reading> all = readings.of(3);
    assertEquals(4950.0, StreamSupport.stream(all.spliterator(), false).mapToDouble(Mapping.Reading::value).sum());
    assertEquals(10, readings.countBetween(3, 10, 20));
    CompletionStage<MappedAsyncPagingIterable<Mapping.Reading>> later = readings.ofLater(3);
    assertEquals(0, later.toCompletableFuture().join().one().at());
  }

  @Test
  void counters() {
    readings.hit("a", 2);
    readings.hit("a", 3);
    assertEquals(5, session.execute("SELECT n FROM hits WHERE name = 'a'").one().getLong(0));
  }
}
