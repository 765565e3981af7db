//! `backoff export` and `backoff import`. The tests of the crate `backoff-export` cover the formats.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{BACKOFF, backoff, json, output, stderr, stdout};

const POLICY: &str = "exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=3,\
                      retry_after_max=0s";

/// A run with this standard input.
fn run_on(text: &str, arguments: &[&str]) -> Output {
    let mut command = backoff();
    command.args(arguments);
    run_with(command, text)
}

fn run_with(mut command: Command, text: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn what_is_exported_is_imported() {
    for (options, lines) in [
        // Envoy's own limit stays.
        (&[][..], vec![POLICY, "concurrent:ratio=0"]),
        (&["--budget=envoy"], vec![POLICY, "concurrent"]),
        (&["--budget=envoy", "--yaml"], vec![POLICY, "concurrent"]),
    ] {
        let arguments = [&["export", "--to=envoy", POLICY], options].concat();
        let text = stdout(&arguments);
        assert_eq!(text.starts_with("retry_policy:\n"), options.contains(&"--yaml"), "{text}");
        let line = &json(&arguments)[0];
        assert_eq!((&line["format"], &line["text"]), (&"envoy".into(), &text.as_str().into()));
        assert_eq!(
            (&line["policy"], &line["differences"]),
            (&POLICY.into(), &Value::Array(vec![]))
        );

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
    let tip = "  tip: --nearest exports the nearest policy that a Kubernetes Job has, and lists the \
               differences\n";
    assert_eq!(stderr(&run), format!("{expected}{tip}"));
    let run = output(&[&arguments[..], &["--json"]].concat());
    assert_eq!(run.status.code(), Some(1));
    let lines = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fields: Vec<_> = lines.iter().map(|line| [&line["field"], &line["value"]]).collect();
    assert_eq!(fields, [["floor", "1ms"], ["jitter", "full"]]);
    assert_eq!(lines[0]["reason"], "it has no shortest delay; set floor=0s");
    assert!(expected.contains(lines[1]["message"].as_str().unwrap()));
}

/// The configuration alone goes to standard output, and what it does not say to standard error.
#[test]
fn the_nearest_export_lists_the_differences() {
    let arguments = ["export", "--to", "step-functions", "aws-sdk-2026", "--nearest"];
    let run = backoff().args(arguments).env("COLUMNS", "100").output().unwrap();
    assert_eq!(run.status.code(), Some(0));
    let text = String::from_utf8(run.stdout.clone()).unwrap();
    assert!(text.starts_with("{\n  \"Retry\": [") && text.ends_with("}\n"), "{text}");
    let expected = "\
warning: Step Functions does not do what the policy says:

field                  policy  Step Functions  why
base                   50ms    1s              IntervalSeconds is a whole number from 1 to 99999999
retry_after_max_extra  5s      none            no server can ask it to wait

";
    assert_eq!(stderr(&run), expected);

    let line = &json(&arguments)[0];
    let differences = line["differences"].as_array().unwrap();
    let of = |index: usize, member: &str| differences[index][member].as_str().unwrap();
    let first = ["field", "policy", "engine"].map(|member| of(0, member));
    assert_eq!(first, ["base", "50ms", "1s"]);
    assert_eq!(differences.len(), 2);
    assert_eq!(line["policy"], "exponential:base=1s,cap=20s,jitter=full,max_retries=2");
}

/// An exact export may be exact under a condition.
#[test]
fn warnings_go_to_standard_error() {
    let two = "constant:base=0s,max_retries=2,retry_after_max=0s";
    let nginx = |servers: &[&str]| output(&[&["export", "--to=nginx", two], servers].concat());
    let run = nginx(&[]);
    assert_eq!(run.status.code(), Some(0));
    assert!(stderr(&run).starts_with("warning: nginx tries each server of the upstream once: "));
    assert_eq!(stderr(&nginx(&["--servers=3"])), "");
    let run = nginx(&["--servers=2"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("each of the 2 servers once; set max_retries=1"), "{run:?}");
    let run = output(&["export", "--to=nginx", "none:retry_after_max=0s"]);
    assert_eq!((run.status.code(), run.stdout.len()), (Some(1), 0), "{run:?}");

    let run = output(&["export", "--to=envoy", POLICY]);
    assert!(stderr(&run).starts_with("warning: the policy does not limit how many retries run "));
    assert!(!String::from_utf8(run.stdout).unwrap().contains("4294967295"));
    assert_eq!(stderr(&output(&["export", "--to=envoy", "--budget=envoy", POLICY])), "");

    let tries = "proxy_next_upstream_tries 3;";
    let run = run_on(tries, &["import", "--from=nginx"]);
    assert!(stderr(&run).starts_with("warning: with fewer than 3 servers "), "{run:?}");
    let run = run_on(tries, &["import", "--from=nginx", "--servers=2"]);
    assert!(run.stdout.starts_with(b"constant:base=0s,max_retries=1,"), "{run:?}");
    assert_eq!(stderr(&run), "");
    for wrong in ["--to=envoy --servers=2", "--to=nginx --yaml", "--to=nginx --servers=0"] {
        let arguments = ["export", two].into_iter().chain(wrong.split(' '));
        let run = output(&arguments.collect::<Vec<_>>());
        assert_eq!(run.status.code(), Some(2), "{wrong}: {run:?}");
    }
}

#[test]
fn a_manifest_with_several_policies_needs_a_place() {
    let text = "kind: VirtualService\nspec:\n  http:\n    - retries: {attempts: 1}\n    - retries: \
                {attempts: 2}\n";
    let run = run_on(text, &["import", "--from=istio"]);
    assert_eq!(run.status.code(), Some(1));
    let expected = "\
error: standard input: 2 places have policies, which differ:
  spec.http[0].retries  exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,\
max_retries=1,retry_after_max=0s
  spec.http[1].retries  exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,\
max_retries=2,retry_after_max=0s
  tip: --at chooses a place, such as --at 'spec.http[0].retries'
";
    assert_eq!(stderr(&run), expected);
    let run = run_on(text, &["import", "--from=istio", "--at=spec.http[1]"]);
    assert_eq!(run.stdout, format!("{}\n", POLICY.replace("=3", "=2")).as_bytes(), "{run:?}");
}

/// The place of the tip is one of the file, in the words of a shell.
#[test]
fn the_tip_names_a_place_of_the_file() {
    let text = r#"server { location "~ it's" { proxy_pass http://a; proxy_next_upstream_tries 2; }
        location /b { proxy_pass http://a; proxy_next_upstream_tries 3; } }"#;
    let error = stderr(&run_on(text, &["import", "--from=nginx"]));
    let (_, option) = error.split_once("such as --at ").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec \"$BACKOFF\" import --from=nginx --at {option}")]);
    shell.env("BACKOFF", BACKOFF);
    let run = run_with(shell, text);
    assert_eq!(run.status.code(), Some(0), "{error}");
    assert!(run.stdout.starts_with(b"constant:base=0s,max_retries=1,"), "{run:?}");
}

/// A warning on standard error names what the policy does not take over.
#[test]
fn a_limit_of_time_is_named() {
    let text = "kind: Job\nspec: {activeDeadlineSeconds: 600, backoffLimit: 3}\n";
    let run = run_on(text, &["import", "--from=k8s-job"]);
    assert_eq!(run.stdout, b"exponential:base=10s,cap=10m,max_retries=3\n");
    let warning = "spec.activeDeadlineSeconds 600 is not imported: it limits all attempts together; \
                   add max_elapsed=10m, which ends no attempt that is under way, or a deadline in the \
                   caller";
    assert_eq!(stderr(&run), format!("warning: {warning}\n"));
    let run = run_on(text, &["import", "--from=k8s-job", "--json"]);
    let line: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&line["warnings"][0], &*stderr(&run)), (&warning.into(), ""));
}

#[test]
fn where_nothing_is_near_there_is_no_tip() {
    for options in [&[][..], &["--nearest"]] {
        let run = output(&[&["export", "--to=grpc", "off"], options].concat());
        let error = "error: max_retries 0 has no equivalent in gRPC: its maxAttempts is at least 2; \
                     leave retryPolicy out, and it does not retry\n";
        assert_eq!((run.status.code(), &*stderr(&run)), (Some(1), error));
    }
    let run = output(&["export", "--to=nginx", "none:retry_after_max=0s"]);
    assert!(!stderr(&run).contains("--nearest"), "{run:?}");
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
    // Neither has an end. What is quoted is cut.
    let run = output(&["import", "--from", "nginx", "/dev/zero"]);
    let error = "error: cannot read /dev/zero: it is longer than 16777216 bytes\n";
    assert_eq!((run.status.code(), &*stderr(&run)), (Some(1), error));
    let tries = format!("proxy_next_upstream_tries {};", "9".repeat(1 << 20));
    let run = run_on(&tries, &["import", "--from", "nginx"]);
    let nines = "9".repeat(32);
    assert!(
        stderr(&run).contains(&format!("\"{nines}...\" is not a number from 0 to ")),
        "{run:?}"
    );
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
