package drivers

import (
	"os"
	"os/exec"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

func TestNamesAndPasswords(t *testing.T) {
	s := own(t, "--auth", "--port", "0")
	defer func() { check(t, s.stop()) }()
	for version := 3; version <= 5; version++ {
		cluster := s.cluster()
		cluster.ProtoVersion = version
		cluster.Authenticator = gocql.PasswordAuthenticator{Username: "cassandra", Password: "cassandra"}
		same(t, one[string](t, connect(t, cluster), "SELECT key FROM system.local"), "local")
		for _, wrong := range []gocql.Authenticator{nil, gocql.PasswordAuthenticator{Username: "cassandra", Password: "wrong"},
			gocql.PasswordAuthenticator{Username: "nobody", Password: "cassandra"}} {
			cluster.Authenticator = wrong
			if _, err := cluster.CreateSession(); err == nil {
				t.Fatalf("v%d: %v was let in", version, wrong)
			}
		}
	}
}

func TestTLS(t *testing.T) {
	skipAgainst(t)
	folder := t.TempDir()
	make := exec.Command(os.Getenv("CERTIFICATES"), folder)
	make.Stderr = os.Stderr
	check(t, make.Run())
	s := own(t, "--port", "0", "--tls-cert", folder+"/server.pem", "--tls-key", folder+"/server.key", "--tls-client-ca", folder+"/ca.pem")
	defer func() { check(t, s.stop()) }()
	connecting := func(options *gocql.SslOptions) *gocql.ClusterConfig {
		cluster := s.cluster()
		cluster.SslOpts, cluster.ConnectTimeout, cluster.Timeout = options, 2*time.Second, 2*time.Second
		return cluster
	}
	whole := &gocql.SslOptions{CaPath: folder + "/ca.pem", CertPath: folder + "/client.pem", KeyPath: folder + "/client.key", EnableHostVerification: true}
	same(t, one[bool](t, connect(t, connecting(whole)), "SELECT ssl_enabled FROM system_views.clients LIMIT 1"), true)
	for name, options := range map[string]*gocql.SslOptions{"no TLS": nil, "no certificate": {CaPath: folder + "/ca.pem", EnableHostVerification: true}} {
		if _, err := connecting(options).CreateSession(); err == nil {
			t.Fatalf("with %s it was let in", name)
		}
	}
}
