package drivers

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/apache/cassandra-gocql-driver/v2/lz4"
	"github.com/apache/cassandra-gocql-driver/v2/snappy"
)

func TestEachVersionAndCompression(t *testing.T) {
	keyspace(t, "versions")
	long := strings.Repeat("x", 300000)
	for version := 3; version <= 5; version++ {
		for _, compressor := range []gocql.Compressor{nil, lz4.LZ4Compressor{}, snappy.SnappyCompressor{}} {
			if _, is := compressor.(snappy.SnappyCompressor); is && version == 5 {
				continue // v5 has LZ4 alone
			}
			t.Run(fmt.Sprintf("v%d with %T", version, compressor), func(t *testing.T) {
				cluster := shared.cluster()
				cluster.ProtoVersion, cluster.Compressor, cluster.Keyspace = version, compressor, "go_versions"
				session := connect(t, cluster)
				run(t, session, "CREATE TABLE IF NOT EXISTS t (p int PRIMARY KEY, v text)")
				run(t, session, "INSERT INTO t (p, v) VALUES (?, ?)", version, long)
				same(t, one[string](t, session, "SELECT v FROM t WHERE p = ?", version), long)
			})
		}
	}
}

func TestTheDriverFindsTheHost(t *testing.T) {
	session := connect(t, shared.cluster())
	hosts := session.GetHosts()
	same(t, len(hosts), 1)
	same(t, []any{hosts[0].DataCenter(), hosts[0].Rack(), hosts[0].IsUp(), hosts[0].Partitioner()},
		[]any{"datacenter1", "rack1", true, "org.apache.cassandra.dht.Murmur3Partitioner"})
	same(t, hosts[0].Version().String(), "v5.0.6")
}

func TestAKeyspaceThatIsNotThere(t *testing.T) {
	cluster := shared.cluster()
	cluster.Keyspace = "nosuch"
	if _, err := cluster.CreateSession(); err == nil {
		t.Fatal("connected")
	}
}

func TestTwoHundredInFlight(t *testing.T) {
	session := keyspace(t, "flight")
	run(t, session, "CREATE TABLE t (p int PRIMARY KEY, v text)")
	failures := make(chan error, 200)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			for n := range 10 {
				p, v := i*10+n, ""
				if err := session.Query("INSERT INTO t (p, v) VALUES (?, ?)", p, fmt.Sprint(p)).Exec(); err != nil {
					failures <- err
				} else if err := session.Query("SELECT v FROM t WHERE p = ?", p).Scan(&v); err != nil || v != fmt.Sprint(p) {
					failures <- fmt.Errorf("%d: %q, %v", p, v, err)
				}
			}
		})
	}
	all.Wait()
	close(failures)
	check(t, <-failures)
	same(t, one[int](t, session, "SELECT count(*) FROM t"), 2000)
}

func TestReconnectAfterARestart(t *testing.T) {
	folder := t.TempDir() + "/db"
	s := own(t, folder, "--port", "0")
	cluster := s.cluster()
	cluster.ReconnectionPolicy = &gocql.ConstantReconnectionPolicy{MaxRetries: 100, Interval: 50 * time.Millisecond}
	cluster.ReconnectInterval = 100 * time.Millisecond
	session := connect(t, cluster)
	run(t, session, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
	run(t, session, "CREATE TABLE k.t (p int PRIMARY KEY, v int)")
	const insert = "INSERT INTO k.t (p, v) VALUES (?, ?)"
	run(t, session, insert, 1, 2)
	check(t, s.stop())
	if session.Query(insert, 2, 3).Exec() == nil {
		t.Fatal("a server that has ended answered")
	}
	s, err := serve(folder, "--port", fmt.Sprint(s.port))
	check(t, err)
	defer func() { check(t, s.stop()) }()
	err = session.Query(insert, 3, 4).Exec() // prepared before the restart
	for n := 0; n < 100 && err != nil; n++ {
		time.Sleep(100 * time.Millisecond)
		err = session.Query(insert, 3, 4).Exec()
	}
	check(t, err)
	same(t, one[int](t, session, "SELECT v FROM k.t WHERE p = 1"), 2)
	same(t, one[int](t, session, "SELECT v FROM k.t WHERE p = 3"), 4)
}
