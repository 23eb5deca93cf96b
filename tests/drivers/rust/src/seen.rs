//! What the driver makes of a server, object by object: seen.txt is what it made of a Cassandra 5.0.6.
//!
//!     RUST_RECORD=1 tests/drivers/rust/run BUILD --against HOST:PORT     writes it; without RUST_RECORD all is compared with it
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use scylla::client::session::Session;
use scylla::cluster::metadata::Table;
use scylla::statement::Consistency;
use scylla::statement::unprepared::Statement;
use scylla::value::Row;

use crate::server::{Outcome, builder, drop_keyspace, run, shared_port};

const SCHEMA: &str = include_str!("../../seen.cql");
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/seen.txt");

const QUESTIONS: [&str; 12] = [
    "SELECT * FROM types",
    "SELECT * FROM indexed",
    "SELECT count(*), max(c), writetime(st), ttl(st) FROM types",
    "SELECT token(p, q), u.b, fu.v, s['a'], m['k'] FROM types",
    "SELECT JSON p, l FROM types",
    "SELECT (int) 1 AS one, (text) 'x', (list<int>) [1, 2], (map<int, text>) {1: 'a'}, (tuple<int, text>) (3, 'b') FROM types",
    "UPDATE options SET v = 'x' WHERE p = 1 IF v = 'z'",
    "INSERT INTO options (p, v) VALUES (1, 'x') IF NOT EXISTS",
    "UPDATE options SET v = 'y' WHERE p = 1 IF v = 'z'",
    "INSERT INTO counts (p, c, v) VALUES (1, '', 1)",
    "SELECT * FROM system.size_estimates WHERE keyspace_name = 'nosuch'",
    "SELECT * FROM system_schema.tables WHERE keyspace_name = 'nosuch'",
];

const MISTAKES: [&str; 12] = [
    "SELECT * FROM nosuch",
    "SELECT * FROM nosuch.t",
    "SELECT nosuch FROM types",
    "SELEC",
    "SELECT * FROM types WHERE l = [1]",
    "CREATE TABLE types (p int PRIMARY KEY)",
    "CREATE KEYSPACE rust_seen WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "UPDATE counts SET n = 1 WHERE p = 1",
    "CREATE KEYSPACE bad WITH replication = {'class': 'Nosuch'}",
    "DROP INDEX nosuch",
    "INSERT INTO options (p) VALUES ('x')",
    "LIST ROLES",
];

/// Lines of what is seen.
#[derive(Default)]
struct View(Vec<String>);

impl View {
    fn see(&mut self, name: &str, value: impl Debug) {
        self.0.push(format!("{name}: {value:?}"));
    }

    fn see_table(&mut self, name: &str, table: &Table) {
        self.see(name, (&table.partition_key, &table.clustering_key, &table.partitioner));
        for (column, it) in sorted(&table.columns) {
            self.see(&format!("{name}.{column}"), it);
        }
    }

    async fn see_answer(&mut self, session: &Session, question: &str) -> Outcome {
        let prepared = match session.prepare(question).await {
            Ok(prepared) => prepared,
            Err(error) => {
                self.see(question, error);
                return Ok(());
            }
        };
        self.see(
            &format!("prepared {question}"),
            (
                prepared.get_variable_col_specs().as_slice(),
                prepared.get_current_result_set_col_specs().get().as_slice(),
                prepared.get_table_spec(),
                prepared.is_confirmed_lwt(),
            ),
        );
        let by_text = session.query_unpaged(question, ()).await?;
        for (way, result) in [("text", by_text), ("id", session.execute_unpaged(&prepared, ()).await?)] {
            self.see(&format!("{way} {question}"), (result.is_rows(), result.warnings().collect::<Vec<_>>(), result.tracing_id()));
            let Ok(rows) = result.into_rows_result() else { continue };
            self.see(&format!("{way} columns"), rows.column_specs().as_slice());
            for row in rows.rows::<Row>()? {
                self.see(&format!("{way} row"), row?);
            }
        }
        Ok(())
    }
}

fn sorted<T>(map: &HashMap<String, T>) -> BTreeMap<&String, &T> {
    map.iter().collect()
}

#[tokio::test]
async fn what_the_driver_sees() -> Outcome {
    let outside = builder(shared_port()).build().await?;
    run(&outside, "DROP KEYSPACE IF EXISTS rust_seen").await;
    let own = SCHEMA.replace(" seen.", " rust_seen.").replace("KEYSPACE seen", "KEYSPACE rust_seen");
    let readable = own.replace("\"Outer\"", "outer"); // the crate's parser of types knows no quotes
    for statement in readable.trim().split(";\n") {
        run(&outside, statement.trim_end_matches(';')).await;
    }
    let session = builder(shared_port()).use_keyspace("rust_seen", false).build().await?;
    let mut seen = View::default();
    let state = session.get_cluster_state();
    let keyspace = state.get_keyspace("rust_seen").ok_or("there is no such keyspace")?;
    seen.see("keyspace", (&keyspace.strategy, keyspace.durable_writes, keyspace.tablet_based));
    for (name, table) in sorted(&keyspace.tables) {
        seen.see_table(name, table);
    }
    for (name, view) in sorted(&keyspace.views) {
        seen.see(name, &view.base_table_name);
        seen.see_table(name, &view.view_metadata);
    }
    for (name, definition) in sorted(&keyspace.user_defined_types) {
        seen.see(name, definition);
    }
    for question in QUESTIONS {
        seen.see_answer(&session, question).await?;
    }
    let marked = session.prepare("SELECT * FROM types WHERE q = ? AND p = ? AND c > ? LIMIT ?").await?;
    seen.see("markers", (marked.get_variable_col_specs().as_slice(), marked.get_variable_pk_indexes(), marked.get_partitioner_name()));
    for mistake in MISTAKES {
        seen.see(mistake, session.query_unpaged(mistake, ()).await.err().ok_or(mistake)?);
    }
    for level in [Consistency::Three, Consistency::EachQuorum, Consistency::LocalOne] {
        let mut select = Statement::new("SELECT * FROM options");
        select.set_consistency(level);
        seen.see(&format!("at {level}"), session.query_unpaged(select, ()).await.map(|result| result.is_rows()));
    }
    drop_keyspace(&outside, "seen").await;
    compare(&seen.0)
}

/// Holds what was seen against what is recorded, or records it.
fn compare(seen: &[String]) -> Outcome {
    if std::env::var("RUST_RECORD").is_ok() {
        return Ok(std::fs::write(RECORDED, seen.join("\n") + "\n")?);
    }
    let recorded = std::fs::read_to_string(RECORDED)?;
    for (is, was) in seen.iter().zip(recorded.lines()) {
        assert_eq!(is, was);
    }
    assert_eq!(seen.len(), recorded.lines().count());
    Ok(())
}
