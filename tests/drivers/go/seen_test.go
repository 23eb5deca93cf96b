package drivers

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// What the driver makes of a server, object by object: seen.txt is what it made of a Cassandra 5.0.6.
//
//	GO_RECORD=1 tests/drivers/go/run BUILD --against HOST:PORT     writes it; without GO_RECORD all is compared with it
const (
	schemaFile   = "../seen.cql"
	recordedFile = "seen.txt"
)

// statements are those of the schema that all languages are shown, in a keyspace of that name.
func statements(t *testing.T, keyspace string) []string {
	text, err := os.ReadFile(schemaFile)
	check(t, err)
	named := regexp.MustCompile(`\bseen\b`).ReplaceAllString(string(text), keyspace)
	return strings.Split(strings.TrimSpace(named), ";\n")
}

// A view gathers what is seen.
type view struct {
	out strings.Builder
}

// Names of fields that differ from server to server or run to run, or are the driver's own.
var passedOver = []string{"stream", "host", "traceID", "registry", "BaseTableId", "Id"}

func (v *view) line(depth int, name, text string) {
	fmt.Fprintf(&v.out, "%s%s: %s\n", strings.Repeat(" ", depth), name, text)
}

// see writes a value down, its unexported parts too.
func (v *view) see(depth int, name string, value reflect.Value) {
	for value.IsValid() && (value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface) {
		if number, ok := asBig(value); ok {
			v.line(depth, name, number)
			return
		}
		value = value.Elem()
	}
	if !value.IsValid() {
		v.line(depth, name, "nil")
		return
	}
	if own := reflect.TypeFor[gocql.Session]().PkgPath(); value.CanInterface() && (value.Kind() != reflect.Struct || value.Type().PkgPath() != own) {
		if text, ok := value.Interface().(fmt.Stringer); ok {
			v.line(depth, name, fmt.Sprintf("%s %s", value.Type(), text))
			return
		}
	}
	switch value.Kind() {
	case reflect.Struct:
		v.line(depth, name, value.Type().String())
		for i := range value.NumField() {
			if field := value.Type().Field(i).Name; !slices.Contains(passedOver, field) {
				v.see(depth+1, field, value.Field(i))
			}
		}
	case reflect.Map:
		v.line(depth, name, value.Type().String())
		keys := value.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			v.see(depth+1, fmt.Sprintf("[%v]", key), value.MapIndex(key))
		}
	case reflect.Slice, reflect.Array:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			v.line(depth, name, fmt.Sprintf("%s %x", value.Type(), value))
			return
		}
		v.line(depth, name, value.Type().String())
		for i := range value.Len() {
			v.see(depth+1, fmt.Sprintf("[%d]", i), value.Index(i))
		}
	case reflect.Func, reflect.Chan:
	case reflect.String:
		v.line(depth, name, fmt.Sprintf("%q", value))
	default:
		v.line(depth, name, fmt.Sprintf("%s %v", value.Type(), value))
	}
}

func asBig(value reflect.Value) (string, bool) {
	if !value.CanInterface() || value.Type() != reflect.TypeFor[*big.Int]() || value.IsNil() {
		return "", false
	}
	return value.Interface().(*big.Int).String(), true
}

func (v *view) add(name string, value any) {
	v.see(0, name, reflect.ValueOf(value))
}

var questions = []string{
	"SELECT * FROM types", "SELECT * FROM indexed", "SELECT count(*), max(c), writetime(st), ttl(l) FROM types", "SELECT token(p, q), u.b, fu.v, s['a'], m['k'] FROM types",
	"SELECT JSON p, l FROM types", "SELECT (int) 1 AS one, (text) 'x', (list<int>) [1, 2], (map<int, text>) {1: 'a'}, (tuple<int, text>) (3, 'b') FROM types",
	"UPDATE options SET v = 'x' WHERE p = 1 IF v = 'z'", "INSERT INTO options (p, v) VALUES (1, 'x') IF NOT EXISTS", "DESCRIBE TYPES",
	"SELECT * FROM system.size_estimates WHERE keyspace_name = 'nosuch'", "SELECT * FROM system_schema.tables WHERE keyspace_name = 'nosuch'",
}

