//! Running statements: prepared, named, paged, batches, conditions, counters, traces, errors.
use std::collections::HashMap;

use futures::stream::TryStreamExt;
use scylla::client::session::Session;
use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::unprepared::Statement;
use scylla::statement::{Consistency, SerialConsistency};
use scylla::value::{Counter, MaybeUnset};

use crate::server::{Outcome, drop_keyspace, keyspace, one, rows, run};

const INSERT: &str = "INSERT INTO t (p, c, v) VALUES (?, ?, ?)";

async fn tables(name: &str) -> Session {
    let session = keyspace(name).await;
    run(&session, "CREATE TABLE t (p int, c int, v text, PRIMARY KEY (p, c))").await;
    run(&session, "CREATE TABLE n (p int PRIMARY KEY, n counter)").await;
    session
}

#[tokio::test]
async fn prepared_null_unset_named() -> Outcome {
    let session = tables("prepared").await;
    let insert = session.prepare(INSERT).await?;
    session.execute_unpaged(&insert, (1, 1, "one")).await?;
    session.execute_unpaged(&insert, (1, 2, None::<String>)).await?;
    session.execute_unpaged(&insert, (1, 1, MaybeUnset::<&str>::Unset)).await?; // leaves what is there
    let values: Vec<(i32, Option<String>)> = rows(&session, "SELECT c, v FROM t WHERE p = 1", ()).await.rows()?.collect::<Result<_, _>>()?;
    assert_eq!(values, [(1, Some("one".into())), (2, None)]);
    let named = session.prepare("SELECT v FROM t WHERE p = :key AND c = :\"C\"").await?;
    let found = session.execute_unpaged(&named, HashMap::from([("C", 1), ("key", 1)])).await?.into_rows_result()?;
    assert_eq!(found.single_row::<(&str,)>()?.0, "one");
    assert!(session.execute_unpaged(&insert, (1, 2)).await.is_err());
    drop_keyspace(&session, "prepared").await;
    Ok(())
}

#[tokio::test]
async fn paging() -> Outcome {
    let session = tables("paging").await;
    let insert = session.prepare(INSERT).await?;
    for c in 0..500 {
        session.execute_unpaged(&insert, (1, c, "x")).await?;
    }
    let mut select = Statement::new("SELECT c FROM t WHERE p = 1");
    select.set_page_size(64);
    let seen: Vec<(i32,)> = session.query_iter(select.clone(), ()).await?.rows_stream::<(i32,)>()?.try_collect().await?;
    assert_eq!(seen, (0..500).map(|c| (c,)).collect::<Vec<_>>());
    select.set_page_size(10);
    let (first, state) = session.query_single_page(select.clone(), (), PagingState::start()).await?;
    assert_eq!(first.into_rows_result()?.rows_num(), 10);
    let PagingStateResponse::HasMorePages { state } = state else { panic!("one page alone") };
    let (second, _) = session.query_single_page(select, (), state).await?;
    assert_eq!(second.into_rows_result()?.first_row::<(i32,)>()?.0, 10);
    drop_keyspace(&session, "paging").await;
    Ok(())
}

#[tokio::test]
async fn batches_and_counters() -> Outcome {
    let session = tables("batches").await;
    for (p, kind) in [BatchType::Logged, BatchType::Unlogged].into_iter().enumerate() {
        let mut batch = Batch::new(kind);
        batch.set_timestamp(Some(7));
        let values: Vec<_> = (0..50).map(|c| (p as i32, c, "b")).collect();
        (0..50).for_each(|_| batch.append_statement(INSERT));
        session.batch(&batch, &values).await?;
        assert_eq!(one::<(i64, i64)>(&session, "SELECT count(*), max(writetime(v)) FROM t WHERE p = ?", (p as i32,)).await, (50, 7));
    }
    let mut counters = Batch::new(BatchType::Counter);
    (0..3).for_each(|_| counters.append_statement("UPDATE n SET n = n + ? WHERE p = ?"));
    session.batch(&counters, ((Counter(5), 1), (Counter(-2), 1), (Counter(1), 2))).await?;
    assert_eq!(one::<(Counter,)>(&session, "SELECT n FROM n WHERE p = 1", ()).await.0, Counter(3));
    let mut mixed = Batch::new(BatchType::Logged);
    mixed.append_statement("UPDATE n SET n = n + 1 WHERE p = 1");
    assert_eq!(refusal(session.batch(&mixed, ((),)).await.unwrap_err()), (DbError::Invalid, "Cannot include a counter statement in a logged batch".into()));
    drop_keyspace(&session, "batches").await;
    Ok(())
}

