//! A server on loopback that fails by a script, and a log of who came when.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::iter;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use socket2::SockRef;

/// What whoever comes is answered.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// To a request: a status, a `Retry-After` in seconds, and a body.
    Status(u16, Option<u64>, &'static str),
    /// These bytes, and no more.
    Bytes(&'static str),
    /// The connection is reset.
    Reset,
    /// Nothing, until the client goes.
    Silence,
}

/// A script, whose last answer is given again and again.
pub(crate) type Script = &'static [Answer];

/// A client that came.
#[derive(Clone, Copy)]
pub(crate) struct Visit {
    /// When all of its request had been read, or it had connected where none is.
    pub(crate) arrived: Instant,
    /// Before the first byte of the answer was given to the system, so before any client can
    /// have it; of no answer, when the client had arrived.
    pub(crate) answered: Instant,
}

/// For how long a client may keep a connection on which nothing is answered.
const PATIENCE: Duration = Duration::from_secs(20);

/// The visits of each client.
type Log = Arc<Mutex<HashMap<String, Vec<Visit>>>>;

/// A running server. It runs until the program ends.
pub(crate) struct Server {
    pub(crate) port: u16,
    log: Log,
}

impl Server {
    /// A server of HTTP that plays its script to each client by itself.
    pub(crate) fn of_requests(script: Script) -> Result<Self> {
        Self::start(move |stream, log| {
            let path = path_of(stream)?;
            let Some(path) = path else { return Ok(()) };
            answer(stream, script, log, &path)
        })
    }

    /// A server that reads nothing, and plays its script to whoever connects.
    pub(crate) fn of_connections(script: Script) -> Result<Self> {
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
                // A client that goes away is no error of the server's.
                thread::spawn(move || serve(&stream, &log).ok());
            }
        });
        Ok(server)
    }

    /// Where a client finds it.
    pub(crate) fn url(&self, client: &str) -> String {
        format!("http://127.0.0.1:{}/{client}", self.port)
    }

    /// The visits of a client so far; "" is who asks for no path.
    pub(crate) fn visits(&self, client: &str) -> Vec<Visit> {
        locked(&self.log).get(&format!("/{client}")).cloned().unwrap_or_default()
    }
}

/// The time from each answer to the next visit.
pub(crate) fn gaps(visits: &[Visit]) -> Vec<Duration> {
    iter::zip(visits, visits.iter().skip(1))
        .map(|(visit, next)| next.arrived.saturating_duration_since(visit.answered))
        .collect()
}

/// The path of a request, once all of its head is read: a connection that is closed with
/// something unread is reset, and the answer lost.
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

/// Answers a client. Connections are not kept: some clients repeat a request by themselves on one
/// that was.
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
