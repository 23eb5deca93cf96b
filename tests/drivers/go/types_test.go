package drivers

import (
	"fmt"
	"math"
	"math/big"
	"net"
	"reflect"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"gopkg.in/inf.v0"
)

var timeUUID, _ = gocql.ParseUUID("f47ac10b-58cc-11ee-8c99-0242ac120002")

type address struct {
	Street string `cql:"street"`
	Zip    *int   `cql:"zip"`
}

// Values of each type; what is read goes into a variable of the same Go type.
var there = []struct {
	kind   string
	values []any
}{
	{"ascii", []any{"a", ""}},
	{"text", []any{"grün \U0001f600", ""}},
	{"bigint", []any{int64(0), int64(math.MinInt64), int64(math.MaxInt64)}},
	{"int", []any{0, math.MinInt32, math.MaxInt32}},
	{"smallint", []any{int16(math.MinInt16), int16(math.MaxInt16)}},
	{"tinyint", []any{int8(-128), int8(127)}},
	{"varint", []any{new(big.Int), big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 200), big.NewInt(128)}},
	{"decimal", []any{inf.NewDec(150, 2), inf.NewDec(-1, -10)}},
	{"blob", []any{[]byte{}, []byte{0, 255}}},
	{"boolean", []any{true, false}},
	{"double", []any{0.1, -1e300, math.Inf(1)}},
	{"float", []any{float32(0.5), float32(-2)}},
	{"inet", []any{net.ParseIP("127.0.0.1").To4(), net.ParseIP("::1")}},
	{"timestamp", []any{time.UnixMilli(1709210096789).UTC(), time.UnixMilli(-1).UTC()}},
	{"date", []any{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(1583, 1, 1, 0, 0, 0, 0, time.UTC)}},
	{"time", []any{time.Duration(0), time.Duration(86399999999999)}},
	{"duration", []any{gocql.Duration{Months: 1, Days: 2, Nanoseconds: 3}, gocql.Duration{Months: -1, Days: -2, Nanoseconds: -3}}},
	{"uuid", []any{timeUUID}},
	{"timeuuid", []any{timeUUID}},
	{"list<int>", []any{[]int{3, 1, 2}}},
	{"set<text>", []any{[]string{"a", "b"}}},
	{"map<text, int>", []any{map[string]int{"a": 1, "b": 2}}},
	{"frozen<list<frozen<map<int, text>>>>", []any{[]map[int]string{{1: "a"}, {}}, []map[int]string{}}},
	{"frozen<addr>", []any{address{"Main", ptr(5)}, address{"Side", nil}}},
	{"addr", []any{address{"Main", ptr(5)}}},
	{"list<frozen<addr>>", []any{[]address{{"", ptr(0)}}}},
	{"vector<float, 3>", []any{[]float32{1, 2, 3}}},
	{"vector<text, 2>", []any{[]string{"a", ""}}},
}

func ptr[T any](value T) *T { return &value }

func TestEachTypeThereAndBack(t *testing.T) {
	session := keyspace(t, "types")
	run(t, session, "CREATE TYPE addr (street text, zip int)")
	for version := 3; version <= 5; version++ {
		cluster := shared.cluster()
		cluster.ProtoVersion, cluster.Keyspace = version, "go_types"
		speaker := connect(t, cluster)
		for number, column := range there {
			t.Run(fmt.Sprintf("v%d %s", version, column.kind), func(t *testing.T) {
				table := fmt.Sprintf("t%d_%d", version, number)
				run(t, session, "CREATE TABLE "+table+" (p int PRIMARY KEY, v "+column.kind+")")
				insert, read := "INSERT INTO "+table+" (p, v) VALUES (?, ?)", "SELECT v FROM "+table+" WHERE p = ?"
				for p, value := range column.values {
					run(t, speaker, insert, p, value)
					got := reflect.New(reflect.TypeOf(value))
					check(t, speaker.Query(read, p).Scan(got.Interface()))
					if g, w := fmt.Sprintf("%+v", got.Elem()), fmt.Sprintf("%+v", value); g != w && !reflect.DeepEqual(got.Elem().Interface(), value) {
						t.Errorf("got %s, wanted %s", g, w)
					}
				}
				run(t, speaker, "INSERT INTO "+table+" (p, v) VALUES (99, null)") // to a UDT the driver gives no nil
				got := reflect.New(reflect.PointerTo(reflect.TypeOf(column.values[0])))
				check(t, speaker.Query(read, 99).Scan(got.Interface()))
				same(t, got.Elem().IsNil(), true)
			})
		}
	}
}

func TestTuples(t *testing.T) {
	session := keyspace(t, "tuples")
	run(t, session, "CREATE TABLE t (p int PRIMARY KEY, v tuple<int, text, double>)")
	run(t, session, "INSERT INTO t (p, v) VALUES (1, (5, null, 0.5))") // the driver reads each element into a variable, and binds none of them
	var number int
	var text *string
	var fraction float64
	check(t, session.Query("SELECT v FROM t WHERE p = 1").Scan(&number, &text, &fraction))
	same(t, []any{number, text == nil, fraction}, []any{5, true, 0.5})
}

func TestEmptyValues(t *testing.T) {
	session := keyspace(t, "empties")
	run(t, session, "CREATE TABLE t (p int PRIMARY KEY, i int, s text, b blob, l list<int>)")
	run(t, session, "INSERT INTO t (p, i, s, b, l) VALUES (1, blob_as_int(0x), '', 0x, [])")
	var i *[]byte
	var s *string
	var b *[]byte
	var l *[]int
	check(t, session.Query("SELECT int_as_blob(i), s, b, l FROM t WHERE p = 1").Scan(&i, &s, &b, &l))
	same(t, []any{i != nil && len(*i) == 0, *s, len(*b), l == nil}, []any{true, "", 0, true})
}
