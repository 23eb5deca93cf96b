//! Servers, sessions and what all tests do with them.
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::deserialize::row::DeserializeRow;
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// `wr serve` of one test alone.
pub struct Server {
    pub port: u16,
    process: Child,
}

/// Whether a Cassandra is asked, where a test that starts a server has nothing to do.
pub fn against() -> bool {
    std::env::var("AGAINST").is_ok_and(|address| !address.is_empty())
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        let mut process = Command::new(std::env::var("WR").unwrap()).arg("serve").args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().rsplit(':').next().unwrap().parse().unwrap_or_else(|_| panic!("the server said {line:?}"));
        Server { port, process }
    }

    /// Ends it as Ctrl-C does.
    pub fn stop(mut self) {
        assert!(Command::new("kill").arg(self.process.id().to_string()).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill(); // of a test that failed; one that has been stopped does not mind
    }
}

pub fn shared_port() -> u16 {
    std::env::var("PORT").unwrap().parse().unwrap()
}

pub fn builder(port: u16) -> SessionBuilder {
    SessionBuilder::new().known_node(format!("127.0.0.1:{port}")).connection_timeout(Duration::from_secs(20))
}

/// A session in an empty keyspace, `rust_NAME`.
pub async fn keyspace(name: &str) -> Session {
    let session = builder(shared_port()).build().await.unwrap();
    run(&session, &format!("DROP KEYSPACE IF EXISTS rust_{name}")).await;
    run(&session, &format!("CREATE KEYSPACE rust_{name} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}")).await;
    session.use_keyspace(format!("rust_{name}"), false).await.unwrap();
    session
}

pub async fn drop_keyspace(session: &Session, name: &str) {
    run(session, &format!("DROP KEYSPACE rust_{name}")).await;
}

pub async fn run(session: &Session, text: &str) {
    session.query_unpaged(text, ()).await.unwrap_or_else(|error| panic!("{text}: {error}"));
}

pub async fn rows(session: &Session, text: &str, values: impl SerializeRow) -> QueryRowsResult {
    session.query_unpaged(text, values).await.unwrap_or_else(|error| panic!("{text}: {error}")).into_rows_result().unwrap()
}

/// The only row of an answer.
pub async fn one<T>(session: &Session, text: &str, values: impl SerializeRow) -> T
where
    T: for<'a> DeserializeRow<'a, 'a>,
{
    rows(session, text, values).await.single_row::<T>().unwrap_or_else(|error| panic!("{text}: {error}"))
}
