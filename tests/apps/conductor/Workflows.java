import com.datastax.driver.core.Cluster;
import com.datastax.driver.core.ConsistencyLevel;
import com.datastax.driver.core.ProtocolVersion;
import com.datastax.driver.core.Session;
import com.datastax.driver.core.utils.UUIDs;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.netflix.conductor.cassandra.config.CassandraProperties;
import com.netflix.conductor.cassandra.dao.CassandraEventHandlerDAO;
import com.netflix.conductor.cassandra.dao.CassandraExecutionDAO;
import com.netflix.conductor.cassandra.dao.CassandraMetadataDAO;
import com.netflix.conductor.cassandra.util.Statements;
import com.netflix.conductor.common.config.ObjectMapperProvider;
import com.netflix.conductor.common.metadata.events.EventExecution;
import com.netflix.conductor.common.metadata.events.EventHandler;
import com.netflix.conductor.common.metadata.tasks.TaskDef;
import com.netflix.conductor.common.metadata.workflow.WorkflowDef;
import com.netflix.conductor.common.metadata.workflow.WorkflowTask;
import com.netflix.conductor.core.exception.ConflictException;
import com.netflix.conductor.model.TaskModel;
import com.netflix.conductor.model.WorkflowModel;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;

/** Definitions and runs of workflows by Conductor's own classes, which make their keyspace and tables. */
public class Workflows {
    static final String KEYSPACE = "app_conductor", WORKFLOW = "order";
    static final int DEFINITIONS = 3, RUNS = 4, TASKS = 4;

    static void mustBe(String what, Object is, Object wanted) {
        if (!wanted.equals(is))
            throw new AssertionError(what + ": " + is + " and not " + wanted);
    }

    static WorkflowDef definition(int version) {
        WorkflowDef definition = new WorkflowDef();
        definition.setName(WORKFLOW);
        definition.setVersion(version);
        return definition;
    }

    static void definitions(CassandraMetadataDAO metadata) {
        for (int i = 0; i < TASKS; i++)
            metadata.createTaskDef(new TaskDef("task" + i));
        metadata.removeTaskDef("task0");
        mustBe("definitions of tasks", metadata.getAllTaskDefs().size(), TASKS - 1);
        for (int version = 1; version <= DEFINITIONS; version++)
            metadata.createWorkflowDef(definition(version));
        try {
            metadata.createWorkflowDef(definition(1));
            throw new AssertionError("a definition was made twice");
        } catch (ConflictException e) {
        }
        mustBe("the latest", metadata.getLatestWorkflowDef(WORKFLOW).get().getVersion(), DEFINITIONS);
        metadata.removeWorkflowDef(WORKFLOW, DEFINITIONS);
        mustBe("the latest that is left", metadata.getLatestWorkflowDef(WORKFLOW).get().getVersion(), DEFINITIONS - 1);
        mustBe("all versions", metadata.getAllWorkflowDefs().size(), DEFINITIONS - 1);
    }

    static WorkflowModel workflow() {
        WorkflowModel workflow = new WorkflowModel();
        workflow.setWorkflowId(UUIDs.timeBased().toString());
        workflow.setWorkflowDefinition(definition(1));
        workflow.setStatus(WorkflowModel.Status.RUNNING);
        workflow.setInput(Map.of("goods", List.of("tea", "cups")));
        return workflow;
    }

    static TaskModel task(WorkflowModel workflow, int number) {
        TaskDef definition = new TaskDef("task" + number);
        definition.setConcurrentExecLimit(2);
        WorkflowTask of = new WorkflowTask();
        of.setTaskDefinition(definition);
        TaskModel task = new TaskModel();
        task.setTaskId(UUIDs.timeBased().toString());
        task.setWorkflowInstanceId(workflow.getWorkflowId());
        task.setTaskType("SIMPLE");
        task.setTaskDefName(definition.getName());
        task.setReferenceTaskName("step" + number);
        task.setStatus(TaskModel.Status.SCHEDULED);
        task.setWorkflowTask(of);
        return task;
    }

