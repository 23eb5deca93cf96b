//! Another driver altogether, cdrs-tokio: its own codec of v3, v4 and v5, in each compression.
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use cdrs_tokio::authenticators::StaticPasswordAuthenticatorProvider;
use cdrs_tokio::cluster::session::{Session, SessionBuilder, TcpSessionBuilder};
use cdrs_tokio::cluster::{NodeTcpConfigBuilder, PagerState, TcpConnectionManager};
use cdrs_tokio::compression::Compression;
use cdrs_tokio::consistency::Consistency;
use cdrs_tokio::error::Error;
use cdrs_tokio::frame::Version;
use cdrs_tokio::frame::events::{SchemaChangeOptions, SchemaChangeTarget, SchemaChangeType, ServerEvent};
use cdrs_tokio::frame::message_error::{ErrorType, UnavailableError};
use cdrs_tokio::load_balancing::RoundRobinLoadBalancingStrategy;
use cdrs_tokio::frame::message_batch::BatchType;
use cdrs_tokio::query::{BatchQueryBuilder, QueryValues};
use cdrs_tokio::query_values;
use cdrs_tokio::retry::FallthroughRetryPolicy;
use cdrs_tokio::statement::StatementParamsBuilder;
use cdrs_tokio::transport::TransportTcp;
use cdrs_tokio::types::prelude::{AsRustType, Blob, Decimal, List, Map, Row, Tuple, Udt, Value};
use cdrs_tokio::types::{ByIndex, ByName, IntoRustByName};
use futures::future::try_join_all;

use crate::server::{Outcome, Server, against, shared_port};

type Cdrs = Session<TransportTcp, TcpConnectionManager, RoundRobinLoadBalancingStrategy<TransportTcp, TcpConnectionManager>>;

const VERSIONS: [Version; 3] = [Version::V3, Version::V4, Version::V5];

async fn speaker(version: Version, compression: Compression) -> Cdrs {
    let address = format!("127.0.0.1:{}", shared_port());
    let config = NodeTcpConfigBuilder::new().with_contact_point(address.into()).with_version(version).build().await.unwrap();
    TcpSessionBuilder::new(RoundRobinLoadBalancingStrategy::new(), config).with_compression(compression).build().await.unwrap()
}

/// One that uses a keyspace of the test's own.
async fn keyspace(version: Version, name: &str) -> Cdrs {
    let session = speaker(version, Compression::None).await;
    for text in [
        format!("DROP KEYSPACE IF EXISTS {name}"),
        format!("CREATE KEYSPACE {name} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"),
        format!("USE {name}"),
    ] {
        session.query(text).await.unwrap();
    }
    session
}

async fn rows(session: &Cdrs, text: &str) -> Vec<Row> {
    session.query(text).await.unwrap().response_body().unwrap().into_rows().unwrap()
}

async fn one(session: &Cdrs, text: &str) -> Row {
    rows(session, text).await.remove(0)
}

fn ints(rows: &[Row]) -> Vec<i32> {
    rows.iter().map(|row| row.r_by_index(0).unwrap()).collect()
}

