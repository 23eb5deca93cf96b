//! Every type there and back.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::net::IpAddr;

use scylla::client::session::Session;
use scylla::deserialize::value::DeserializeValue;
use scylla::serialize::value::SerializeValue;
use scylla::value::{CqlDate, CqlDecimal, CqlDuration, CqlTime, CqlTimestamp, CqlTimeuuid, CqlVarint};
use scylla::{DeserializeValue, SerializeValue};

use crate::server::{Outcome, drop_keyspace, keyspace, one, run};

#[derive(Debug, Clone, PartialEq, SerializeValue, DeserializeValue)]
struct Addr {
    street: Option<String>,
    zip: Option<i32>,
}

/// Writes values of a type, and null, and reads each again.
async fn round<T>(session: &Session, kind: &str, values: Vec<T>)
where
    T: SerializeValue + Debug + PartialEq + Clone + for<'a> DeserializeValue<'a, 'a>,
{
    run(session, "DROP TABLE IF EXISTS t").await;
    run(session, &format!("CREATE TABLE t (p int PRIMARY KEY, v {kind})")).await;
    let insert = session.prepare("INSERT INTO t (p, v) VALUES (?, ?)").await.unwrap();
    for value in values.into_iter().map(Some).chain([None]) {
        session.execute_unpaged(&insert, (1, value.clone())).await.unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(one::<(Option<T>,)>(session, "SELECT v FROM t WHERE p = ?", (1,)).await.0, value, "{kind}");
    }
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| value.to_string()).collect()
}

#[tokio::test]
async fn there_and_back() -> Outcome {
    let session = keyspace("types").await;
    run(&session, "CREATE TYPE addr (street text, zip int)").await;
    round(&session, "ascii", texts(&["a", ""])).await;
    round(&session, "text", texts(&["grün \u{1f600}", "", &"x".repeat(70000)])).await;
    round(&session, "bigint", vec![0, i64::MIN, i64::MAX]).await;
    round(&session, "int", vec![0, i32::MIN, i32::MAX]).await;
    round(&session, "smallint", vec![i16::MIN, i16::MAX]).await;
    round(&session, "tinyint", vec![i8::MIN, i8::MAX]).await;
    round(&session, "varint", vec![CqlVarint::from_signed_bytes_be(vec![0]), CqlVarint::from_signed_bytes_be(vec![1; 40])]).await;
    round(&session, "decimal", vec![CqlDecimal::from_signed_be_bytes_and_exponent(vec![0, 150], 2)]).await;
    round(&session, "blob", vec![vec![], vec![0u8, 255]]).await;
    round(&session, "boolean", vec![true, false]).await;
    round(&session, "double", vec![0.1, -1e300, f64::INFINITY]).await;
    round(&session, "float", vec![0.5f32, f32::MIN_POSITIVE]).await;
    round(&session, "inet", vec!["127.0.0.1".parse::<IpAddr>()?, "2001:db8::1".parse()?]).await;
    round(&session, "timestamp", vec![CqlTimestamp(1709210096789), CqlTimestamp(-1)]).await;
    round(&session, "date", vec![CqlDate(1 << 31), CqlDate(0), CqlDate(u32::MAX)]).await;
    round(&session, "time", vec![CqlTime(0), CqlTime(86399999999999)]).await;
    round(&session, "duration", vec![CqlDuration { months: 1, days: 2, nanoseconds: 3 }, CqlDuration { months: -1, days: -2, nanoseconds: -3 }]).await;
    round(&session, "timeuuid", vec!["f47ac10b-58cc-11ee-8c99-0242ac120002".parse::<CqlTimeuuid>()?]).await;
    round(&session, "list<int>", vec![vec![3, 1, 2]]).await;
    round(&session, "set<text>", vec![BTreeSet::from(["a".to_string(), "b".to_string()])]).await;
    round(&session, "map<text, int>", vec![BTreeMap::from([("a".to_string(), 1), ("b".to_string(), 2)])]).await;
    round(&session, "frozen<list<frozen<map<int, text>>>>", vec![vec![BTreeMap::from([(1, "a".to_string())]), BTreeMap::new()], vec![]]).await;
    round(&session, "tuple<int, text>", vec![(Some(1), Some("a".to_string())), (None, Some(String::new()))]).await;
    round(&session, "vector<float, 3>", vec![vec![1f32, 2.0, 3.0]]).await;
    round(&session, "vector<text, 2>", vec![texts(&["a", "bb"])]).await; // of an empty element the driver makes a null
    let addr = Addr { street: Some("Main".into()), zip: None };
    round(&session, "addr", vec![addr.clone()]).await;
    round(&session, "map<text, frozen<addr>>", vec![BTreeMap::from([("h".to_string(), addr)])]).await;
    drop_keyspace(&session, "types").await;
    Ok(())
}

#[tokio::test]
async fn empty_values() -> Outcome {
    let session = keyspace("empties").await;
    run(&session, "CREATE TABLE t (p int PRIMARY KEY, i int, s text, b blob, l list<int>, f frozen<list<int>>)").await;
    run(&session, "INSERT INTO t (p, i, s, b, l, f) VALUES (1, blob_as_int(0x), '', 0x, [], [])").await;
    let row = one::<(Vec<u8>, String, Vec<u8>, Option<Vec<i32>>, Option<Vec<i32>>)>(&session, "SELECT int_as_blob(i), s, b, l, f FROM t", ()).await;
    assert_eq!(row, (vec![], String::new(), vec![], None, Some(vec![])));
    drop_keyspace(&session, "empties").await;
    Ok(())
}
