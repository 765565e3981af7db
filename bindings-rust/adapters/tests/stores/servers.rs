//! A real server, which the program in `BACKOFF_SERVERS` starts.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server, which stops when this is dropped.
pub(crate) struct Server {
    name: &'static str,
    pub(crate) address: String,
    process: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(name: &'static str) -> Self {
        let words = std::env::var("BACKOFF_SERVERS").expect(
            "BACKOFF_SERVERS must be the program that starts servers, as an array of words in JSON: \
             `cargo xtask test hosts` sets it",
        );
        let words: Vec<&str> = words.split('"').skip(1).step_by(2).collect();
        let mut process = Command::new(words[0])
            .args(&words[1..])
            .arg(name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut answers = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        let address = line.split('"').nth(3).unwrap_or_else(|| panic!("it printed {line:?}"));
        let (address, commands) = (address.to_owned(), process.stdin.take());
        Self { name, address, process, commands, answers }
    }

    /// `start` or `kill`.
    pub(crate) fn tell(&mut self, verb: &str) {
        writeln!(self.commands.as_mut().unwrap(), "{verb} {}", self.name).unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        assert_eq!(line, "done\n");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input.
        drop(self.commands.take());
        let _ = self.process.wait();
    }
}
