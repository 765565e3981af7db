//! A server on loopback that the examples ask: it gives each connection the next answer of a
//! script.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

/// What a connection is answered, or nothing until the client goes.
pub(super) type Answer = Option<&'static str>;

/// When connections came, and when they were answered: before the answer was sent.
type Log = Arc<Mutex<Vec<[Instant; 2]>>>;

/// A running server. It runs until the program ends.
pub(super) struct Server {
    pub(super) port: u16,
    log: Log,
}

impl Server {
    /// A server of a script, whose last answer is given again and again.
    pub(super) fn start(script: &'static [Answer]) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self { port: listener.local_addr()?.port(), log: Log::default() };
        let log = Arc::clone(&server.log);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let came = Instant::now();
                locked(&log).push([came, came]);
                let Some(answer) = script.get(number).or(script.last()) else { return };
                let log = Arc::clone(&log);
                // A client that goes away is no error of the server's.
                thread::spawn(move || {
                    serve(&stream, *answer, || {
                        if let Some([_, answered]) = locked(&log).get_mut(number) {
                            *answered = Instant::now();
                        }
                    })
                    .ok()
                });
            }
        });
        Ok(server)
    }

    /// The time from each answer to the next connection.
    pub(super) fn gaps(&self) -> Vec<Duration> {
        let log = locked(&self.log);
        let next = log.iter().skip(1);
        log.iter()
            .zip(next)
            .map(|([_, answered], [came, _])| came.saturating_duration_since(*answered))
            .collect()
    }
}

fn serve(mut stream: &TcpStream, answer: Answer, answered: impl FnOnce()) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let Some(text) = answer else { return reader.read_to_end(&mut Vec::new()).map(drop) };
    // A connection that is closed with something unread is reset, and the answer lost.
    let mut head = String::new();
    while text.starts_with("HTTP") && !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            break;
        }
    }
    answered();
    stream.write_all(text.as_bytes())
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
