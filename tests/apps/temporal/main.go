// What a Temporal server on Cassandra keeps: workflows with activities, timers, children, signals, updates, resets, schedules.   orders FRONTEND
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	_ "go.temporal.io/server/common/build" // the server's module, whose programs are built beside this one
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	namespace = "shop"
	queue     = "orders"
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

func price(_ context.Context, item string) (int, error) {
	if item == "" {
		return 0, temporal.NewNonRetryableApplicationError("nothing costs nothing", "empty", nil)
	}
	return 10 * len(item), nil
}

func ship(ctx context.Context, item string) (string, error) {
	return "shipped " + item, nil
}

// order takes items by signal until it is closed, and has one child for each.
func order(ctx workflow.Context, customer string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond}})
	items, total := []string{}, 0
	must(workflow.SetQueryHandler(ctx, "items", func() ([]string, error) { return items, nil }))
	must(workflow.SetUpdateHandler(ctx, "discount", func(_ workflow.Context, by int) (int, error) {
		total -= by
		return total, nil
	}))
	added, closed := workflow.GetSignalChannel(ctx, "add"), workflow.GetSignalChannel(ctx, "close")
	for done := false; !done; {
		workflow.NewSelector(ctx).AddReceive(added, func(c workflow.ReceiveChannel, _ bool) {
			item := ""
			c.Receive(ctx, &item)
			items = append(items, item)
			costs := 0
			if workflow.ExecuteActivity(ctx, price, item).Get(ctx, &costs) == nil {
				total += costs
			}
		}).AddReceive(closed, func(c workflow.ReceiveChannel, _ bool) {
			c.Receive(ctx, nil)
			done = true
		}).Select(ctx)
	}
	must(workflow.Sleep(ctx, 50*time.Millisecond))
	for _, item := range items {
		said, child := "", workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID + "/" + item})
		if err := workflow.ExecuteChildWorkflow(child, parcel, item).Get(ctx, &said); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s pays %d", customer, total), nil
}

func parcel(ctx workflow.Context, item string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	said := ""
	err := workflow.ExecuteActivity(ctx, ship, item).Get(ctx, &said)
	return said, err
}

// countdown goes on as a new run, until nothing is left.
func countdown(ctx workflow.Context, n int) (int, error) {
	if n == 0 {
		return 42, nil
	}
	return 0, workflow.NewContinueAsNewError(ctx, countdown, n-1)
}

// waits ends when it is cancelled.
func waits(ctx workflow.Context) error {
	timer := workflow.NewTimer(ctx, time.Hour)
	return timer.Get(ctx, nil)
}

func eventually(what string, seen func() bool) {
	for end := time.Now().Add(2 * time.Minute); !seen(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			log.Fatalf("%s: never seen", what)
		}
	}
}

func makeNamespace(ctx context.Context, address string) {
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address})
	must(err)
	defer namespaces.Close()
	request := &workflowservice.RegisterNamespaceRequest{Namespace: namespace, Description: "orders", WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)}
	eventually("a server that registers", func() bool { return namespaces.Register(ctx, request) == nil })
	var exists *serviceerror.NamespaceAlreadyExists
	if err := namespaces.Register(ctx, request); !errors.As(err, &exists) {
		log.Fatalf("a namespace that is there: %v", err)
	}
	eventually("the namespace", func() bool {
		_, err := namespaces.Describe(ctx, namespace)
		return err == nil
	})
}

func orders(ctx context.Context, c client.Client) {
	for i := range 5 {
		options := client.StartWorkflowOptions{ID: fmt.Sprint("order-", i), TaskQueue: queue}
		var run client.WorkflowRun
		eventually("a start", func() bool { // the namespace has to be known everywhere first
			var err error
			run, err = c.ExecuteWorkflow(ctx, options, order, fmt.Sprint("customer ", i))
			return err == nil
		})
		for _, item := range []string{"tea", "coffee", "", "milk"} {
			must(c.SignalWorkflow(ctx, options.ID, "", "add", item))
		}
		items := []string{}
		eventually("the items", func() bool {
			answer, err := c.QueryWorkflow(ctx, options.ID, "", "items")
			must(err)
			must(answer.Get(&items))
			return len(items) == 4
		})
		mustBe("the items", items, []string{"tea", "coffee", "", "milk"})
		update, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: options.ID, UpdateName: "discount", Args: []any{7}, WaitForStage: client.WorkflowUpdateStageCompleted})
		must(err)
		left := 0
		must(update.Get(ctx, &left))
		must(c.SignalWorkflow(ctx, options.ID, run.GetRunID(), "close", nil))
		said := ""
		must(run.Get(ctx, &said))
		mustBe("the order", said, fmt.Sprintf("customer %d pays 123", i))
		events := 0
		for history := c.GetWorkflowHistory(ctx, options.ID, run.GetRunID(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); history.HasNext(); events++ {
			event, err := history.Next()
			must(err)
			mustBe("an event's number", event.EventId, events+1)
		}
		if events < 40 {
			log.Fatalf("only %d events", events)
		}
	}
	err := c.SignalWorkflow(ctx, "order-0", "", "add", "late")
	var gone *serviceerror.NotFound
	if !errors.As(err, &gone) {
		log.Fatalf("a signal to what has ended: %v", err)
	}
}

