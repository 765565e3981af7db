//! `backoff export` and `backoff import`. The tests of the crate `backoff-export` cover the formats.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::{backoff, json, output, stderr, stdout};

const POLICY: &str = "exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=3,\
                      retry_after_max=0s";

/// A run with this standard input.
fn run_on(text: &str, arguments: &[&str]) -> Output {
    let mut command = backoff();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn what_is_exported_is_imported() {
    for (options, lines) in
        [(&[][..], vec![POLICY]), (&["--budget=envoy"], vec![POLICY, "concurrent"])]
    {
        let arguments = [&["export", "--to=envoy", POLICY], options].concat();
        let text = stdout(&arguments);
        let line = &json(&arguments)[0];
        assert_eq!((&line["format"], &line["text"]), (&"envoy".into(), &text.as_str().into()));

        let run = run_on(&text, &["import", "--from", "envoy", "-"]);
        assert_eq!(String::from_utf8(run.stdout).unwrap().lines().collect::<Vec<_>>(), lines);
        assert_eq!(run.status.code(), Some(0));
        let run = run_on(&text, &["import", "--from", "envoy", "--json"]);
        let line: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(line["policy"], POLICY);
        assert_eq!(line["budget"], lines.get(1).map_or(Value::Null, |&budget| budget.into()));
    }
}

#[test]
fn each_field_without_an_equivalent_is_an_error() {
    let arguments = ["export", "--to", "k8s-job", "full:base=1s,floor=1ms,max_retries=3"];
    let run = output(&arguments);
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stdout.is_empty());
    let expected = "\
error: floor 1ms has no equivalent in a Kubernetes Job: it has no shortest delay; set floor=0s
error: jitter full has no equivalent in a Kubernetes Job: it draws nothing at random; set jitter=none
";
    assert_eq!(stderr(&run), expected);
    let run = output(&[&arguments[..], &["--json"]].concat());
    assert_eq!(run.status.code(), Some(1));
    let lines = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fields: Vec<_> = lines.iter().map(|line| [&line["field"], &line["value"]]).collect();
    assert_eq!(fields, [["floor", "1ms"], ["jitter", "full"]]);
    assert_eq!(lines[0]["reason"], "it has no shortest delay; set floor=0s");
    assert!(expected.contains(lines[1]["message"].as_str().unwrap()));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let run = run_on("{}", &["import", "--from", "grpc"]);
    assert_eq!(
        (run.status.code(), &*stderr(&run)),
        (Some(1), "error: standard input: methodConfig is missing\n")
    );
    let run = output(&["import", "--from", "grpc", "/nowhere/config.json"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).starts_with("error: cannot read /nowhere/config.json: "), "{run:?}");
    for arguments in [
        &["import", "--from", "grcp"][..],
        &["import"],
        &["export", "default"],
        &["export", "--to", "grpc", "ful:base=1s"],
        &["export", "--to", "grpc", "default", "--budget", "x"],
    ] {
        assert_eq!(output(arguments).status.code(), Some(2), "{arguments:?}");
    }
}
