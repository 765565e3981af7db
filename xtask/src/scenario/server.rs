//! A server on loopback that fails by a script, and a log of what each client asked and when.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use socket2::SockRef;

/// What the server does with a request.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// A status, a `Retry-After` in seconds, and a body.
    Status(u16, Option<u64>, &'static str),
    /// The connection is reset.
    Reset,
    /// Nothing, until the client goes.
    Silence,
}

/// A request as the server saw it.
#[derive(Clone, Copy)]
pub(super) struct Request {
    /// When all of its head had been read.
    pub(super) arrived: Instant,
    /// Before the first byte of the answer was given to the system, so before any client can
    /// have it; of no answer, when the request had arrived.
    pub(super) answered: Instant,
}

/// For how long a client may keep a connection on which nothing is answered.
const PATIENCE: Duration = Duration::from_secs(20);

type Log = Arc<Mutex<HashMap<String, Vec<Request>>>>;

/// A running server. It runs until the program ends.
pub(super) struct Server {
    address: SocketAddr,
    log: Log,
}

impl Server {
    /// A server that gives each path the answers of the script, one after another, and the last
    /// one again to whoever asks on.
    pub(super) fn start(script: &'static [Answer]) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self { address: listener.local_addr()?, log: Log::default() };
        let log = Arc::clone(&server.log);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                // A client that goes away is no error of the server's.
                thread::spawn(move || serve(&stream, script, &log).ok());
            }
        });
        Ok(server)
    }

    /// Where a client finds it.
    pub(super) fn url(&self, client: &str) -> String {
        format!("http://{}/{client}", self.address)
    }

    /// What a client has asked so far.
    pub(super) fn requests(&self, client: &str) -> Vec<Request> {
        locked(&self.log).get(&format!("/{client}")).cloned().unwrap_or_default()
    }
}

/// Answers one request. Connections are not kept: some clients repeat a request by themselves
/// on one that was.
fn serve(mut stream: &TcpStream, script: &[Answer], log: &Log) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let now = Instant::now();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let position = {
        let mut log = locked(log);
        let requests = log.entry(path.clone()).or_default();
        requests.push(Request { arrived: now, answered: now });
        requests.len().saturating_sub(1)
    };
    let answered = || {
        let now = Instant::now();
        if let Some(request) = locked(log).get_mut(&path).and_then(|log| log.get_mut(position)) {
            request.answered = now;
        }
    };
    match script.get(position).or(script.last()) {
        Some(Answer::Status(status, retry_after, body)) => {
            let retry_after =
                retry_after.map(|after| format!("Retry-After: {after}\r\n")).unwrap_or_default();
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status} Scripted\r\n{retry_after}Content-Length: {length}\r\n\
                 Connection: close\r\n\r\n{body}"
            );
            answered();
            stream.write_all(answer.as_bytes())
        }
        Some(Answer::Reset) => {
            answered();
            SockRef::from(stream).set_linger(Some(Duration::ZERO))
        }
        Some(Answer::Silence) | None => {
            stream.set_read_timeout(Some(PATIENCE))?;
            reader.read(&mut [0]).map(drop)
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
