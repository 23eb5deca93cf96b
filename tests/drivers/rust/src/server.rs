//! Servers, sessions and what all tests do with them.
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::deserialize::row::DeserializeRow;
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// `wr serve`, of one test alone or of all. It ends with its standard input, which `process` holds: when that is dropped, or these tests end.
pub struct Server {
    pub port: u16,
    process: Child,
}

/// Of those that need no options of their own.
static SHARED: LazyLock<Server> = LazyLock::new(|| Server::start(&[]));

/// The Cassandra that is asked instead, if one is.
fn reference() -> Option<String> {
    std::env::var("AGAINST").ok().filter(|address| !address.is_empty())
}

/// Whether a Cassandra is asked, where a test that starts a server has nothing to do.
pub fn against() -> bool {
    reference().is_some()
}

fn port_of(address: &str) -> u16 {
    address.trim().rsplit(':').next().unwrap().parse().unwrap_or_else(|_| panic!("no port in {address:?}"))
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(std::env::var("WR").unwrap());
        command.args(["serve", "--port", "0", "--until-stdin-ends"]).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Server { port: port_of(&line), process }
    }

    /// Ends it as Ctrl-C does.
    pub fn stop(mut self) {
        assert!(Command::new("kill").arg(self.process.id().to_string()).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
    }
}

pub fn shared_port() -> u16 {
    reference().map_or_else(|| SHARED.port, |address| port_of(&address))
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
