//! A server on loopback that follows a script, and a log of when its clients came.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::iter;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use socket2::SockRef;

/// How the server treats one request.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// An HTTP response: a status, a `Retry-After` in seconds, and a body.
    Status(u16, Option<u64>, &'static str),
    /// A reset of the connection.
    Reset,
    /// Nothing, until the client closes the connection.
    Silence,
}

/// The answers that a client gets, in order. The last one repeats.
pub(crate) type Script = &'static [Answer];

/// One request of a client.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// When the server had read the whole request.
    pub(crate) arrived: Instant,
    /// A moment before the first byte of the answer left, so no client can have read it earlier.
    /// Equal to `arrived` if there is no answer.
    pub(crate) answered: Instant,
}

/// How long a silent connection stays open if the client does not close it.
const PATIENCE: Duration = Duration::from_mins(1);

/// The requests of each client, by path.
type Log = Arc<Mutex<HashMap<String, Vec<Request>>>>;

/// A running server. It runs until the program ends.
pub(crate) struct Server {
    port: u16,
    log: Log,
}

impl Server {
    /// Starts an HTTP server that follows the script for each client on its own.
    pub(crate) fn start(script: Script) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self { port: listener.local_addr()?.port(), log: Log::default() };
        let log = Arc::clone(&server.log);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                // A client may close its connection at any time: that is not an error here.
                thread::spawn(move || serve(&stream, script, &log).ok());
            }
        });
        Ok(server)
    }

    /// The URL of a client's path.
    pub(crate) fn url(&self, client: &str) -> String {
        format!("http://127.0.0.1:{}/{client}", self.port)
    }

    /// The requests of a client so far.
    pub(crate) fn requests(&self, client: &str) -> Vec<Request> {
        locked(&self.log).get(&format!("/{client}")).cloned().unwrap_or_default()
    }
}

/// The time from each answer to the next request.
pub(crate) fn gaps(requests: &[Request]) -> Vec<Duration> {
    iter::zip(requests, requests.iter().skip(1))
        .map(|(request, next)| next.arrived.saturating_duration_since(request.answered))
        .collect()
}

/// The path of a request. Reads the whole head: closing a connection with unread input resets
/// it, and the client would lose the answer.
fn path_of(stream: &TcpStream) -> std::io::Result<Option<String>> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
    }
    Ok(head.split(' ').nth(1).map(str::to_owned))
}

/// Answers one request and closes the connection. A connection that stayed open would be used
/// again, and some HTTP clients repeat a request on such a connection by themselves.
fn serve(mut stream: &TcpStream, script: Script, log: &Log) -> std::io::Result<()> {
    let Some(path) = path_of(stream)? else { return Ok(()) };
    let now = Instant::now();
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
            stream.read(&mut [0]).map(drop)
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
