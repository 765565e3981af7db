//! Where results go: standard output, as JSON or as text with colours on a terminal only.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use anyhow::Result;
use serde::Serialize;

/// `CLICOLOR_FORCE=0` forces no colours, but `anstream` takes any value for a yes.
pub(crate) fn choose_colors() {
    let is_zero = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value == "0");
    // A terminal gets colours as without the variable.
    if is_zero && !(io::stdout().is_terminal() && io::stderr().is_terminal()) {
        ColorChoice::Never.write_global();
    }
}

pub(crate) struct Output {
    json: bool,
    // `anstream` removes colours unless this is a terminal, and obeys `NO_COLOR` and
    // `CLICOLOR_FORCE`.
    stdout: AutoStream<Box<dyn Write>>,
}

/// A stream that may be a pipe which does not block: another process can make it so for all who have it.
struct Patient<W>(W);

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        patiently(|| self.0.write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        patiently(|| self.0.flush())
    }
}

/// Writes to standard output as soon as it takes more.
fn patiently<T>(mut write: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match write() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => wait_for_reader()?,
            result => {
                let named = |error: io::Error| {
                    let text = format!("cannot write standard output: {error}");
                    io::Error::new(error.kind(), text)
                };
                return result.map_err(named);
            }
        }
    }
}

#[cfg(unix)]
fn wait_for_reader() -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    match poll(&mut [PollFd::new(&io::stdout(), PollFlags::OUT)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn wait_for_reader() -> io::Result<()> {
    std::thread::sleep(std::time::Duration::from_millis(1));
    Ok(())
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let choice = AutoStream::choice(&io::stdout());
        let stdout = Box::new(Patient(io::stdout().lock()));
        Self { json, stdout: AutoStream::new(stdout, choice) }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.stdout.write_all(&line)?;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stdout.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}

/// Writes a line, or lines, to standard error in one call, so that processes that share it do not mix
/// their texts. If nobody can read it, nothing is lost that could be told.
pub(crate) fn message(line: impl Display) {
    let mut text = Vec::new();
    // Without colours `anstream` would write the parts between them one by one.
    let choice = AutoStream::choice(&io::stderr());
    let _ = writeln!(AutoStream::new(&mut text, choice), "{line}");
    let _ = io::stderr().write_all(&text);
}

/// `error:` as clap prints it.
pub(crate) fn error_label() -> String {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    format!("{style}error:{style:#}")
}
