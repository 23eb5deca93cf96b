// Jaeger's storage of traces in Cassandra, as its collector and its query service use it.   jaeger HOST PORT KEYSPACE SCHEMA
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gocql/gocql"
	"github.com/jaegertracing/jaeger/model"
	"github.com/jaegertracing/jaeger/pkg/config"
	"github.com/jaegertracing/jaeger/pkg/metrics"
	"github.com/jaegertracing/jaeger/plugin/storage/cassandra"
	"github.com/jaegertracing/jaeger/storage/dependencystore"
	"github.com/jaegertracing/jaeger/storage/spanstore"
	"go.uber.org/zap"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func mustBe(what string, is, wanted any) {
	if fmt.Sprint(is) != fmt.Sprint(wanted) {
		log.Fatalf("%s: %v and not %v", what, is, wanted)
	}
}

func createSchema(host string, port int, path string) {
	text, err := os.ReadFile(path)
	must(err)
	cluster := gocql.NewCluster(host)
	cluster.Port, cluster.Timeout, cluster.ConnectTimeout = port, time.Minute, time.Minute
	session, err := cluster.CreateSession()
	must(err)
	defer session.Close()
	for _, statement := range strings.Split(string(text), ";") {
		if strings.TrimSpace(statement) != "" {
			must(session.Query(statement).Exec())
		}
	}
}

func makeTrace(low uint64, start time.Time) []*model.Span {
	id := model.NewTraceID(0, low)
	front, back := model.NewProcess("front", []model.KeyValue{model.String("host", "a")}), model.NewProcess("back", nil)
	root := &model.Span{TraceID: id, SpanID: model.NewSpanID(1), OperationName: "GET /cart", StartTime: start, Duration: 300 * time.Millisecond, Process: front,
		Tags: []model.KeyValue{model.String("span.kind", "server"), model.String("user", fmt.Sprint("u", low)), model.Int64("status", 200), model.Bool("sampled", true)},
		Logs: []model.Log{{Timestamp: start.Add(time.Millisecond), Fields: []model.KeyValue{model.String("event", "cache miss"), model.Float64("age", 1.5)}}}}
	child := &model.Span{TraceID: id, SpanID: model.NewSpanID(2), OperationName: "select", StartTime: start.Add(time.Millisecond), Duration: 20 * time.Millisecond, Process: back,
		References: []model.SpanRef{model.NewChildOfRef(id, root.SpanID)}, Tags: []model.KeyValue{model.String("span.kind", "client"), model.Binary("key", []byte{0, 1, 255})}}
	return []*model.Span{root, child}
}

func main() {
	host, keyspace := os.Args[1], os.Args[3]
	port, err := strconv.Atoi(os.Args[2])
	must(err)
	createSchema(host, port, os.Args[4])

	factory := cassandra.NewFactory()
	settings, command := config.Viperize(factory.AddFlags)
	must(command.ParseFlags([]string{"--cassandra.servers=" + host, "--cassandra.port=" + os.Args[2], "--cassandra.keyspace=" + keyspace,
		"--cassandra.timeout=60s", "--cassandra.connect-timeout=60s"}))
	factory.InitFromViper(settings, zap.NewNop())
	must(factory.Initialize(metrics.NullFactory, zap.NewNop()))
	defer factory.Close()
	writer, err := factory.CreateSpanWriter()
	must(err)
	reader, err := factory.CreateSpanReader()
	must(err)
	links, err := factory.CreateDependencyReader()
	must(err)

	ctx, now := context.Background(), time.Now().UTC().Truncate(time.Microsecond)
	for low := uint64(1); low <= 20; low++ {
		for _, span := range makeTrace(low, now.Add(-time.Duration(low)*time.Second)) {
			must(writer.WriteSpan(ctx, span))
		}
	}
	trace, err := reader.GetTrace(ctx, model.NewTraceID(0, 7))
	must(err)
	mustBe("spans", len(trace.Spans), 2)
	wanted := makeTrace(7, now.Add(-7*time.Second))
	for _, span := range trace.Spans {
		sent := wanted[span.SpanID-1]
		mustBe("start", span.StartTime.UTC(), sent.StartTime)
		mustBe("operation", span.OperationName, sent.OperationName)
		mustBe("duration", span.Duration, sent.Duration)
		mustBe("process", span.Process, sent.Process)
		mustBe("references", span.References, sent.References)
		mustBe("tags", span.Tags, sent.Tags)
		mustBe("fields", len(span.Logs), len(sent.Logs))
	}
	if _, err := reader.GetTrace(ctx, model.NewTraceID(9, 9)); err != spanstore.ErrTraceNotFound {
		log.Fatalf("a trace that is not there: %v", err)
	}

	services, err := reader.GetServices(ctx)
	must(err)
	mustBe("services", len(services), 2)
	operations, err := reader.GetOperations(ctx, spanstore.OperationQueryParameters{ServiceName: "front", SpanKind: "server"})
	must(err)
	mustBe("operations", operations, []spanstore.Operation{{Name: "GET /cart", SpanKind: "server"}})

	find := func(more spanstore.TraceQueryParameters) int {
		more.StartTimeMin, more.StartTimeMax, more.NumTraces = now.Add(-time.Hour), now.Add(time.Minute), 100
		found, err := reader.FindTraces(ctx, &more)
		must(err)
		return len(found)
	}
	mustBe("by service", find(spanstore.TraceQueryParameters{ServiceName: "front"}), 20)
	mustBe("by operation", find(spanstore.TraceQueryParameters{ServiceName: "back", OperationName: "select"}), 20)
	mustBe("by tag", find(spanstore.TraceQueryParameters{ServiceName: "front", Tags: map[string]string{"user": "u3"}}), 1)
	mustBe("by two tags", find(spanstore.TraceQueryParameters{ServiceName: "front", Tags: map[string]string{"user": "u3", "status": "200"}}), 1)
	mustBe("by no tag", find(spanstore.TraceQueryParameters{ServiceName: "front", Tags: map[string]string{"user": "nobody"}}), 0)
	mustBe("by duration", find(spanstore.TraceQueryParameters{ServiceName: "front", DurationMin: 200 * time.Millisecond, DurationMax: time.Second}), 20)
	mustBe("by a longer duration", find(spanstore.TraceQueryParameters{ServiceName: "front", DurationMin: time.Second, DurationMax: time.Minute}), 0)

	must(links.(dependencystore.Writer).WriteDependencies(now, []model.DependencyLink{{Parent: "front", Child: "back", CallCount: 20}}))
	found, err := links.GetDependencies(ctx, now.Add(time.Minute), time.Hour)
	must(err)
	mustBe("dependencies", len(found), 1)
	mustBe("calls", found[0].CallCount, 20)
}
