//! The scylla crate, and cdrs-tokio, against `wr serve`, or against the Cassandra that AGAINST names (HOST:PORT).
mod cdrs;
mod connect;
mod schema;
mod security;
mod seen;
mod server;
mod statements;
mod types;
