//! Real Redis and `PostgreSQL` servers for the tests of hosts, from wheels that carry them.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::fresh;
use crate::report::Report;
use crate::shell::{command, empty, line, progress, root, run, scratch, stdout};
use crate::venv;

const REQUIREMENTS: &str = "tests/integrations/requirements.txt";

/// A server that stops when this is dropped.
pub(crate) struct Server {
    name: &'static str,
    process: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    pub(crate) fn start(name: &'static str) -> Result<Self> {
        let mut program = program()?;
        program.arg(name).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process =
            program.spawn().with_context(|| format!("cannot run {}", line(&program)))?;
        let commands = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().context("no output")?);
        let mut server = Self { name, process, commands, answers, address: String::new() };
        let addresses: serde_json::Value = serde_json::from_str(&server.answer()?)
            .with_context(|| format!("{name} does not start"))?;
        addresses[name].as_str().context("no address")?.clone_into(&mut server.address);
        Ok(server)
    }

    /// Its URL.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Stops the server, or starts it again at its address with its data.
    pub(crate) fn tell(&mut self, verb: &str) -> Result<()> {
        let commands = self.commands.as_mut().context("no input")?;
        writeln!(commands, "{verb} {}", self.name)?;
        let answer = self.answer()?;
        ensure!(answer == "done\n", "{verb} {}: {answer}", self.name);
        Ok(())
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input stops it.
        drop(self.commands.take());
        let _ = self.process.wait();
    }
}

/// The program that starts servers (`tests/integrations/servers.py`).
fn program() -> Result<Command> {
    let [python, script] = words()?;
    let mut program = command(python);
    program.arg(script);
    Ok(program)
}

/// Checks that the servers run where only their owner may enter the folders of the project and of
/// temporary files.
pub(crate) fn test(report: &mut Report) {
    report.check("the servers run in folders that only root may enter", || {
        let folder = scratch().join("only-its-owner-may-enter");
        empty(&folder)?;
        #[cfg(unix)]
        fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        // Without input they stop at once.
        let printed = stdout(program()?.args(["redis", "postgres"]).env("TMPDIR", &folder))?;
        ensure!(printed.contains("redis://") && printed.contains("postgres://"), "{printed}");
        let left = fs::read_dir(&folder)?.count();
        ensure!(left == 0, "{left} files are left in {}", folder.display());
        Ok(())
    });
}

/// The version of a server.
pub(crate) fn version(name: &str) -> Result<String> {
    let printed = stdout(program()?.arg("--versions"))?;
    let versions: serde_json::Value = serde_json::from_str(&printed)?;
    Ok(versions[name].as_str().context("no version")?.to_owned())
}

/// A program that has the clients of the servers.
pub(crate) fn client(script: &str) -> Result<Command> {
    let [python, _] = words()?;
    let mut program = command(python);
    program.arg(script);
    Ok(program)
}

/// Tells a test, in the variable `BACKOFF_SERVERS`, the program that starts servers: a JSON array of
/// words, to which the names of servers are appended.
pub(crate) fn with_servers(test: &mut Command) -> Result<&mut Command> {
    Ok(test.env("BACKOFF_SERVERS", serde_json::to_string(&words()?)?))
}

fn words() -> Result<[PathBuf; 2]> {
    let folder = scratch().join("servers");
    fresh::unless_fresh(&folder, &[REQUIREMENTS], || {
        progress("installing the servers");
        venv::create(&folder)?;
        run(venv::install(&folder)?.args(["-r", REQUIREMENTS]))
    })?;
    Ok([folder.join("bin/python"), root().join("tests/integrations/servers.py")])
}