#[tokio::test]
async fn lightweight_transactions() -> Outcome {
    let session = tables("lwt").await;
    let mut insert = session.prepare(INSERT.to_string() + " IF NOT EXISTS").await?;
    insert.set_serial_consistency(Some(SerialConsistency::LocalSerial));
    let applied = session.execute_unpaged(&insert, (1, 1, "first")).await?.into_rows_result()?;
    assert_eq!(applied.column_specs().iter().map(|spec| spec.name()).collect::<Vec<_>>(), ["[applied]"]);
    assert!(applied.single_row::<(bool,)>()?.0);
    let refused = session.execute_unpaged(&insert, (1, 1, "second")).await?.into_rows_result()?;
    assert_eq!(refused.single_row::<(bool, i32, i32, &str)>()?, (false, 1, 1, "first"));
    assert!(!one::<(bool, String)>(&session, "UPDATE t SET v = 'x' WHERE p = 1 AND c = 1 IF v = ?", ("nosuch",)).await.0);
    let mut batch = Batch::new(BatchType::Logged);
    batch.append_statement("INSERT INTO t (p, c, v) VALUES (2, 1, 'a') IF NOT EXISTS");
    batch.append_statement("INSERT INTO t (p, c, v) VALUES (2, 2, 'b')");
    assert!(session.batch(&batch, ((), ())).await?.into_rows_result()?.single_row::<(bool,)>()?.0);
    drop_keyspace(&session, "lwt").await;
    Ok(())
}

#[tokio::test]
async fn tracing_and_warnings() -> Outcome {
    let session = tables("tracing").await;
    let mut select = Statement::new("SELECT * FROM t WHERE p = 1");
    select.set_tracing(true);
    let id = session.query_unpaged(select, ()).await?.tracing_id().unwrap();
    let trace = session.get_tracing_info(&id).await?;
    assert_eq!(trace.request.as_deref(), Some("Execute CQL3 query"));
    assert_eq!(trace.parameters.unwrap()["query"], "SELECT * FROM t WHERE p = 1");
    assert_eq!(trace.coordinator, Some("127.0.0.1".parse()?));
    assert!(trace.events.iter().any(|event| event.activity.as_deref() == Some("Read 0 live rows and 0 tombstone cells")), "{:?}", trace.events);
    let counted = session.query_unpaged("SELECT count(*) FROM t", ()).await?;
    assert_eq!(counted.warnings().collect::<Vec<_>>(), ["Aggregation query used without partition key"]);
    drop_keyspace(&session, "tracing").await;
    Ok(())
}

/// What the server said.
fn refusal(error: ExecutionError) -> (DbError, String) {
    match error {
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(kind, message)) => (kind, message),
        ExecutionError::PrepareError(PrepareError::AllAttemptsFailed { first_attempt: RequestAttemptError::DbError(kind, message) }) => (kind, message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn errors() -> Outcome {
    let session = tables("errors").await;
    for (text, kind, message) in [
        ("SELEC", DbError::SyntaxError, "line 1:0 no viable alternative at input 'SELEC' ([SELEC])"),
        ("SELECT nosuch FROM t", DbError::Invalid, "Undefined column name nosuch in table rust_errors.t"),
        ("SELECT * FROM nosuch.t", DbError::Invalid, "keyspace nosuch does not exist"),
        ("INSERT INTO t (p) VALUES (1)", DbError::Invalid, "Some clustering keys are missing: c"),
        ("DROP TABLE system.local", DbError::Unauthorized, "system keyspace is not user-modifiable."),
        ("CREATE TABLE t (p int PRIMARY KEY)", DbError::AlreadyExists { keyspace: "rust_errors".into(), table: "t".into() }, "Cannot add already existing table \"t\" to keyspace \"rust_errors\""),
        ("CREATE KEYSPACE x WITH replication = {'class': 'Nosuch'}", DbError::ConfigError, "Unable to find replication strategy class 'org.apache.cassandra.locator.Nosuch'"),
    ] {
        assert_eq!(refusal(session.query_unpaged(text, ()).await.unwrap_err()), (kind, message.to_string()));
    }
    let mut three = Statement::new("SELECT * FROM t");
    three.set_consistency(Consistency::Three);
    let unavailable = refusal(session.query_unpaged(three, ()).await.unwrap_err()).0;
    assert_eq!(unavailable, DbError::Unavailable { consistency: Consistency::Three, required: 3, alive: 1 });
    drop_keyspace(&session, "errors").await;
    Ok(())
}
