//! Running the command, and reading the vectors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub(crate) const BACKOFF: &str = env!("CARGO_BIN_EXE_backoff");

/// The command, with nothing in its environment that changes its output.
pub(crate) fn backoff() -> Command {
    let mut command = Command::new(BACKOFF);
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

pub(crate) fn output(arguments: &[&str]) -> Output {
    backoff().args(arguments).output().unwrap()
}

/// The standard output of a run that succeeds.
pub(crate) fn stdout(arguments: &[&str]) -> String {
    let output = output(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The lines of JSON of a run that succeeds.
pub(crate) fn json(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&[arguments, &["--json"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An empty folder of this test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("text").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub(crate) fn vectors(name: &str) -> Vec<Value> {
    let path = root().join("tests/vectors").join(name);
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert_eq!(cases.len() as u64, file["count"].as_u64().unwrap());
    cases
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("no text {member}: {value}"))
}
