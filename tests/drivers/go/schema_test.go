package drivers

import (
	"fmt"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

func TestMetadataIsWhatWasCreated(t *testing.T) {
	session := keyspace(t, "schema")
	run(t, session, "CREATE TYPE addr (street text, zip int)")
	run(t, session, `CREATE TABLE "Mixed" ("P" int, c1 timeuuid, c2 text, st text static, v list<int>, a frozen<addr>, m map<text, frozen<set<int>>>, `+
		`PRIMARY KEY ("P", c1, c2)) WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC)`)
	run(t, session, `CREATE INDEX by_st ON "Mixed" (st)`)
	run(t, session, "CREATE TABLE base (p int, c int, v int, PRIMARY KEY (p, c))")
	run(t, session, "CREATE MATERIALIZED VIEW by_c AS SELECT * FROM base WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)")
	metadata, err := connect(t, shared.cluster()).KeyspaceMetadata("go_schema") // a session that has been there learns it with the events
	check(t, err)
	same(t, []any{metadata.StrategyClass, metadata.DurableWrites}, []any{"org.apache.cassandra.locator.SimpleStrategy", true})
	table := metadata.Tables["Mixed"]
	same(t, []any{len(table.PartitionKey), table.PartitionKey[0].Name, len(table.ClusteringColumns)}, []any{1, "P", 2})
	same(t, []any{table.ClusteringColumns[0].Name, table.ClusteringColumns[0].Order == gocql.DESC, table.ClusteringColumns[1].Name}, []any{"c1", true, "c2"})
	types := map[string]string{}
	for name, column := range table.Columns {
		types[name] = column.Validator
	}
	same(t, types, map[string]string{"P": "int", "c1": "timeuuid", "c2": "text", "st": "text", "v": "list<int>", "a": "frozen<addr>",
		"m": "map<text, frozen<set<int>>>"})
	same(t, table.Columns["st"].Kind, gocql.ColumnStatic)
	same(t, metadata.UserTypes["addr"].FieldNames, []string{"street", "zip"})
	same(t, metadata.MaterializedViews["by_c"].BaseTable.Name, "base")
}

func TestAPreparedStatementTellsItsTypes(t *testing.T) {
	session := keyspace(t, "marks")
	run(t, session, "CREATE TABLE t (p int, c text, v blob, PRIMARY KEY (p, c))")
	metadata, err := session.StatementMetadata(t.Context(), "SELECT v, c FROM t WHERE c = ? AND p = ?", "go_marks")
	check(t, err)
	names := []string{}
	for _, column := range append(metadata.BindColumns, metadata.ResultColumns...) {
		names = append(names, fmt.Sprintf("%s 0x%02x", column.Name, int(column.TypeInfo.Type())))
	}
	same(t, names, []string{"c 0x0d", "p 0x09", "v 0x03", "c 0x0d"})
	same(t, metadata.PKBindColumnIndexes, []int{1})
}
