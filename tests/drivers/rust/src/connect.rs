//! Compression, discovery, many requests at once, a server that comes back.
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::frame::Compression;

use crate::server::{Outcome, Server, against, builder, drop_keyspace, keyspace, one, run, shared_port};

#[tokio::test]
async fn each_compression() -> Outcome {
    let session = keyspace("compression").await;
    run(&session, "CREATE TABLE t (p int PRIMARY KEY, v text)").await;
    let long = "x".repeat(300_000);
    for (p, compression) in [None, Some(Compression::Lz4), Some(Compression::Snappy)].into_iter().enumerate() {
        let speaker = builder(shared_port()).compression(compression).use_keyspace("rust_compression", false).build().await?;
        speaker.query_unpaged("INSERT INTO t (p, v) VALUES (?, ?)", (p as i32, &long)).await?;
        assert_eq!(one::<(String,)>(&speaker, "SELECT v FROM t WHERE p = ?", (p as i32,)).await.0, long);
    }
    drop_keyspace(&session, "compression").await;
    Ok(())
}

#[tokio::test]
async fn the_driver_finds_the_node() -> Outcome {
    let session = builder(shared_port()).build().await?;
    let state = session.get_cluster_state();
    let [node] = state.get_nodes_info() else { panic!("more nodes than one") };
    assert_eq!((node.datacenter.as_deref(), node.rack.as_deref(), node.is_connected()), (Some("datacenter1"), Some("rack1"), true));
    assert!(builder(shared_port()).use_keyspace("nosuch", false).build().await.is_err());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_in_flight() -> Outcome {
    let session = Arc::new(keyspace("flight").await);
    run(&session, "CREATE TABLE t (p int PRIMARY KEY, v text)").await;
    let insert = session.prepare("INSERT INTO t (p, v) VALUES (?, ?)").await?;
    let select = session.prepare("SELECT v FROM t WHERE p = ?").await?;
    let read: Vec<(i32, String)> = stream::iter(0..2000)
        .map(|p| {
            let (session, insert, select) = (session.clone(), insert.clone(), select.clone());
            async move {
                session.execute_unpaged(&insert, (p, p.to_string())).await?;
                let rows = session.execute_unpaged(&select, (p,)).await?.into_rows_result()?;
                Ok::<_, Box<dyn std::error::Error>>((p, rows.single_row::<(String,)>()?.0))
            }
        })
        .buffer_unordered(200)
        .try_collect()
        .await?;
    assert_eq!(read.len(), 2000);
    assert!(read.iter().all(|(p, v)| *v == p.to_string()));
    drop_keyspace(&session, "flight").await;
    Ok(())
}

#[tokio::test]
async fn reconnects_after_a_restart() -> Outcome {
    if against() {
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("widerow-rust-{}", std::process::id()));
    let server = Server::start(&[folder.to_str().unwrap()]);
    let port = server.port;
    let session = builder(port).build().await?;
    run(&session, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}").await;
    run(&session, "CREATE TABLE k.t (p int PRIMARY KEY, v int)").await;
    let insert = session.prepare("INSERT INTO k.t (p, v) VALUES (?, ?)").await?;
    session.execute_unpaged(&insert, (1, 2)).await?;
    server.stop();
    assert!(session.execute_unpaged(&insert, (2, 3)).await.is_err());
    let server = Server::start(&[folder.to_str().unwrap(), "--port", &port.to_string()]);
    let mut tries = 0;
    while let Err(error) = session.execute_unpaged(&insert, (3, 4)).await {
        tries += 1;
        assert!(tries < 300, "no connection in 30 s: {error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(one::<(i32,)>(&session, "SELECT v FROM k.t WHERE p = 1", ()).await.0, 2);
    assert_eq!(one::<(i32,)>(&session, "SELECT v FROM k.t WHERE p = 3", ()).await.0, 4);
    server.stop();
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
