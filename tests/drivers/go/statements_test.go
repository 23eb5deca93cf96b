package drivers

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

const insertT = "INSERT INTO t (p, c, v) VALUES (?, ?, ?)"

// tables makes a keyspace with a table and one of counters.
func tables(t *testing.T, name string) *gocql.Session {
	session := keyspace(t, name)
	run(t, session, "CREATE TABLE t (p int, c int, v text, PRIMARY KEY (p, c))")
	run(t, session, "CREATE TABLE n (p int PRIMARY KEY, n counter)")
	return session
}

func TestPreparedAndNamed(t *testing.T) {
	session := tables(t, "prepared")
	run(t, session, insertT, 1, 1, "one")
	run(t, session, insertT, 1, 2, nil)
	run(t, session, insertT, 1, 1, gocql.UnsetValue) // leaves what is there
	same(t, one[*string](t, session, "SELECT v FROM t WHERE p = 1 AND c = 2") == nil, true)
	same(t, one[string](t, session, "SELECT v FROM t WHERE p = :key AND c = :c", gocql.NamedValue("c", 1), gocql.NamedValue("key", 1)), "one")
	if err := session.Query(insertT, 1, 2).Exec(); err == nil {
		t.Fatal("two values for three markers")
	}
	run(t, session, "ALTER TABLE t ADD w int")
	run(t, session, insertT, 1, 3, "after")
	same(t, one[int](t, session, "SELECT count(*) FROM t WHERE p = 1"), 3)
}

func TestPaging(t *testing.T) {
	session := tables(t, "paging")
	for c := range 500 {
		run(t, session, insertT, 1, c, fmt.Sprint(c))
	}
	iter := session.Query("SELECT c FROM t WHERE p = ?", 1).PageSize(64).Iter()
	same(t, iter.NumRows(), 64)
	c, seen := 0, 0
	for iter.Scan(&c) {
		same(t, c, seen)
		seen++
	}
	check(t, iter.Close())
	same(t, seen, 500)
	first := session.Query("SELECT c FROM t WHERE p = ?", 1).PageSize(10).PageState(nil).Iter()
	second := session.Query("SELECT c FROM t WHERE p = ?", 1).PageSize(10).PageState(first.PageState()).Iter()
	same(t, second.Scan(&c), true)
	same(t, c, 10)
	check(t, errors.Join(first.Close(), second.Close()))
}

func TestBatches(t *testing.T) {
	session := tables(t, "batches")
	for _, kind := range []gocql.BatchType{gocql.LoggedBatch, gocql.UnloggedBatch} {
		batch := session.Batch(kind)
		for c := range 50 {
			batch.Query(insertT, int(kind), c, "b")
		}
		batch.Query("DELETE FROM t WHERE p = 99")
		check(t, batch.Exec())
		same(t, one[int](t, session, "SELECT count(*) FROM t WHERE p = ?", int(kind)), 50)
	}
	counters := session.Batch(gocql.CounterBatch)
	for range 3 {
		counters.Query("UPDATE n SET n = n + ? WHERE p = ?", int64(5), 1)
	}
	check(t, counters.Exec())
	same(t, one[int64](t, session, "SELECT n FROM n WHERE p = 1"), int64(15))
	err := session.Batch(gocql.LoggedBatch).Query("UPDATE n SET n = n + 1 WHERE p = 1").Exec()
	refused(t, err, gocql.ErrCodeInvalid, "Cannot include a counter statement in a logged batch")
	stamped := session.Batch(gocql.LoggedBatch).WithTimestamp(7).Query(insertT, 3, 1, "stamped")
	check(t, stamped.Exec())
	same(t, one[int64](t, session, "SELECT writetime(v) FROM t WHERE p = 3"), int64(7))
}

func TestLightweightTransactions(t *testing.T) {
	session := tables(t, "lwt")
	found := map[string]any{}
	applied, err := session.Query(insertT+" IF NOT EXISTS", 1, 1, "first").MapScanCAS(found)
	check(t, err)
	same(t, []any{applied, len(found)}, []any{true, 0})
	applied, err = session.Query(insertT+" IF NOT EXISTS", 1, 1, "second").SerialConsistency(gocql.LocalSerial).MapScanCAS(found)
	check(t, err)
	same(t, []any{applied, found}, []any{false, map[string]any{"p": 1, "c": 1, "v": "first"}})
	var before string
	applied, err = session.Query("UPDATE t SET v = ? WHERE p = 1 AND c = 1 IF v = ?", "third", "nosuch").ScanCAS(&before)
	check(t, err)
	same(t, []any{applied, before}, []any{false, "first"})
	batch := session.Batch(gocql.LoggedBatch).Query(insertT+" IF NOT EXISTS", 2, 1, "a").Query(insertT, 2, 2, "b")
	for _, wanted := range []bool{true, false} {
		applied, iter, err := batch.MapExecCAS(map[string]any{})
		check(t, err)
		check(t, iter.Close())
		same(t, applied, wanted)
	}
}

