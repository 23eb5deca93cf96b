// Package drivers: gocql against `wr serve`, or against the Cassandra that AGAINST names (HOST:PORT).
package drivers

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// A server is `wr serve` as a process, or the Cassandra that is there already.
type server struct {
	port    int
	process *exec.Cmd
}

var shared *server // what all tests ask that need none of their own

func TestMain(m *testing.M) {
	var err error
	if against := os.Getenv("AGAINST"); against != "" {
		var port int
		port, err = strconv.Atoi(against[strings.LastIndex(against, ":")+1:])
		shared = &server{port: port}
	} else {
		shared, err = serve("--port", "0")
	}
	if err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	if err := shared.stop(); err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

func serve(arguments ...string) (*server, error) {
	process := exec.Command(os.Getenv("WR"), append([]string{"serve", "--until-stdin-ends"}, arguments...)...)
	process.Stderr = os.Stderr
	if _, err := process.StdinPipe(); err != nil { // held while this process is
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && err != io.EOF {
		return nil, err
	}
	match := regexp.MustCompile(`^listening on .*:(\d+)\n$`).FindStringSubmatch(line)
	if match == nil {
		return nil, fmt.Errorf("the server said %q", line)
	}
	port, err := strconv.Atoi(match[1])
	return &server{port, process}, err
}

func (s *server) stop() error {
	if s.process == nil {
		return nil
	}
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.process.Wait()
}

// skipAgainst ends a test that starts a server where a Cassandra is asked.
func skipAgainst(t *testing.T) {
	t.Helper()
	if os.Getenv("AGAINST") != "" {
		t.Skip("needs a server of its own")
	}
}

// own starts a server for one test.
func own(t *testing.T, arguments ...string) *server {
	t.Helper()
	skipAgainst(t)
	s, err := serve(arguments...)
	check(t, err)
	return s
}

// cluster tells how to connect.
func (s *server) cluster() *gocql.ClusterConfig {
	cluster := gocql.NewCluster("127.0.0.1")
	cluster.Port = s.port
	cluster.Timeout = 20 * time.Second
	cluster.ConnectTimeout = 20 * time.Second
	cluster.Logger = gocql.NewLogger(gocql.LogLevelNone)
	return cluster
}

func connect(t *testing.T, cluster *gocql.ClusterConfig) *gocql.Session {
	t.Helper()
	session, err := cluster.CreateSession()
	check(t, err)
	t.Cleanup(session.Close)
	return session
}

// keyspace makes an empty one for a test, and connects to it.
func keyspace(t *testing.T, name string) *gocql.Session {
	t.Helper()
	name = "go_" + name
	outside := connect(t, shared.cluster())
	run(t, outside, "DROP KEYSPACE IF EXISTS "+name)
	run(t, outside, "CREATE KEYSPACE "+name+" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
	t.Cleanup(func() { run(t, outside, "DROP KEYSPACE "+name) })
	cluster := shared.cluster()
	cluster.Keyspace = name
	return connect(t, cluster)
}

func run(t *testing.T, session *gocql.Session, text string, values ...any) {
	t.Helper()
	if err := session.Query(text, values...).Exec(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// one reads a single value.
func one[T any](t *testing.T, session *gocql.Session, text string, values ...any) (value T) {
	t.Helper()
	if err := session.Query(text, values...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, got, wanted any) {
	t.Helper()
	if g, w := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", wanted); g != w {
		t.Fatalf("got    %s\nwanted %s", g, w)
	}
}
