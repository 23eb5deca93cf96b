package drivers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names and passwords, TLS and certificates of clients. */
class SecurityTest {
  @Test
  void namesAndPasswords() throws Exception {
    Server server = Server.own("--auth", "--port", "0");
    for (String version : new String[] {"V3", "V4", "V5"}) {
      CqlSessionBuilder builder = server.builder(options -> options.withString(DefaultDriverOption.PROTOCOL_VERSION, version));
      try (CqlSession session = builder.withAuthCredentials("cassandra", "cassandra").build()) {
        assertEquals("local", session.execute("SELECT key FROM system.local").one().getString(0));
      }
      refused(builder.withAuthCredentials("cassandra", "wrong"), "Provided username cassandra and/or password are incorrect");
      refused(builder.withAuthCredentials("nobody", "cassandra"), "Provided username nobody and/or password are incorrect");
      refused(server.builder(options -> options.withString(DefaultDriverOption.PROTOCOL_VERSION, version)), "requires authentication");
    }
    assertEquals(0, server.stop());
  }

  private static void refused(CqlSessionBuilder builder, String part) {
    AllNodesFailedException failed = assertThrows(AllNodesFailedException.class, () -> builder.build().close());
    Throwable reason = failed.getAllErrors().values().iterator().next().get(0);
    assertInstanceOf(AuthenticationException.class, reason);
    assertTrue(reason.getMessage().contains(part), reason.getMessage());
  }

  @Test
  void tls(@TempDir Path folder) throws Exception {
    Server.skipAgainst();
    Process certificates = new ProcessBuilder(System.getenv("CERTIFICATES"), folder.toString()).inheritIO().start();
    assertEquals(0, certificates.waitFor());
    Server server = Server.own("--port", "0", "--tls-cert", folder.resolve("server.pem").toString(), "--tls-key", folder.resolve("server.key").toString(),
        "--tls-client-ca", folder.resolve("ca.pem").toString());
    try (CqlSession session = connecting(server).withSslContext(context(folder, true)).build()) {
      assertTrue(session.execute("SELECT ssl_enabled FROM system_views.clients LIMIT 1").one().getBoolean(0));
    }
    assertThrows(AllNodesFailedException.class, () -> connecting(server).build().close());
    assertThrows(AllNodesFailedException.class, () -> connecting(server).withSslContext(context(folder, false)).build().close());
    assertEquals(0, server.stop());
  }

  private static CqlSessionBuilder connecting(Server server) {
    return server.builder(options -> options.withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(2)));
  }

  /** That trusts the authority of the folder, and may show the client's certificate. */
  private static SSLContext context(Path folder, boolean showing) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", certificate(folder.resolve("ca.pem")));
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyStore own = KeyStore.getInstance(KeyStore.getDefaultType());
    own.load(null, null);
    if (showing) {
      byte[] key = Base64.getMimeDecoder().decode(Files.readString(folder.resolve("client.key")).replaceAll("-----.*-----", ""));
      own.setKeyEntry("client", KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(key)), new char[0],
          new Certificate[] {certificate(folder.resolve("client.pem"))});
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, new char[0]);
    SSLContext made = SSLContext.getInstance("TLS");
    made.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return made;
  }

  private static Certificate certificate(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }
}
