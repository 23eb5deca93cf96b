package drivers;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Tests of one class share a session and an empty keyspace that is called as the class is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InKeyspace {
  final String keyspace = "java_" + getClass().getSimpleName().toLowerCase();
  CqlSession session;

  @BeforeAll
  void create() throws IOException {
    try (CqlSession outside = Server.shared().connect(options -> options)) {
      outside.execute("DROP KEYSPACE IF EXISTS " + keyspace);
      outside.execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }
    session = Server.shared().builder(options -> options).withKeyspace(CqlIdentifier.fromCql(keyspace)).build();
    tables();
  }

  /** The tables of the tests. */
  void tables() {}

  @AfterAll
  void drop() {
    session.execute("DROP KEYSPACE " + keyspace);
    session.close();
  }
}