func TestTracingAndWarnings(t *testing.T) {
	session := tables(t, "tracing")
	var out bytes.Buffer
	check(t, session.Query("SELECT * FROM t WHERE p = 1").Trace(gocql.NewTraceWriter(session, &out)).Exec())
	if text := out.String(); !strings.Contains(text, "coordinator: 127.0.0.1") || !strings.Contains(text, "Read 0 live rows and 0 tombstone cells") {
		t.Fatal(text)
	}
	iter := session.Query("SELECT count(*) FROM t").Iter()
	same(t, iter.Warnings(), []string{"Aggregation query used without partition key"})
	check(t, iter.Close())
}

func TestWhatARequestSays(t *testing.T) {
	session := tables(t, "requests")
	cluster := shared.cluster()
	cluster.ProtoVersion = 5
	fifth := connect(t, cluster)
	check(t, fifth.Query("INSERT INTO t (p, c, v) VALUES (1, 1, 'x') USING TTL 100").SetKeyspace("go_requests").WithNowInSeconds(1000000000).WithTimestamp(5).Exec())
	count := 0 // written in 2001 for a hundred seconds
	check(t, session.Query("SELECT count(*) FROM t WHERE p = 1").Scan(&count))
	same(t, count, 0)
	check(t, fifth.Query("SELECT count(*) FROM t WHERE p = 1").SetKeyspace("go_requests").WithNowInSeconds(1000000099).Scan(&count))
	same(t, count, 1)
	check(t, session.Query("SELECT count(*) FROM t WHERE p = 1").CustomPayload(map[string][]byte{"k": []byte("v")}).Scan(&count))
}

// refused checks the code of an error and a part of its text.
func refused(t *testing.T, err error, code int, part string) {
	t.Helper()
	var request gocql.RequestError
	if !errors.As(err, &request) || request.Code() != code || !strings.Contains(request.Message(), part) {
		t.Fatalf("%v (%T), wanted 0x%04x: %s", err, err, code, part)
	}
}

func TestErrors(t *testing.T) {
	session := tables(t, "errors")
	for _, wrong := range []struct {
		text string
		code int
		part string
	}{
		{"SELEC", gocql.ErrCodeSyntax, "no viable alternative at input 'SELEC'"},
		{"SELECT nosuch FROM t", gocql.ErrCodeInvalid, "Undefined column name nosuch in table go_errors.t"},
		{"SELECT * FROM nosuch.t", gocql.ErrCodeInvalid, "keyspace nosuch does not exist"},
		{"INSERT INTO t (p) VALUES (1)", gocql.ErrCodeInvalid, "Some clustering keys are missing: c"},
		{"SELECT * FROM t WHERE v = 'x'", gocql.ErrCodeInvalid, "ALLOW FILTERING"},
		{"CREATE KEYSPACE x WITH replication = {'class': 'Nosuch'}", gocql.ErrCodeConfig, "Unable to find replication strategy class"},
		{"DROP TABLE system.local", gocql.ErrCodeUnauthorized, "system keyspace is not user-modifiable"},
	} {
		refused(t, session.Query(wrong.text).Exec(), wrong.code, wrong.part)
	}
	var exists *gocql.RequestErrAlreadyExists
	if err := session.Query("CREATE TABLE t (p int PRIMARY KEY)").Exec(); !errors.As(err, &exists) || exists.Keyspace != "go_errors" || exists.Table != "t" {
		t.Fatal(err)
	}
	var unavailable *gocql.RequestErrUnavailable
	err := session.Query("SELECT * FROM t").Consistency(gocql.Three).Exec()
	if !errors.As(err, &unavailable) || unavailable.Required != 3 || unavailable.Alive != 1 || unavailable.Consistency != gocql.Three {
		t.Fatal(err)
	}
}