/// What the server said.
fn refusal<T: std::fmt::Debug>(answer: Result<T, Error>) -> (ErrorType, String) {
    match answer {
        Err(Error::Server { body, .. }) => (body.ty, body.message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_version_and_compression() -> Outcome {
    let session = keyspace(Version::V4, "cdrs_compression").await;
    session.query("CREATE TABLE t (p int PRIMARY KEY, v text)").await?;
    let long = "x".repeat(300_000); // longer than one frame of v5 holds
    let mut p = 0;
    for version in VERSIONS {
        for compression in [Compression::None, Compression::Lz4, Compression::Snappy] {
            if version == Version::V5 && compression == Compression::Snappy {
                continue; // there is none
            }
            let speaker = speaker(version, compression).await;
            speaker.query_with_values("INSERT INTO cdrs_compression.t (p, v) VALUES (?, ?)", query_values!(p, long.as_str())).await?;
            let found: String = one(&speaker, &format!("SELECT v FROM cdrs_compression.t WHERE p = {p}")).await.r_by_name("v")?;
            assert_eq!(found, long);
            p += 1;
        }
    }
    session.query("DROP KEYSPACE cdrs_compression").await?;
    Ok(())
}

#[tokio::test]
async fn prepared_named_null_unset() -> Outcome {
    for version in VERSIONS {
        let name = format!("cdrs_prepared_{version:?}").to_lowercase();
        let session = keyspace(version, &name).await;
        session.query("CREATE TABLE t (p int, c int, v text, PRIMARY KEY (p, c))").await?;
        let insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)").await?;
        assert_eq!(insert.pk_indexes, if version == Version::V3 { vec![] } else { vec![0] });
        session.exec_with_values(&insert, query_values!(1, 1, "one")).await?;
        session.exec_with_values(&insert, query_values!(1, 2, None::<String>)).await?;
        if version != Version::V3 {
            let unset = QueryValues::SimpleValues(vec![1.into(), 1.into(), Value::NotSet]);
            session.exec_with_values(&insert, unset).await?; // leaves what is there
        }
        session.query_with_values("INSERT INTO t (p, c, v) VALUES (:p, :c, :v)", query_values!("v" => "three", "c" => 3, "p" => 1)).await?;
        let select = session.prepare("SELECT c, v FROM t WHERE p = ?").await?;
        let found = session.exec_with_values(&select, query_values!(1)).await?.response_body()?.into_rows().unwrap();
        let found: Vec<(i32, Option<String>)> = found.iter().map(|row| (row.r_by_name("c").unwrap(), row.by_name("v").unwrap())).collect();
        assert_eq!(found, [(1, Some("one".into())), (2, None), (3, Some("three".into()))]);
        session.query("ALTER TABLE t ADD w int").await?; // what has been prepared goes on, by UNPREPARED or by a new result metadata id
        session.exec_with_values(&insert, query_values!(1, 4, "four")).await?;
        assert_eq!(session.exec_with_values(&select, query_values!(1)).await?.response_body()?.into_rows().unwrap().len(), 4);
        session.query(format!("DROP KEYSPACE {name}")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn pages_and_batches() -> Outcome {
    for version in VERSIONS {
        let name = format!("cdrs_pages_{version:?}").to_lowercase();
        let session = keyspace(version, &name).await;
        session.query("CREATE TABLE t (c int, p int, PRIMARY KEY (p, c))").await?;
        session.query("CREATE TABLE n (p int PRIMARY KEY, n counter)").await?;
        let insert = session.prepare("INSERT INTO t (p, c) VALUES (?, ?)").await?;
        let mut batch = BatchQueryBuilder::new().with_batch_type(BatchType::Unlogged).with_timestamp(7);
        for c in 0..100 {
            batch = if c % 2 == 0 { batch.add_query_prepared(&insert, query_values!(1, c)) } else { batch.add_query("INSERT INTO t (p, c) VALUES (?, ?)", query_values!(1, c)) };
        }
        session.batch(batch.build()?).await?;
        let mut seen = vec![];
        let mut pager = session.paged(9);
        let mut pages = pager.query("SELECT c FROM t WHERE p = 1");
        loop {
            let page = pages.next().await?;
            assert!(page.len() <= 9);
            seen.extend(ints(&page));
            if !pages.has_more() {
                break;
            }
        }
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
        let mut pager = session.paged(30);
        let mut first = pager.query_with_pager_state("SELECT c FROM t WHERE p = 1", PagerState::new());
        assert_eq!(ints(&first.next().await?), (0..30).collect::<Vec<_>>());
        let state = first.pager_state();
        let mut pager = session.paged(5);
        assert_eq!(ints(&pager.query_with_pager_state("SELECT c FROM t WHERE p = 1", state).next().await?), (30..35).collect::<Vec<_>>());
        let mut counters = BatchQueryBuilder::new().with_batch_type(BatchType::Counter);
        for by in [5i64, -2] {
            counters = counters.add_query("UPDATE n SET n = n + ? WHERE p = 1", query_values!(by));
        }
        session.batch(counters.build()?).await?;
        let n: i64 = one(&session, "SELECT n FROM n").await.r_by_name("n")?;
        assert_eq!(n, 3);
        session.query(format!("DROP KEYSPACE {name}")).await?;
    }
    Ok(())
}

/// Writes each value bound and reads it by a simple statement and by a prepared one.
async fn round<T>(session: &Cdrs, kind: &str, values: Vec<T>)
where
    T: Into<Value> + Clone + PartialEq + std::fmt::Debug,
    Row: IntoRustByName<T>,
{
    session.query("DROP TABLE IF EXISTS t").await.unwrap();
    session.query(format!("CREATE TABLE t (p int PRIMARY KEY, v {kind})")).await.unwrap();
    let select = session.prepare("SELECT v FROM t WHERE p = ?").await.unwrap();
    for value in values.into_iter().map(Some).chain([None]) {
        let bound = value.clone().map_or(Value::Null, Into::into);
        session.query_with_values("INSERT INTO t (p, v) VALUES (1, ?)", QueryValues::SimpleValues(vec![bound])).await.unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(one(session, "SELECT v FROM t").await.by_name::<T>("v").unwrap(), value, "{kind}");
        let found = session.exec_with_values(&select, query_values!(1)).await.unwrap().response_body().unwrap().into_rows().unwrap();
        assert_eq!(found[0].by_name::<T>("v").unwrap(), value, "{kind}");
    }
}

#[tokio::test]
async fn types() -> Outcome {
    for version in VERSIONS {
        let name = format!("cdrs_types_{version:?}").to_lowercase();
        let session = keyspace(version, &name).await;
        let texts = |values: &[&str]| values.iter().map(|value| value.to_string()).collect::<Vec<_>>();
        round(&session, "ascii", texts(&["a", "b c"])).await;
        round(&session, "text", texts(&["grün \u{1f600}", &"x".repeat(70000)])).await;
        round(&session, "bigint", vec![0i64, i64::MIN, i64::MAX]).await;
        round(&session, "int", vec![0i32, i32::MIN, i32::MAX]).await;
        round(&session, "smallint", vec![i16::MIN, i16::MAX]).await;
        round(&session, "tinyint", vec![i8::MIN, i8::MAX]).await;
        round(&session, "boolean", vec![true, false]).await;
        round(&session, "double", vec![0.1f64, -1e300, f64::INFINITY]).await;
        round(&session, "float", vec![0.5f32, f32::MIN_POSITIVE]).await;
        round(&session, "blob", vec![Blob::from(vec![0u8, 255])]).await;
        round(&session, "decimal", vec![Decimal::from(-1.5f64)]).await;
        round(&session, "inet", vec!["127.0.0.1".parse::<IpAddr>()?, "2001:db8::1".parse()?]).await;
        round(&session, "timestamp", vec![1709210096789i64, -1]).await;
        round(&session, "time", vec![0i64, 86399999999999]).await;
        round(&session, "date", vec![0i32, i32::MAX, i32::MIN]).await;
        nested(&session).await?;
        session.query(format!("DROP KEYSPACE {name}")).await?;
    }
    Ok(())
}

/// Collections, tuples and user types inside of each other.
async fn nested(session: &Cdrs) -> Outcome {
    session.query("CREATE TYPE addr (street text, zips frozen<list<int>>)").await?;
    session.query("CREATE TABLE nested (p int PRIMARY KEY, l list<int>, s set<text>, m map<text, frozen<list<int>>>, t tuple<int, text>, u addr, us list<frozen<addr>>)").await?;
    session.query_with_values("INSERT INTO nested (p, l, m) VALUES (1, ?, ?)", query_values!(vec![3, 1], HashMap::from([("k".to_string(), vec![1, 2])]))).await?;
    session.query("UPDATE nested SET s = {'b', 'a'}, t = (1, null), u = {street: 'Main', zips: [1, 2]}, us = [{street: 'x'}] WHERE p = 1").await?;
    let row = one(session, "SELECT * FROM nested").await;
    let list: Vec<i32> = row.r_by_name::<List>("l")?.as_r_type()?;
    let set: Vec<String> = row.r_by_name::<List>("s")?.as_r_type()?;
    let map: HashMap<String, List> = row.r_by_name::<Map>("m")?.as_r_type()?;
    let inner: Vec<i32> = map["k"].as_r_type()?;
    let tuple: Tuple = row.r_by_name("t")?;
    let udt: Udt = row.r_by_name("u")?;
    let zips: Vec<i32> = udt.r_by_name::<List>("zips")?.as_r_type()?;
    let others: Vec<Udt> = row.r_by_name::<List>("us")?.as_r_type()?;
    assert_eq!((list, set, inner, zips), (vec![3, 1], vec!["a".to_string(), "b".to_string()], vec![1, 2], vec![1, 2]));
    assert_eq!((tuple.r_by_index::<i32>(0)?, tuple.by_index::<String>(1)?), (1, None));
    assert_eq!((others[0].r_by_name::<String>("street")?, others[0].by_name::<List>("zips")?.is_none()), ("x".to_string(), true));
    Ok(())
}

#[tokio::test]
async fn conditions_traces_warnings_errors() -> Outcome {
    for version in VERSIONS {
        let name = format!("cdrs_errors_{version:?}").to_lowercase();
        let session = keyspace(version, &name).await;
        session.query("CREATE TABLE t (p int PRIMARY KEY, v text)").await?;
        for applied in [true, false] {
            let row = one(&session, "INSERT INTO t (p, v) VALUES (1, 'a') IF NOT EXISTS").await;
            assert_eq!((row.r_by_name::<bool>("[applied]")?, row.contains_column("v")), (applied, !applied));
        }
        let mut tracing = StatementParamsBuilder::new().build();
        tracing.tracing = true;
        let traced = session.query_with_params("SELECT count(*) FROM t", tracing).await?;
        let id = traced.tracing_id.unwrap();
        assert_eq!(traced.warnings, if version == Version::V3 { vec![] } else { vec!["Aggregation query used without partition key"] });
        let found = session.query_with_values("SELECT request FROM system_traces.sessions WHERE session_id = ?", query_values!(id)).await?;
        assert_eq!(found.response_body()?.into_rows().unwrap()[0].r_by_name::<String>("request")?, "Execute CQL3 query");
        assert_eq!(refusal(session.query("SELEC").await), (ErrorType::Syntax, "line 1:0 no viable alternative at input 'SELEC' ([SELEC])".into()));
        assert_eq!(refusal(session.query("SELECT x FROM t").await), (ErrorType::Invalid, format!("Undefined column name x in table {name}.t")));
        let exists = refusal(session.query("CREATE TABLE t (p int PRIMARY KEY)").await).0;
        assert!(matches!(exists, ErrorType::AlreadyExists(error) if error.ks == name && error.table == "t"));
        let three = StatementParamsBuilder::new().with_consistency(Consistency::Three).with_retry_policy(Arc::new(FallthroughRetryPolicy)).build();
        let unavailable = refusal(session.query_with_params("SELECT * FROM t", three).await).0;
        assert_eq!(unavailable, ErrorType::Unavailable(UnavailableError { cl: Consistency::Three, required: 3, alive: 1 }));
        session.query(format!("DROP KEYSPACE {name}")).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_and_events() -> Outcome {
    let session = keyspace(Version::V5, "cdrs_many").await;
    let mut events = session.create_event_receiver();
    session.query("CREATE TABLE t (p int PRIMARY KEY, v text)").await?;
    loop {
        let ServerEvent::SchemaChange(change) = events.recv().await? else { continue };
        let SchemaChangeOptions::TableType(keyspace, table) = change.options else { continue };
        if keyspace == "cdrs_many" {
            assert_eq!((change.change_type, change.target, table.as_str()), (SchemaChangeType::Created, SchemaChangeTarget::Table, "t"));
            break;
        }
    }
    let insert = session.prepare("INSERT INTO t (p, v) VALUES (?, ?)").await?;
    try_join_all((0..200).map(|p| session.exec_with_values(&insert, query_values!(p, p.to_string())))).await?;
    assert_eq!(one(&session, "SELECT count(*) FROM t").await.r_by_index::<i64>(0)?, 200);
    session.query("DROP KEYSPACE cdrs_many").await?;
    Ok(())
}

#[tokio::test]
async fn names_and_passwords() -> Outcome {
    if against() {
        return Ok(());
    }
    let server = Server::start(&["--auth"]);
    let provider = Arc::new(StaticPasswordAuthenticatorProvider::new("cassandra", "cassandra"));
    let address = format!("127.0.0.1:{}", server.port);
    let config = NodeTcpConfigBuilder::new().with_contact_point(address.into()).with_authenticator_provider(provider).build().await?;
    let session = TcpSessionBuilder::new(RoundRobinLoadBalancingStrategy::new(), config).build().await?;
    assert!(one(&session, "LIST ROLES OF cassandra").await.r_by_name::<bool>("super")?);
    drop(session); // with a wrong password the driver tries on and on
    server.stop();
    Ok(())
}
