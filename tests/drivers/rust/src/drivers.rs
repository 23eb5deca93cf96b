//! The scylla crate against `wr serve`, or against the Cassandra that AGAINST names (HOST:PORT).
mod connect;
mod schema;
mod security;
mod seen;
mod server;
mod statements;
mod types;
