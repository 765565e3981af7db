//! TLS: certificates that are not accepted, and connections that are cut in the handshake.

#[path = "../reqwest_middleware/nasty.rs"]
mod nasty;
#[path = "../reqwest_middleware/table.rs"]
mod table;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use backoff_adapters::reqwest_middleware::RetryMiddleware;
use backoff_retry::{Retry, StopReason};
use reqwest::redirect::Policy;
use reqwest::Client;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use rustls::crypto::ring::default_provider;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tower::BoxError;
use tower::util::MapErrLayer;

/// The attempts and the reasons of the requests that ended.
type Stops = Arc<Mutex<Vec<(u64, StopReason)>>>;

/// A client with at most three retries.
fn client(builder: reqwest::ClientBuilder) -> (ClientWithMiddleware, Stops) {
    let stops = Stops::default();
    let seen = Arc::clone(&stops);
    let retry = Retry::new("constant:base=1ms,max_retries=3".parse().unwrap());
    let middleware = RetryMiddleware::new(retry)
        .on_stop(move |event| seen.lock().unwrap().push((event.attempts, event.reason.unwrap())));
    (ClientBuilder::new(builder.build().unwrap()).with(middleware).build(), stops)
}

/// A builder of clients that accept no certificate.
fn builder() -> reqwest::ClientBuilder {
    // Another test may have done this.
    let _ = default_provider().install_default();
    Client::builder().tls_certs_only([]).redirect(Policy::none())
}

#[tokio::test]
async fn the_table_over_tls() {
    let client = builder().no_proxy().build().unwrap();
    table::play_all(&client, |target| target.starts_with("tls")).await;
}

/// The errors of connections are those of OpenSSL, whose libraries not every machine has.
#[tokio::test]
async fn a_handshake_that_openssl_calls_cut_is_retried() {
    for (message, attempts) in [
        ("unexpected EOF", 4),
        ("error:0A000126:SSL routines::unexpected eof while reading:../ssl/record.c:317:", 4),
        (
            "error:0A000086:SSL routines:tls_post_process_server_certificate:certificate verify failed",
            1,
        ),
    ] {
        let fails = MapErrLayer::new(move |_: BoxError| BoxError::from(message));
        let (client, stops) = client(builder().no_proxy().connector_layer(fails));
        // Nobody listens at this port.
        client.get("https://127.0.0.1:1/").send().await.unwrap_err();
        assert_eq!(stops.lock().unwrap()[0].0, attempts, "{message}");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_not_retried() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::<AtomicUsize>::default();
    let seen = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            seen.fetch_add(1, Ordering::SeqCst);
            let _ = connection.read(&mut [0; 1000]).await;
            let _ = connection.write_all(b"HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n").await;
        }
    });
    let (client, stops) = client(builder().no_proxy());
    let error = client.get(format!("https://127.0.0.1:{port}/")).send().await.unwrap_err();
    assert!(error.is_connect());
    assert_eq!(*stops.lock().unwrap(), [(1, StopReason::Permanent)]);
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// reqwest does not show the status of the proxy, except for 407.
#[tokio::test]
async fn a_tunnel_that_a_proxy_refuses_is_requested_again() {
    let closed = 0; // instead of a status
    for (status, attempts) in [(403, 4), (407, 1), (503, 4), (closed, 4)] {
        let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = proxy.local_addr().unwrap().port();
        let asked = Arc::<AtomicUsize>::default();
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = proxy.accept().await {
                let mut request = [0; 1000];
                let length = connection.read(&mut request).await.unwrap();
                assert!(request[..length].starts_with(b"CONNECT "));
                seen.fetch_add(1, Ordering::SeqCst);
                if status != closed {
                    let answer = format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n");
                    let _ = connection.write_all(answer.as_bytes()).await;
                }
            }
        });
        let proxy = reqwest::Proxy::https(format!("http://127.0.0.1:{port}")).unwrap();
        let (client, _) = client(builder().proxy(proxy));
        client.get("https://host.invalid/").send().await.unwrap_err();
        assert_eq!(asked.load(Ordering::SeqCst), attempts, "{status}");
    }
}