    static void run(CassandraExecutionDAO executions, boolean isKept) {
        WorkflowModel workflow = workflow();
        String id = executions.createWorkflow(workflow);
        List<TaskModel> tasks = new ArrayList<>();
        for (int i = 0; i < TASKS; i++)
            tasks.add(task(workflow, i));
        mustBe("tasks made", executions.createTasks(tasks).size(), TASKS);
        for (TaskModel task : tasks) {
            task.setStatus(TaskModel.Status.IN_PROGRESS);
            executions.updateTask(task);
            mustBe("a task", executions.getTask(task.getTaskId()).getStatus(), TaskModel.Status.IN_PROGRESS);
            executions.removeTaskFromLimit(task);
        }
        mustBe("its tasks", executions.getWorkflow(id, true).getTasks().size(), TASKS);
        mustBe("a task removed", executions.removeTask(tasks.get(0).getTaskId()), true);
        mustBe("its tasks that are left", executions.getTasksForWorkflow(id).size(), TASKS - 1);
        workflow.setStatus(WorkflowModel.Status.COMPLETED);
        workflow.setTasks(new LinkedList<>(tasks.subList(1, TASKS)));
        executions.updateWorkflow(workflow);
        mustBe("what it was given", executions.getWorkflow(id, false).getInput(), workflow.getInput());
        if (!isKept)
            mustBe("a workflow removed", executions.removeWorkflow(id), true);
        mustBe("it is there", executions.getWorkflow(id, true) != null, isKept);
    }

    static void limits(CassandraExecutionDAO executions) {
        List<TaskModel> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            tasks.add(task(workflow(), 1));
            mustBe("more than the limit", executions.exceedsLimit(tasks.get(i)), i >= 2);
            executions.addTaskToLimit(tasks.get(i));
        }
        for (TaskModel task : tasks)
            executions.removeTaskFromLimit(task);
        mustBe("more than the limit when all are done", executions.exceedsLimit(tasks.get(0)), false);
    }

    static void events(CassandraExecutionDAO executions, CassandraEventHandlerDAO handlers) {
        EventExecution event = new EventExecution("1", "message");
        event.setName("handler");
        event.setEvent("paid");
        event.setStatus(EventExecution.Status.IN_PROGRESS);
        mustBe("an event", executions.addEventExecution(event), true);
        mustBe("the same event", executions.addEventExecution(event), false);
        event.setStatus(EventExecution.Status.COMPLETED);
        executions.updateEventExecution(event);
        executions.removeEventExecution(event);
        for (int i = 0; i < 4; i++) {
            EventHandler handler = new EventHandler();
            handler.setName("handler" + i);
            handler.setEvent("paid");
            handler.setActive(i % 2 == 0);
            handlers.addEventHandler(handler);
        }
        handlers.removeEventHandler("handler0");
        mustBe("handlers", handlers.getAllEventHandlers().size(), 3);
        mustBe("active ones", handlers.getEventHandlersForEvent("paid", true).size(), 1);
    }

    static CassandraProperties properties() {
        CassandraProperties properties = new CassandraProperties();
        properties.setKeyspace(KEYSPACE);
        properties.setReplicationFactorKey("replication_factor");
        properties.setReplicationFactorValue(1);
        properties.setReadConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM);
        properties.setWriteConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM);
        return properties;
    }

    public static void main(String[] args) {
        ObjectMapper mapper = new ObjectMapperProvider().getObjectMapper();
        Statements statements = new Statements(KEYSPACE);
        CassandraProperties properties = properties();
        try (Cluster cluster = Cluster.builder().addContactPoint(args[0]).withPort(Integer.parseInt(args[1])).withProtocolVersion(ProtocolVersion.V4)
                     .withoutJMXReporting().build(); Session session = cluster.connect()) {
            definitions(new CassandraMetadataDAO(session, mapper, properties, statements));
            CassandraExecutionDAO executions = new CassandraExecutionDAO(session, mapper, properties, statements);
            for (int i = 0; i < RUNS; i++)
                run(executions, i % 2 == 0);
            limits(executions);
            events(executions, new CassandraEventHandlerDAO(session, mapper, properties, statements));
        }
        System.out.println("all is well");
    }
}