var mistakes = []string{
	"SELECT * FROM nosuch", "SELECT * FROM nosuch.t", "SELECT nosuch FROM types", "SELEC", "SELECT * FROM types WHERE l = [1]", "CREATE TABLE types (p int PRIMARY KEY)",
	"CREATE KEYSPACE go_seen WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}", "CREATE TYPE inner (a int)", "UPDATE counts SET n = 1 WHERE p = 1",
	"CREATE KEYSPACE bad WITH replication = {'class': 'Nosuch'}", "DROP INDEX nosuch", "INSERT INTO options (p) VALUES ('x')", "LIST ROLES",
}

func (v *view) addResult(name string, iter *gocql.Iter) {
	v.add(name+": columns", iter.Columns())
	v.add(name+": warnings", iter.Warnings())
	v.add(name+": payload", iter.GetCustomPayload())
	v.add(name+": rows", iter.NumRows())
	v.add(name+": has more", len(iter.PageState()) > 0)
	v.add(name+": error", iter.Close())
}

func TestWhatTheDriverSees(t *testing.T) {
	outside := connect(t, shared.cluster())
	run(t, outside, "DROP KEYSPACE IF EXISTS go_seen")
	for _, statement := range statements(t, "go_seen") {
		run(t, outside, statement)
	}
	t.Cleanup(func() { run(t, outside, "DROP KEYSPACE go_seen") })
	cluster := shared.cluster()
	cluster.Keyspace = "go_seen"
	session := connect(t, cluster)
	seen := &view{}
	metadata, err := session.KeyspaceMetadata("go_seen")
	check(t, err)
	seen.add("keyspace", metadata)
	for _, question := range questions {
		seen.addResult(question, session.Query(question).Iter())
		if strings.HasPrefix(question, "DESCRIBE") {
			continue
		}
		prepared, err := session.StatementMetadata(t.Context(), question, "go_seen")
		check(t, err)
		seen.add("prepared: "+question, prepared)
	}
	prepared, err := session.StatementMetadata(t.Context(), "SELECT * FROM types WHERE q = ? AND p = ? AND c > ? LIMIT ?", "go_seen")
	check(t, err)
	seen.add("prepared with markers", prepared)
	row := map[string]any{}
	check(t, session.Query("SELECT a, b, bo, c, d, da, de, dou, f, fl, i, l, m, p, q, s, si, st, ti, tm, tu, vc, vi FROM types").MapScan(row))
	seen.add("a row", row)
	for _, mistake := range mistakes {
		var failed gocql.RequestError
		err := session.Query(mistake).Exec()
		if !errors.As(err, &failed) {
			t.Fatalf("%s: %v", mistake, err)
		}
		seen.add(mistake, failed)
	}
	for _, level := range []gocql.Consistency{gocql.Three, gocql.EachQuorum, gocql.LocalOne} {
		seen.add("at "+level.String(), session.Query("SELECT * FROM options").Consistency(level).Exec())
	}
	compare(t, seen.out.String())
}

// compare holds what was seen against what is recorded, or records it.
func compare(t *testing.T, seen string) {
	if os.Getenv("GO_RECORD") != "" {
		check(t, os.WriteFile(recordedFile, []byte(seen), 0o644))
		return
	}
	recorded, err := os.ReadFile(recordedFile)
	check(t, err)
	is, was := strings.Split(seen, "\n"), strings.Split(string(recorded), "\n")
	for i := range min(len(is), len(was)) {
		if is[i] != was[i] {
			t.Fatalf("line %d is\n%s\nand was\n%s", i+1, is[i], was[i])
		}
	}
	same(t, len(is), len(was))
}
