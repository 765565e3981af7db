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

/// How the server treats one request or connection.
#[derive(Clone, Copy)]
pub enum Answer {
    /// An HTTP response: a status, a `Retry-After` in seconds, and a body.
    Status(u16, Option<u64>, &'static str),
    /// These bytes, then the end of the connection.
    Bytes(&'static str),
    /// A reset of the connection.
    Reset,
    /// Nothing, until the client closes the connection.
    Silence,
}

/// The answers that a client gets, in order. The last one repeats.
pub type Script = &'static [Answer];

/// One request or connection of a client.
#[derive(Clone, Copy)]
pub struct Visit {
    /// When the server had read the whole request, or had accepted the connection if it reads
    /// none.
    pub arrived: Instant,
    /// A moment before the first byte of the answer left, so no client can have read it earlier.
    /// Equal to `arrived` if there is no answer.
    pub answered: Instant,
}

/// How long a silent connection stays open if the client does not close it.
const PATIENCE: Duration = Duration::from_mins(1);

/// The visits of each client, by path.
type Log = Arc<Mutex<HashMap<String, Vec<Visit>>>>;

/// A running server. It runs until the program ends.
pub struct Server {
    /// The port on 127.0.0.1.
    pub port: u16,
    log: Log,
}

impl Server {
    /// Starts an HTTP server that follows the script for each path on its own.
    ///
    /// # Errors
    ///
    /// If there is no free port.
    pub fn of_requests(script: Script) -> Result<Self> {
        Self::start(move |stream, log| {
            let path = path_of(stream)?;
            let Some(path) = path else { return Ok(()) };
            answer(stream, script, log, &path)
        })
    }

    /// Starts a server that reads nothing and answers each connection by the script.
    ///
    /// # Errors
    ///
    /// If there is no free port.
    pub fn of_connections(script: Script) -> Result<Self> {
        Self::start(move |stream, log| answer(stream, script, log, "/"))
    }

    fn start(
        serve: impl Fn(&TcpStream, &Log) -> std::io::Result<()> + Clone + Send + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self { port: listener.local_addr()?.port(), log: Log::default() };
        let log = Arc::clone(&server.log);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (serve, log) = (serve.clone(), Arc::clone(&log));
                // A client may close its connection at any time: that is not an error here.
                thread::spawn(move || serve(&stream, &log).ok());
            }
        });
        Ok(server)
    }

    /// The URL of a client's path.
    #[must_use]
    pub fn url(&self, client: &str) -> String {
        format!("http://127.0.0.1:{}/{client}", self.port)
    }

    /// The visits of a client so far. The client "" is the path `/`, or every connection.
    #[must_use]
    pub fn visits(&self, client: &str) -> Vec<Visit> {
        locked(&self.log).get(&format!("/{client}")).cloned().unwrap_or_default()
    }
}

/// The time from each answer to the next visit.
#[must_use]
pub fn gaps(visits: &[Visit]) -> Vec<Duration> {
    iter::zip(visits, visits.iter().skip(1))
        .map(|(visit, next)| next.arrived.saturating_duration_since(visit.answered))
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

/// Answers one visit and closes the connection. A connection that stayed open would be used
/// again, and some HTTP clients repeat a request on such a connection by themselves.
fn answer(mut stream: &TcpStream, script: Script, log: &Log, path: &str) -> std::io::Result<()> {
    let now = Instant::now();
    let position = {
        let mut log = locked(log);
        let visits = log.entry(path.to_owned()).or_default();
        visits.push(Visit { arrived: now, answered: now });
        visits.len().saturating_sub(1)
    };
    let answered = || {
        let now = Instant::now();
        if let Some(visit) = locked(log).get_mut(path).and_then(|log| log.get_mut(position)) {
            visit.answered = now;
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
        Some(Answer::Bytes(bytes)) => {
            answered();
            stream.write_all(bytes.as_bytes())
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
