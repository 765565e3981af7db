//! `backoff verify` against evaluators that are right, and against many that are not.
//!
//! The right answers come from `tests/evaluate.py`, the reference, which shares no code with the
//! core.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// No test waits as long: a slow machine is not a program that hangs.
const PATIENT: &str = "--timeout=1h";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn verify(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backoff"));
    command.current_dir(root()).arg("verify").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn json(output: &Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What `--json` tells about an evaluator with a fault: the failures and the summary.
fn of_fault(fault: &str, options: &[&str]) -> (Vec<Value>, Value) {
    let command = ["--json", "--", "python3", "tools/cli/tests/wrong_evaluator.py", fault];
    let output = verify(&[options, &command].concat());
    assert_eq!(output.status.code(), Some(1), "{fault}: {output:?}");
    let mut lines = json(&output);
    let summary = lines.pop().unwrap();
    assert_eq!(summary["ok"], false, "{fault}");
    (lines, summary)
}

/// The clauses that did not pass.
fn failed(summary: &Value) -> Vec<&str> {
    let clauses = summary["clauses"].as_array().unwrap().iter();
    let failed = clauses.filter(|one| one["failed"] != 0 || one["unanswered"] != 0);
    failed.map(|one| one["clause"].as_str().unwrap()).collect()
}

fn remarks(summary: &Value) -> String {
    [summary["problems"].to_string(), summary["hints"].to_string()].concat()
}

/// What `verify` prints about an evaluator with a fault. It has this exit code, and says these texts.
fn says(fault: &str, options: &[&str], code: i32, texts: &[&str]) -> String {
    let command = ["--", "python3", "tools/cli/tests/wrong_evaluator.py", fault];
    let output = verify(&[&[PATIENT], options, &command].concat());
    assert_eq!(output.status.code(), Some(code), "{fault}: {output:?}");
    for text in texts {
        assert!(stdout(&output).contains(text), "{fault}: {output:?}");
    }
    stdout(&output).to_owned()
}

#[test]
fn no_id_is_used_twice_and_some_requests_are_no_text() {
    let listed = json(&verify(&["--list", "--json"]));
    let ids: BTreeSet<_> = listed.iter().map(|line| line["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), listed.len());
    let bytes = listed.iter().filter(|line| line["request"].is_null());
    let hex: BTreeSet<_> = bytes.map(|line| line["request_hex"].as_str().unwrap()).collect();
    assert!(hex.contains("7b22706f6c696379223a226e6f6e65227dff"), "{hex:?}");
}

#[test]
fn the_reference_passes() {
    let output = verify(&[PATIENT, "--", "python3", "tests/evaluate.py"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = stdout(&output);
    let count = json(&verify(&["--list", "--json"])).len();
    assert!(text.ends_with(&format!("\npassed: {count} of {count} answers are right\n")), "{text}");
    assert!(text.contains("not checked by this protocol"), "{text}");
    assert!(text.contains("\n5.2 "), "{text}");
}

#[test]
fn an_evaluator_may_answer_each_line_or_all_of_them() {
    for evaluator in ["none", "flush"] {
        says(evaluator, &["--clause=15"], 0, &[]);
    }
}

#[test]
fn a_wrong_rule_fails_in_its_clause_and_not_elsewhere() {
    let table: [(&str, &[&str], &[&str]); 14] = [
        ("key", &["3.2"], &["2.1", "3.1", "4.1", "5.2", "8.4", "11.5", "16.5"]),
        ("sample", &["2.1", "4.1"], &["5.2", "8.4", "11.5", "16.2", "protocol"]),
        ("cap", &["7.1"], &["2.1", "3.2", "4.1", "5.2", "7.2", "8.5", "11.8", "16.2", "protocol"]),
        ("canonical", &["11.3"], &["2.1", "6.1", "11.2", "11.4", "11.5", "12.1", "13.4", "16.5"]),
        ("position", &["11.5"], &["8.4", "11.4", "11.6", "15.2", "16.5", "protocol"]),
        ("spread", &["13.5"], &["6.1", "13.4", "13.6", "16.2", "protocol"]),
        ("throttle", &["15.3"], &["13.4", "13.5", "13.6", "15.1", "15.2", "protocol"]),
        ("plus", &["14.1"], &["14.3", "13.5", "16.5", "protocol"]),
        ("one-quota", &["14.5"], &["14.1", "14.4", "protocol"]),
        ("ranges", &["15.6"], &["15.3", "15.5", "protocol"]),
        ("late", &["15.7"], &["13.4", "15.3", "15.5", "15.6", "protocol"]),
        ("mean", &["16.2", "16.3"], &["6.1", "6.3", "16.5", "protocol"]),
        ("fit", &["16.5"], &["16.2", "16.3", "16.4", "15.3"]),
        ("digits", &["protocol"], &["2.1", "3.2", "13.4", "14.1", "16.5"]),
    ];
    for (fault, wrong, right) in table {
        let asked: Vec<_> =
            wrong.iter().chain(right).map(|one| format!("--clause={one}")).collect();
        let options: Vec<_> = asked.iter().map(String::as_str).chain([PATIENT]).collect();
        let (failures, summary) = of_fault(fault, &options);
        let failed = failed(&summary);
        assert!(wrong.iter().all(|clause| failed.contains(clause)), "{fault}: {failed:?}");
        assert!(!right.iter().any(|clause| failed.contains(clause)), "{fault}: {failed:?}");
        assert_eq!(remarks(&summary), "[][]", "{fault}");
        assert_eq!(failures.len(), usize::try_from(summary["failed"].as_u64().unwrap()).unwrap());
        for failure in failures {
            assert_eq!(failure["type"], "failure");
            assert_ne!(failure["answer"], failure["expected"], "{failure}");
            assert!(!failure["why"].as_str().unwrap().is_empty(), "{failure}");
        }
    }
}

#[test]
fn a_failure_tells_what_differs() {
    let (failures, _) = of_fault("plus", &[PATIENT]);
    let failure = failures.iter().find(|failure| failure["id"] == "retry_after/plus").unwrap();
    assert_eq!(failure["request"], r#"{"retry_after":{"value":"+1","now":"0"}}"#);
    assert_eq!(failure["expected"], r#"{"retry_after":null}"#);
    assert_eq!(failure["answer"], r#"{"retry_after":"1000000000"}"#);
    assert_eq!(failure["at"], 15);
    assert_eq!(failure["members"][0], "retry_after");
}

#[test]
fn a_port_of_a_part_is_asked_about_its_part() {
    let asked = json(&verify(&["--list", "--json", "--only", "delay_ns"]));
    assert!(asked.len() > 600, "{}", asked.len());
    let expected = |line: &Value| line["expected"].as_str().unwrap().to_owned();
    assert!(asked.iter().map(expected).all(|text| text.starts_with(r#"{"delay_ns":""#)));
    let count = asked.len();
    let end = format!("\npassed: {count} of {count} answers are right\n");
    says("delays", &["--only", "delay_ns"], 0, &[&end]);
    // The right delay in another form is a failure unless only the delay is compared.
    says("delays", &["--clause=2.1"], 1, &[]);
    says("delays", &["--clause=2.1", "--only=canonical"], 1, &[]);

    let (failures, summary) = of_fault("wrong-delays", &[PATIENT, "--only=delay_ns"]);
    assert!(failed(&summary).contains(&"5.2") && !failed(&summary).contains(&"2.1"), "{summary}");
    let difference = (&failures[0]["at"], &failures[0]["members"][0]);
    assert_eq!(difference, (&Value::Null, &"delay_ns".into()));
    says("wrong-delays", &["--only=delay_ns"], 1, &["\n    differs (delay_ns)\n"]);
}

/// The fault is found among what the program does not do.
#[test]
fn what_a_program_does_not_answer_hides_no_failure() {
    let options = ["--clause=5", "--clause=14", "--only=delay_ns", "--only=retry_after"];
    let text = says("delays", &options, 0, &["  unsupported  what\n", " are unsupported\n"]);
    assert!(!text.contains("14.1 Retry"), "{text}");
    let arguments = [&[PATIENT, "--limit=1"], &options[..]].concat();
    let (failures, summary) = of_fault("wrong-delays", &arguments);
    assert_eq!((&failures[0]["clause"], failed(&summary)), (&"5.2".into(), vec!["5.2"]));
    assert!(summary["unsupported"].as_u64() > Some(30), "{summary}");
}

#[test]
fn a_program_that_supports_nothing_fails() {
    let problem = "every answer is unsupported; at least one must be right";
    says("delays", &["--clause=14"], 1, &[&format!("\nproblem: {problem}\nfailed: 0 of ")]);
    let (failures, summary) = of_fault("delays", &[PATIENT, "--clause=14"]);
    assert_eq!((failures.len(), &summary["problems"][0]), (0, &problem.into()));
    // One answer is enough.
    says("delays", &["--only=delay_ns", "--only=retry_after"], 0, &[]);
    let help = verify(&["--help"]);
    for text in [
        "or {\"unsupported\":true}, and at least one is right\n",
        "an answer is wrong or missing, none is right, or ",
        "`protocol`",
    ] {
        assert!(stdout(&help).contains(text), "{help:?}");
    }
    // If `unsupported` is of another type, the report says so once.
    let hint = " answers whose \"unsupported\" must be true, and the only member\n";
    let text = says("unsupported-1", &["--clause=14"], 1, &[hint]);
    assert_eq!(text.matches("    answer    {\"unsupported\":1}").count(), 1, "{text}");
}

#[test]
fn wrong_lines_are_found_for_what_they_are() {
    for (fault, remark) in [
        ("crlf", "CRLF"),
        ("spaces", "the right JSON in other bytes"),
        ("empty-lines", "no line answers protocol/not-a-request-1\""),
        ("banner", "a line before the answer to protocol/not-a-request-1: ready"),
        ("farewell", "a line after the last answer: bye"),
        ("mark", "a byte order mark (\u{feff}) before the first answer"),
        ("one-more", "in the second run, on one request that ends in a line feed: a line after"),
        ("unterminated", "does not end in a line feed"),
        ("silent", "answers without content"),
        ("bytes", "1 answer not in UTF-8"),
        ("status", "the command ended with exit status: 3\""),
        ("lines", "more lines than it has requests"),
        ("line", "a line without end"),
    ] {
        let (_, summary) = of_fault(fault, &[PATIENT, "--clause=protocol"]);
        assert!(remarks(&summary).contains(remark), "{fault}: {summary}");
        let count = |name: &str| summary[name].as_u64().unwrap();
        match fault {
            "crlf" | "banner" | "farewell" | "unterminated" | "status" | "mark" | "one-more" => {
                assert_eq!((count("failed"), count("unanswered")), (0, 0), "{fault}");
            }
            "empty-lines" => assert_eq!((count("failed"), count("unanswered")), (0, 1)),
            // One in each of both runs.
            "bytes" => assert_eq!((count("failed"), count("unanswered")), (2, 0)),
            _ => assert_eq!(count("passed"), 0, "{fault}"),
        }
    }
}

#[test]
fn answers_that_are_missing_are_counted() {
    let options = [PATIENT, "--clause=2.1", "--clause=protocol"];
    let (failures, summary) = of_fault("last", &options);
    // The last of each of both runs.
    assert_eq!((failed(&summary), failures.len()), (vec!["protocol"], 2));
    assert_eq!(failures[0]["answer"], Value::Null);
    assert_eq!(failures[0]["why"], "a last line without a line feed counts");
    let why = failures[1]["why"].as_str().unwrap();
    assert!(why.starts_with("the command runs a second time, on one request that"), "{why}");

    let (failures, summary) = of_fault("nothing", &options);
    let counts = ["unanswered", "passed", "failed"].map(|name| summary[name].as_u64().unwrap());
    assert_eq!(counts, [failures.len() as u64, 0, 0]);
}

#[test]
fn a_crash_is_a_failure() {
    let begins = "problem: the command ended early, with exit status: 3; ";
    says("half", &["--clause=2"], 1, &[begins, "without an answer (the first of "]);
    // One request is not to blame for answers that were lost.
    let (_, summary) = of_fault("buffered", &[PATIENT, "--clause=2.2"]);
    let remark = "answers it had not flushed are lost, so the request that ended it may be a later";
    assert!(remarks(&summary).contains(remark), "{summary}");
    // It answered everything: nothing is lost.
    let (_, summary) = of_fault("status", &[PATIENT, "--clause=2.2"]);
    assert!(!remarks(&summary).contains("lost"), "{summary}");
    for (fault, problem) in [("status", "exit status: 3\n"), ("mark", r"mark (\u{feff}) before")] {
        let end = "\nfailed: all 6 answers are right, but see above\n";
        let text = says(fault, &["--clause=2.2"], 1, &[end, problem]);
        assert!(!text.contains('\u{feff}'), "{text}");
    }
}

#[test]
fn a_line_feed_at_the_end_is_asked_for_in_a_second_run() {
    let listed = json(&verify(&["--list", "--json", "--clause=protocol"]));
    let ends = |line: &&Value| line["request"].as_str().is_some_and(|text| text.ends_with('\n'));
    assert_eq!(listed.iter().filter(ends).count(), 1);
    assert!(ends(&listed.last().unwrap()));
    // The first run has no such end, and neither has a run about another clause.
    says("one-more", &["--clause=2.2"], 0, &[]);
}

#[cfg(unix)]
#[test]
fn a_child_that_holds_the_output_is_named() {
    let (_, summary) = of_fault("child", &["--timeout=5s", "--clause=2.2"]);
    let remarks = remarks(&summary);
    // On a slow machine the program itself has not ended by then.
    let found = ["a process that it started held its output open", "neither read nor wrote"];
    assert!(found.iter().any(|one| remarks.contains(one)), "{summary}");
}

/// The processes of a test have no terminal: all three streams are pipes or files.
#[cfg(target_os = "linux")]
#[test]
fn a_command_that_hangs_is_ended_with_its_children() {
    let command = ["--clause=2.2", "--", "python3", "tools/cli/tests/wrong_evaluator.py", "family"];
    let output = Command::new(env!("CARGO_BIN_EXE_backoff"))
        .current_dir(root())
        .stdin(std::process::Stdio::null())
        .args(["verify", "--timeout=10s"])
        .args(command)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let child = String::from_utf8(output.stderr).unwrap();
    assert!(child.trim().parse::<u32>().is_ok(), "it began within the timeout: {child}");
    let stat = Path::new("/proc").join(child.trim()).join("stat");
    // Killed; until something waits for it, a zombie.
    let is_gone = || fs::read_to_string(&stat).map_or(true, |text| text.contains(") Z "));
    let begun = std::time::Instant::now();
    while !is_gone() {
        assert!(begun.elapsed().as_secs() < 600, "{stat:?}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_ends_it_reaches_the_command() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let script = "trap 'echo got >&2; exit' TERM INT HUP; echo ready >&2; \
                      while :; do sleep 0.05; done";
        // As from a shell in the foreground, whatever started this test.
        let mut verify = Command::new("env");
        verify.args(["--default-signal", env!("CARGO_BIN_EXE_backoff"), "verify"]);
        verify.args([PATIENT, "--clause=2.2", "--", "sh", "-c", script]);
        verify.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
        let mut child = verify.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // The shell also tells how its own command ended.
        let mut says = |text| lines.any(|line| line.unwrap() == text);
        assert!(says("ready"));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
        assert!(says("got"), "{name}");
        assert_eq!(child.wait().unwrap().signal(), Some(number));
    }
}

#[test]
fn a_command_that_closes_its_input_is_a_failure() {
    // The requests are longer than a pipe, so that they cannot be written to nobody.
    let (_, summary) = of_fault("closed", &[PATIENT, "--clause=5", "--clause=11"]);
    assert!([1, 2].map(Value::from).contains(&summary["passed"]), "{summary}");
    assert!(summary["unanswered"].as_u64() > Some(1000));
}

#[test]
fn a_command_that_hangs_is_ended() {
    let (_, summary) = of_fault("hang", &["--timeout=2s", "--clause=2", "--clause=protocol"]);
    assert!(remarks(&summary).contains("neither read nor wrote anything for 2s"), "{summary}");
    assert!(failed(&summary).contains(&"protocol"));

    // It answers, closes its output and stays. On a slow machine it hangs before that.
    let (_, summary) = of_fault("stay", &["--timeout=5s", "--clause=2"]);
    let remarks = remarks(&summary);
    let found = ["still ran after 5s", "neither read nor wrote anything"];
    assert!(found.iter().any(|one| remarks.contains(one)), "{summary}");
}

#[test]
fn clauses_and_failures_can_be_limited() {
    let listed = json(&verify(&["--list", "--json", "--clause", "11"]));
    assert!(listed.iter().all(|line| line["clause"].as_str().unwrap().starts_with("11.")));
    let two = json(&verify(&["--list", "--json", "--clause=2", "--clause=11.8"]));
    let clauses: BTreeSet<_> = two.iter().map(|line| line["clause"].as_str().unwrap()).collect();
    assert_eq!(Vec::from_iter(clauses), ["11.8", "2.1", "2.2"]);

    let (failures, summary) = of_fault("spaces", &[PATIENT, "--clause=2", "--limit=1"]);
    assert_eq!(failures.len(), 2, "one of each clause");
    assert!(summary["failed"].as_u64() > Some(2));
}

#[test]
fn wrong_arguments_are_refused() {
    let refused = |arguments: &[&str], text: &str| {
        let output = verify(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(text), "{arguments:?}: {stderr}");
    };
    refused(&[], "<COMMAND>...");
    refused(&["--list", "--", "true"], "cannot be used with");
    refused(&["--clause=1", "--", "true"], "11 stands for 11.2");
    refused(&["--clause=99", "--", "true"], "the clauses are 2.1, ");
    refused(&["--timeout=0s", "--", "true"], "longer than 0s");
    refused(&["--timeout=5", "--", "true"], "5");
    refused(&["--limit=-1", "--", "true"], "-1");
    refused(&["--list", "--limit=1"], "cannot be used with");
    refused(&["--only=delay", "--", "true"], "[possible values: answers, at, ");
    refused(&["--only=rows", "--clause=2", "--", "true"], "no request about these clauses has");
}

#[test]
fn a_command_that_cannot_be_started_has_the_codes_of_shells() {
    let output = verify(&["--", "./tools/cli/tests"]);
    assert_eq!(output.status.code(), Some(126), "{output:?}");
    let output = verify(&["--", "no-such-evaluator"]);
    assert_eq!(output.status.code(), Some(127));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("cannot run `no-such-evaluator`"), "{stderr}");
}
