//! TLS: HTTP/2, certificates that are not accepted, and connections that are cut in the handshake.

#[path = "../reqwest_middleware/nasty.rs"]
mod nasty;
#[path = "../reqwest_middleware/table.rs"]
mod table;

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use backoff_adapters::reqwest_middleware::RetryMiddleware;
use backoff_retry::{Retry, StopReason};
use http::Version;
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client};
use reqwest_middleware::ClientBuilder;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tower::BoxError;
use tower::util::MapErrLayer;

/// The attempts and the reasons of the requests that ended.
type Stops = Arc<Mutex<Vec<(u64, StopReason)>>>;

/// A server over HTTP/2 and TLS that answers two requests with 503.
struct Secure {
    port: u16,
    certificate: Vec<u8>,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl Secure {
    async fn start() -> Self {
        let pair = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let certificate = pair.cert.der().to_vec();
        let acceptor = TlsAcceptor::from(Arc::new(config(
            pair.cert.der().clone(),
            PrivateKeyDer::try_from(pair.signing_key.serialize_der()).unwrap(),
        )));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (connections, requests) =
            (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let server = Self {
            port,
            certificate,
            connections: Arc::clone(&connections),
            requests: Arc::clone(&requests),
        };
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(acceptor.clone(), connection, Arc::clone(&requests)));
            }
        });
        server
    }

    fn seen(&self) -> (usize, usize) {
        (self.connections.load(Ordering::SeqCst), self.requests.load(Ordering::SeqCst))
    }
}

fn config(certificate: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> ServerConfig {
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    config
}

async fn serve(acceptor: TlsAcceptor, connection: TcpStream, requests: Arc<AtomicUsize>) {
    // A client that does not accept the certificate goes away.
    let Ok(connection) = acceptor.accept(connection).await else { return };
    let answer = hyper::service::service_fn(|_| {
        let status = if requests.fetch_add(1, Ordering::SeqCst) < 2 { 503 } else { 200 };
        let response = http::Response::builder().status(status).header("Retry-After", "0");
        std::future::ready(Ok::<_, Infallible>(response.body(Full::<&[u8]>::default()).unwrap()))
    });
    let _ =
        Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(connection), answer).await;
}

/// GETs with a client that accepts these certificates.
async fn get(
    port: u16,
    host: &str,
    accepted: &[&Vec<u8>],
) -> (Result<reqwest::Response, reqwest_middleware::Error>, Stops) {
    // Another test may have done this.
    let _ = default_provider().install_default();
    let stops = Stops::default();
    let seen = Arc::clone(&stops);
    let retry = Retry::new("constant:base=1ms,max_retries=3".parse().unwrap());
    let middleware = RetryMiddleware::new(retry)
        .on_stop(move |event| seen.lock().unwrap().push((event.attempts, event.reason.unwrap())));
    let client = Client::builder()
        .no_proxy()
        .tls_certs_only(accepted.iter().map(|bytes| Certificate::from_der(bytes).unwrap()))
        .resolve("localhost", ([127, 0, 0, 1], port).into())
        .resolve("other", ([127, 0, 0, 1], port).into());
    let client = ClientBuilder::new(client.build().unwrap()).with(middleware).build();
    (client.get(format!("https://{host}:{port}/")).send().await, stops)
}

#[tokio::test]
async fn the_attempts_use_one_connection_of_http2() {
    let server = Secure::start().await;
    let (result, stops) = get(server.port, "localhost", &[&server.certificate]).await;
    let response = result.unwrap();
    assert_eq!((response.status().as_u16(), response.version()), (200, Version::HTTP_2));
    assert_eq!(server.seen(), (1, 3));
    assert_eq!(*stops.lock().unwrap(), [(3, StopReason::Success)]);
}

#[tokio::test]
async fn the_table_over_tls() {
    let _ = default_provider().install_default();
    let client = Client::builder().no_proxy().tls_certs_only([]).redirect(Policy::none()).build();
    let client = client.unwrap();
    table::play_all(&client, |target| target.starts_with("tls")).await;
}

/// The errors of connections are those of OpenSSL, whose libraries not every machine has.
#[tokio::test]
async fn a_handshake_that_openssl_calls_cut_is_retried() {
    let _ = default_provider().install_default();
    for (message, attempts) in [
        ("unexpected EOF", 4),
        ("error:0A000126:SSL routines::unexpected eof while reading:../ssl/record.c:317:", 4),
        (
            "error:0A000086:SSL routines:tls_post_process_server_certificate:certificate verify failed",
            1,
        ),
    ] {
        let stops = Stops::default();
        let seen = Arc::clone(&stops);
        let retry = Retry::new("constant:base=1ms,max_retries=3".parse().unwrap());
        let middleware = RetryMiddleware::new(retry).on_stop(move |event| {
            seen.lock().unwrap().push((event.attempts, event.reason.unwrap()));
        });
        let fails = MapErrLayer::new(move |_: BoxError| BoxError::from(message));
        let client = Client::builder().no_proxy().tls_certs_only([]).connector_layer(fails);
        let client = ClientBuilder::new(client.build().unwrap()).with(middleware).build();
        // Nobody listens at this port.
        client.get("https://127.0.0.1:1/").send().await.unwrap_err();
        assert_eq!(stops.lock().unwrap()[0].0, attempts, "{message}");
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_accepted_is_not_retried() {
    let server = Secure::start().await;
    let other = Secure::start().await;
    for (host, accepted) in [
        ("localhost", &other.certificate), // somebody else's
        ("other", &server.certificate),    // another name
    ] {
        let before = server.seen().0;
        let (result, stops) = get(server.port, host, &[accepted]).await;
        let error = result.unwrap_err();
        assert!(error.is_connect(), "{host}: {error:?}");
        assert_eq!(*stops.lock().unwrap(), [(1, StopReason::Permanent)], "{host}: {error:?}");
        assert_eq!(server.seen(), (before + 1, 0), "{host}");
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
    let (result, stops) = get(port, "localhost", &[]).await;
    assert!(result.unwrap_err().is_connect());
    assert_eq!(*stops.lock().unwrap(), [(1, StopReason::Permanent)]);
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// reqwest does not show the status of the proxy, except for 407.
#[tokio::test]
async fn a_tunnel_that_a_proxy_refuses_is_requested_again() {
    let _ = default_provider().install_default();
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
        let retry = Retry::new("constant:base=1ms,max_retries=3".parse().unwrap());
        let proxy = reqwest::Proxy::https(format!("http://127.0.0.1:{port}")).unwrap();
        let client = Client::builder().proxy(proxy).tls_certs_only([]).build().unwrap();
        let client = ClientBuilder::new(client).with(RetryMiddleware::new(retry)).build();
        client.get("https://host.invalid/").send().await.unwrap_err();
        assert_eq!(asked.load(Ordering::SeqCst), attempts, "{status}");
    }
}
