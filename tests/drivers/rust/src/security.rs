//! Names and passwords, TLS and certificates of clients.
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use openssl::ssl::{SslConnector, SslFiletype, SslMethod};
use scylla::client::session::TlsContext;

use crate::server::{Outcome, Server, against, builder, one};

#[tokio::test]
async fn names_and_passwords() -> Outcome {
    if against() {
        return Ok(());
    }
    let server = Server::start(&["--auth"]);
    let session = builder(server.port).user("cassandra", "cassandra").build().await?;
    assert_eq!(one::<(String,)>(&session, "SELECT key FROM system.local", ()).await.0, "local");
    for (name, password) in [("cassandra", "wrong"), ("nobody", "cassandra")] {
        let error = builder(server.port).user(name, password).build().await.err().unwrap();
        assert!(format!("{error:?}").contains(&format!("Provided username {name} and/or password are incorrect")), "{error:?}");
    }
    assert!(builder(server.port).build().await.is_err());
    server.stop();
    Ok(())
}

#[tokio::test]
async fn tls() -> Outcome {
    if against() {
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("widerow-rust-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    assert!(Command::new(std::env::var("CERTIFICATES")?).arg(&folder).status()?.success());
    let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let server = Server::start(&["--tls-cert", &file("server.pem"), "--tls-key", &file("server.key"), "--tls-client-ca", &file("ca.pem")]);
    let connecting = || builder(server.port).connection_timeout(Duration::from_secs(2));
    let session = connecting().tls_context(Some(context(&folder, true)?)).build().await?;
    assert!(one::<(bool,)>(&session, "SELECT ssl_enabled FROM system_views.clients LIMIT 1", ()).await.0);
    assert!(connecting().tls_context(Some(context(&folder, false)?)).build().await.is_err());
    assert!(connecting().build().await.is_err());
    drop(session);
    server.stop();
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

/// That trusts the authority of the folder, and may show the client's certificate.
fn context(folder: &Path, showing: bool) -> Result<TlsContext, openssl::error::ErrorStack> {
    let mut made = SslConnector::builder(SslMethod::tls_client())?;
    made.set_ca_file(folder.join("ca.pem"))?;
    if showing {
        made.set_certificate_file(folder.join("client.pem"), SslFiletype::PEM)?;
        made.set_private_key_file(folder.join("client.key"), SslFiletype::PEM)?;
    }
    Ok(made.into())
}
