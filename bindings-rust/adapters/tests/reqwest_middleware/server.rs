//! A server that answers requests as a script says, one request after another.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// These bytes. The connection stays open.
    Bytes(String),
    /// These bytes, and then the end of the connection.
    Last(String),
    /// The request is not read, so the system resets the connection.
    Reset,
    /// Nothing until the client goes away.
    Silence,
}

/// A response with these lines of header fields and this body.
pub(crate) fn response(status: u16, fields: &str, body: &str) -> Answer {
    let length = body.len();
    Answer::Bytes(format!(
        "HTTP/1.1 {status} Scripted\r\n{fields}Content-Length: {length}\r\n\r\n{body}"
    ))
}

pub(crate) fn status(status: u16) -> Answer {
    response(status, "", "text")
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<String>>,
    connections: AtomicUsize,
    open: AtomicUsize,
}

pub(crate) struct Server {
    port: u16,
    seen: Arc<Seen>,
}

impl Server {
    /// The last answer of the script is given again and again.
    pub(crate) fn start(script: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Seen>::default();
        let (script, shared) = (Arc::new(script), Arc::clone(&seen));
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&shared));
                seen.connections.fetch_add(1, Ordering::SeqCst);
                seen.open.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    // A client may go away at any time.
                    let _ = serve(connection.unwrap(), &script, &seen);
                    seen.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The requests so far: method, path and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// The number of connections that clients opened.
    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Waits until no client has a connection.
    pub(crate) async fn all_closed(&self) {
        let begun = Instant::now();
        while self.seen.open.load(Ordering::SeqCst) > 0 {
            assert!(begun.elapsed() < Duration::from_secs(30), "a connection is open");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn serve(mut connection: TcpStream, script: &[Answer], seen: &Seen) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let (head, length) = loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    name.eq_ignore_ascii_case("content-length").then(|| value.parse().unwrap())
                });
                let length = length.unwrap_or(0);
                if body.len() >= length {
                    break (head.to_owned(), body.to_owned());
                }
            }
            // Looks before it takes, so that a connection can be closed with unread bytes.
            let found = connection.peek(&mut part)?;
            if found == 0 {
                return Ok(());
            }
            let next = seen.requests.lock().unwrap().len();
            if bytes.is_empty() && matches!(script[next.min(script.len() - 1)], Answer::Reset) {
                seen.requests.lock().unwrap().push("reset".to_owned());
                return Ok(());
            }
            let count = connection.read(&mut part)?;
            bytes.extend(&part[..count]);
        };
        bytes.clear();
        let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1");
        let number = {
            let mut requests = seen.requests.lock().unwrap();
            requests.push(format!("{line} {length}").trim_end().to_owned());
            requests.len() - 1
        };
        match &script[number.min(script.len() - 1)] {
            Answer::Bytes(answer) => connection.write_all(answer.as_bytes())?,
            Answer::Last(answer) => return connection.write_all(answer.as_bytes()),
            Answer::Silence => {
                while connection.read(&mut part)? > 0 {}
                return Ok(());
            }
            Answer::Reset => return Ok(()),
        }
    }
}
