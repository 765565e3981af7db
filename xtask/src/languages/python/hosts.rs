//! The adapters of Python on what they adapt.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use super::tools::{INPUTS, PROJECT};
use super::wheels::{installed, wheel};
use crate::compatibility::Ran;
use crate::fresh;
use crate::report::{Extent, Report};
use crate::servers::with_servers;
use crate::shell::{command, progress, root, run, scratch, stdout};
use crate::venv;

const OLDEST: &str = "bindings-python/tests/hosts/oldest.txt";

/// Tests the adapters on the newest versions of their hosts, and with `Extent::All` also on the
/// oldest ones that they support.
pub(crate) fn test(extent: Extent, report: &mut Report) {
    test_with("newest", installed, report);
    if extent == Extent::All {
        test_with("oldest", oldest, report);
    }
}

fn test_with(hosts: &str, environment: fn() -> Result<PathBuf>, report: &mut Report) {
    report.pytest(&format!("the adapters of Python, {hosts} hosts"), || {
        let mut python = command(environment()?.join("bin/python"));
        python
            .current_dir(scratch())
            .args(["-m", "pytest"])
            .arg(root().join("bindings-python/tests/hosts"));
        with_servers(&mut python)?;
        Ok(python)
    });
    match ran_on(environment) {
        Ok(rows) => report.ran(rows),
        Err(error) => {
            report.check(&format!("the versions of the {hosts} hosts of Python"), || Err(error));
        }
    }
}

/// The hosts of the environment, for the table of what was tested: the packages of the extras.
fn ran_on(environment: fn() -> Result<PathBuf>) -> Result<Vec<Ran>> {
    let project = fs::read_to_string(root().join(PROJECT))?;
    let extras = project
        .lines()
        .skip_while(|line| *line != "[project.optional-dependencies]")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let packages = extras.filter_map(|line| Some(line.split_once("[\"")?.1.split_once(">=")?.0));
    let version = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))";
    let rows: Vec<Ran> = packages
        .map(|package| {
            let mut python = command(environment()?.join("bin/python"));
            let version = stdout(python.args(["-c", version, package]))?;
            Ok(Ran::new("Python", "adapters", package, version.trim()))
        })
        .collect::<Result<_>>()?;
    ensure!(!rows.is_empty(), "{PROJECT} has no extras");
    Ok(rows)
}

/// The wheel with the oldest hosts.
fn oldest() -> Result<PathBuf> {
    let wheel = wheel()?;
    let folder = scratch().join("python-oldest");
    let inputs: Vec<&str> = [OLDEST].into_iter().chain(INPUTS).collect();
    fresh::unless_fresh(&folder, &inputs, || {
        progress("installing the oldest hosts of Python");
        venv::create(&folder)?;
        run(venv::install(&folder)?.args(["-r", OLDEST]).arg(&wheel))
    })?;
    Ok(folder)
}

/// A process of a fleet that shares a budget.
pub(crate) fn fleet() -> Result<Command> {
    program("fleet")
}

/// A job queue, on its newest version.
pub(crate) fn queue(name: &str) -> Result<Command> {
    program(&format!("{name}_job"))
}

fn program(name: &str) -> Result<Command> {
    let mut program = command(installed()?.join("bin/python"));
    program.current_dir(scratch());
    program.arg(root().join(format!("bindings-python/tests/queues/{name}.py")));
    Ok(program)
}
