//! The adapters of Python on what they adapt.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::{INPUTS, installed, wheel};
use crate::fresh;
use crate::languages::Queue;
use crate::report::{Extent, Report, Runner};
use crate::servers::with_servers;
use crate::shell::{command, progress, root, run, scratch};
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
    let results = scratch().join(format!("python-hosts-{hosts}.xml"));
    report.suite_of(
        &format!("the adapters of Python, {hosts} hosts"),
        Runner::Junit(results.clone()),
        || {
            let mut python = command(environment()?.join("bin/python"));
            python.current_dir(scratch()).args(["-m", "pytest", "-q", "--junitxml"]).arg(results);
            python.arg(root().join("bindings-python/tests/hosts"));
            with_servers(&mut python)?;
            Ok(python)
        },
    );
}

/// The wheel with the oldest hosts.
fn oldest() -> Result<PathBuf> {
    let wheel = wheel()?;
    let folder = scratch().join("python-oldest");
    let inputs: Vec<&str> = [OLDEST].into_iter().chain(INPUTS).collect();
    fresh::unless_fresh(&folder, &inputs, || {
        progress("installing the oldest hosts of Python");
        venv::create(&folder)?;
        run(venv::install(&folder).args(["-r", OLDEST]).arg(&wheel))
    })?;
    Ok(folder)
}

/// A process of a fleet that shares a budget.
pub(crate) fn fleet() -> Result<Command> {
    let mut program = command(installed()?.join("bin/python"));
    program.current_dir(scratch()).arg(root().join("bindings-python/tests/queues/fleet.py"));
    Ok(program)
}

/// The queues, on their newest versions.
pub(crate) fn queues() -> Result<Vec<Queue>> {
    let queue = |name, resolution| -> Result<Queue> {
        let mut program = command(installed()?.join("bin/python"));
        program.current_dir(scratch());
        program.arg(root().join(format!("bindings-python/tests/queues/{name}_job.py")));
        Ok(Queue { name, server: "redis", resolution, program })
    };
    Ok(vec![
        queue("celery", Duration::from_micros(1))?,
        // It counts whole milliseconds.
        queue("dramatiq", Duration::from_millis(1))?,
    ])
}
