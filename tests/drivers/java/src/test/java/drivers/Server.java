package drivers;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/** {@code wr serve} as a process, or the Cassandra that AGAINST names (HOST:PORT). */
final class Server {
  private static final String AGAINST = System.getenv().getOrDefault("AGAINST", "");
  private static Server shared;

  final int port;
  private final Process process;

  private Server(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  /** What all tests ask that need none of their own; it ends with the tests. */
  static synchronized Server shared() throws IOException {
    if (shared == null) {
      shared = AGAINST.isEmpty() ? start("--port", "0") : new Server(Integer.parseInt(AGAINST.substring(AGAINST.lastIndexOf(':') + 1)), null);
    }
    return shared;
  }

  /** One for a test alone, which skips where a Cassandra is asked. */
  static Server own(String... arguments) throws IOException {
    skipAgainst();
    return start(arguments);
  }

  static void skipAgainst() {
    Assumptions.assumeTrue(AGAINST.isEmpty(), "needs a server of its own");
  }

  private static Server start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(System.getenv("WR"), "serve", "--until-stdin-ends")); // so it ends with this process
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
    Matcher listening = Pattern.compile("listening on .*:(\\d+)").matcher(String.valueOf(line));
    if (!listening.matches()) throw new IOException("the server said " + line);
    return new Server(Integer.parseInt(listening.group(1)), process);
  }

  /** Ends it as Ctrl-C does; its status. */
  int stop() throws InterruptedException {
    process.destroy();
    return process.waitFor();
  }

  CqlSessionBuilder builder(UnaryOperator<ProgrammaticDriverConfigLoaderBuilder> options) {
    ProgrammaticDriverConfigLoaderBuilder config =
        DriverConfigLoader.programmaticBuilder()
            .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
            .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(20))
            .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofSeconds(20))
            .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, Duration.ofSeconds(20))
            .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(1)) // or each change of the schema takes a second
            .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0) // or each end of a session takes two
            .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0);
    return CqlSession.builder()
        .addContactPoint(new InetSocketAddress("127.0.0.1", port))
        .withLocalDatacenter("datacenter1")
        .withConfigLoader(options.apply(config).build());
  }

  CqlSession connect(UnaryOperator<ProgrammaticDriverConfigLoaderBuilder> options) {
    return builder(options).build();
  }
}
