//! The load of bench/server/run, by the scylla crate: what go/main.go does, told the same way.
//!
//!     load HOST PORT fill
//!     load HOST PORT WORKLOAD SECONDS CONCURRENCY RATE
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::statement::Consistency;
use scylla::statement::prepared::PreparedStatement;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const ROOMS: i32 = 200;
const MESSAGES: i64 = 200;
const PAGE: i64 = 50;
const CONNECTIONS: usize = 4;
const CREATE: &str = "CREATE KEYSPACE bench_server WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
const TABLE: &str = "CREATE TABLE bench_server.chat (room int, id bigint, author int, text text, PRIMARY KEY (room, id)) WITH CLUSTERING ORDER BY (id DESC)";
const INSERT: &str = "INSERT INTO bench_server.chat (room, id, author, text) VALUES (?, ?, ?, ?)";
const POINT: &str = "SELECT text FROM bench_server.chat WHERE room = ? AND id = ?";
const SLICE: &str = "SELECT id, author, text FROM bench_server.chat WHERE room = ? AND id < ? LIMIT 50";

static NEXT_ID: AtomicI64 = AtomicI64::new(0);

fn text() -> String {
    "a message of a hundred bytes or so, ".repeat(3)
}

/// Vigna's SplitMix64: a driver is measured here, not a generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as i64
    }

    fn room(&mut self) -> i32 {
        self.below(ROOMS.into()) as i32
    }
}

#[derive(Clone, Copy)]
enum Workload {
    Point,
    Page,
    Insert,
}

impl Workload {
    fn named(name: &str) -> Result<Workload, Failure> {
        match name {
            "point" => Ok(Workload::Point),
            "page" => Ok(Workload::Page),
            "insert" => Ok(Workload::Insert),
            _ => Err(format!("there is no workload {name}").into()),
        }
    }

    fn statement(self) -> &'static str {
        match self {
            Workload::Point => POINT,
            Workload::Page => SLICE,
            Workload::Insert => INSERT,
        }
    }

    async fn request(self, session: &Session, statement: &PreparedStatement, random: &mut Random, text: &str) -> Result<(), Failure> {
        match self {
            Workload::Point => {
                let found = session.execute_unpaged(statement, (random.room(), random.below(MESSAGES))).await?.into_rows_result()?;
                found.single_row::<(&str,)>()?;
            }
            Workload::Page => {
                let found = session.execute_unpaged(statement, (random.room(), PAGE + random.below(MESSAGES - PAGE))).await?.into_rows_result()?;
                let mut rows = 0;
                for row in found.rows::<(i64, i32, &str)>()? {
                    row?;
                    rows += 1;
                }
                if rows != PAGE {
                    return Err(format!("a page of {rows} rows").into());
                }
            }
            Workload::Insert => {
                let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
                session.execute_unpaged(statement, (ROOMS + random.room(), id, 1, text)).await?;
            }
        }
        Ok(())
    }
}

async fn fill(session: &Arc<Session>) -> Result<(), Failure> {
    session.query_unpaged("DROP KEYSPACE IF EXISTS bench_server", ()).await?;
    session.query_unpaged(CREATE, ()).await?;
    session.query_unpaged(TABLE, ()).await?;
    let statement = session.prepare(INSERT).await?;
    let workers = (0..16).map(|worker| {
        let (session, statement) = (session.clone(), statement.clone());
        tokio::spawn(async move {
            let text = text();
            for room in (worker..ROOMS).step_by(16) {
                for id in 0..MESSAGES {
                    session.execute_unpaged(&statement, (room, id, (id % 7) as i32, &text)).await?;
                }
            }
            Ok::<_, Failure>(())
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await??;
    }
    Ok(())
}

/// How long each request took from when it was due, of all workers, in order. A timer that rings late is not the server's fault.
async fn measure(session: &Arc<Session>, workload: Workload, duration: Duration, workers: u32, rate: f64) -> Result<Vec<Duration>, Failure> {
    let statement = session.prepare(workload.statement()).await?;
    let step = if rate > 0.0 { Duration::from_secs_f64(f64::from(workers) / rate) } else { Duration::ZERO };
    let start = Instant::now();
    let end = start + duration;
    let workers = (0..workers).map(|worker| {
        let (session, statement) = (session.clone(), statement.clone());
        tokio::spawn(async move {
            let (mut mine, mut random, text) = (Vec::new(), Random(worker.into()), text());
            let mut due = start + step * worker / workers;
            while due < end {
                let mut from = due;
                if due > Instant::now() {
                    tokio::time::sleep_until(due.into()).await;
                    from = Instant::now();
                }
                workload.request(&session, &statement, &mut random, &text).await?;
                let now = Instant::now();
                mine.push(now - from);
                due = if step.is_zero() { now } else { due + step };
            }
            Ok::<_, Failure>(mine)
        })
    });
    let mut all = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        all.extend(worker.await??);
    }
    all.sort();
    Ok(all)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let profile = ExecutionProfile::builder().consistency(Consistency::LocalOne).request_timeout(Some(Duration::from_secs(60))).build();
    let session = SessionBuilder::new()
        .known_node(format!("{}:{}", arguments[1], arguments[2]))
        .connection_timeout(Duration::from_secs(60))
        .pool_size(PoolSize::PerHost(NonZeroUsize::new(CONNECTIONS).unwrap()))
        .default_execution_profile_handle(profile.into_handle())
        .build()
        .await?;
    let session = Arc::new(session);
    if arguments[3] == "fill" {
        return fill(&session).await;
    }
    let (seconds, workers, rate): (f64, u32, f64) = (arguments[4].parse()?, arguments[5].parse()?, arguments[6].parse()?);
    NEXT_ID.store(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_nanos() as i64, Ordering::Relaxed);
    let took = measure(&session, Workload::named(&arguments[3])?, Duration::from_secs_f64(seconds), workers, rate).await?;
    let at = |percent: usize| took[took.len() * percent / 100].as_micros();
    println!("{} {} {} {}", took.len(), took.len() as f64 / seconds, at(50), at(99));
    Ok(())
}