func lives(ctx context.Context, c client.Client) {
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "countdown", TaskQueue: queue}, countdown, 5)
	must(err)
	first, n := run.GetRunID(), 0
	must(run.Get(ctx, &n))
	mustBe("the last run's result", n, 42)
	described, err := c.DescribeWorkflowExecution(ctx, "countdown", "")
	must(err)
	mustBe("the first run", described.WorkflowExecutionInfo.FirstRunId, first)

	waiting := client.StartWorkflowOptions{ID: "waits", TaskQueue: queue, WorkflowExecutionErrorWhenAlreadyStarted: true}
	run, err = c.ExecuteWorkflow(ctx, waiting, waits)
	must(err)
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if _, err := c.ExecuteWorkflow(ctx, waiting, waits); !errors.As(err, &started) {
		log.Fatalf("a second start: %v", err)
	}
	must(c.CancelWorkflow(ctx, "waits", ""))
	if err := run.Get(ctx, nil); !temporal.IsCanceledError(err) {
		log.Fatalf("what was cancelled: %v", err)
	}
	waiting.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	if _, err := c.ExecuteWorkflow(ctx, waiting, waits); !errors.As(err, &started) {
		log.Fatalf("an id that may not be used again: %v", err)
	}
	waiting.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	run, err = c.SignalWithStartWorkflow(ctx, "waits", "unheard", "x", waiting, waits)
	must(err)
	must(c.TerminateWorkflow(ctx, "waits", run.GetRunID(), "enough"))
	if err := run.Get(ctx, nil); err == nil || !strings.Contains(err.Error(), "terminated") {
		log.Fatalf("what was terminated: %v", err)
	}

	first = described.WorkflowExecutionInfo.Execution.RunId
	reset, err := c.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{Namespace: namespace, RequestId: "again", Reason: "again",
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "countdown", RunId: first}, WorkflowTaskFinishEventId: 4})
	must(err)
	must(c.GetWorkflow(ctx, "countdown", reset.RunId).Get(ctx, &n))
	mustBe("what was reset", n, 42)
	_, err = c.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{Namespace: namespace,
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "countdown", RunId: reset.RunId}})
	must(err)
	eventually("what was deleted", func() bool {
		_, err := c.DescribeWorkflowExecution(ctx, "countdown", reset.RunId)
		var gone *serviceerror.NotFound
		return errors.As(err, &gone)
	})
}

func schedules(ctx context.Context, c client.Client) {
	handle, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{ID: "often", Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: time.Second}}},
		Action: &client.ScheduleWorkflowAction{ID: "scheduled", Workflow: countdown, TaskQueue: queue, Args: []any{0}}})
	must(err)
	eventually("two that were scheduled", func() bool {
		described, err := handle.Describe(ctx)
		must(err)
		return described.Info.NumActions >= 2
	})
	must(handle.Delete(ctx))
}

func main() {
	ctx, address := context.Background(), os.Args[1]
	makeNamespace(ctx, address)
	c, err := client.Dial(client.Options{HostPort: address, Namespace: namespace})
	must(err)
	defer c.Close()
	w := worker.New(c, queue, worker.Options{})
	for _, workflow := range []any{order, parcel, countdown, waits} {
		w.RegisterWorkflow(workflow)
	}
	w.RegisterActivity(price)
	w.RegisterActivity(ship)
	must(w.Start())
	defer w.Stop()
	orders(ctx, c)
	lives(ctx, c)
	schedules(ctx, c)
}
