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

/// The lines of JSON of an output.
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

/// All problems and hints.
fn remarks(summary: &Value) -> String {
    [summary["problems"].to_string(), summary["hints"].to_string()].concat()
}

/// What `verify` says about a wrong evaluator, as text.
fn of_wrong(fault: &str, options: &[&str]) -> Output {
    let command = ["--", "python3", "tools/cli/tests/wrong_evaluator.py", fault];
    verify(&[&[PATIENT], options, &command].concat())
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
fn every_clause_is_one_of_the_specification() {
    let spec = fs::read_to_string(root().join("SPEC.md")).unwrap();
    let (_, summary) = of_fault("nothing", &[PATIENT]);
    let asked = json(&verify(&["--list", "--json"]));
    let unasked = summary["not_checked"].as_array().unwrap();
    assert!(unasked.len() > 6, "{unasked:?}");
    let clauses: BTreeSet<_> =
        asked.iter().chain(unasked).map(|line| line["clause"].as_str().unwrap()).collect();
    for clause in clauses.iter().filter(|clause| **clause != "protocol") {
        let begins = |line: &str| line.starts_with(&format!("{clause} "));
        assert!(spec.lines().any(begins), "SPEC.md has no clause {clause}");
    }
    // Each chapter of SPEC.md that vectors are about has a clause.
    for outer in 2..=17 {
        let is_named = clauses.iter().any(|clause| clause.starts_with(&format!("{outer}.")));
        assert!(is_named || outer == 10, "clause {outer}");
    }
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
fn the_evaluator_of_the_core_passes() {
    let evaluator = ["run", "--quiet", "-p", "backoff-core", "--example", "evaluate"];
    let output = verify(&[&[PATIENT, "--json", "--", env!("CARGO")], &evaluator[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(json(&output).len(), 1, "only the summary");
    assert_eq!(json(&output)[0]["ok"], true);
}

#[test]
fn an_evaluator_may_answer_each_line_or_all_of_them() {
    for evaluator in ["none", "flush"] {
        let output = of_wrong(evaluator, &["--clause=15"]);
        assert_eq!(output.status.code(), Some(0), "{evaluator}: {output:?}");
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
        let (failures, summary) = of_fault(fault, &[PATIENT]);
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
    let output = of_wrong("delays", &["--only", "delay_ns"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let asked = json(&verify(&["--list", "--json", "--only", "delay_ns"]));
    assert!(asked.len() > 600, "{}", asked.len());
    for line in &asked {
        let expected = line["expected"].as_str().unwrap();
        assert!(expected.starts_with(r#"{"delay_ns":""#), "{expected}");
    }
    let count = asked.len();
    let end = format!("\npassed: {count} of {count} answers are right\n");
    assert!(stdout(&output).ends_with(&end), "{output:?}");

    // The right delay in another form is a failure unless only the delay is compared.
    let output = of_wrong("delays", &["--clause=2.1"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let output = of_wrong("delays", &["--clause=2.1", "--only=canonical"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");

    let (failures, summary) = of_fault("wrong-delays", &[PATIENT, "--only=delay_ns"]);
    assert!(failed(&summary).contains(&"5.2") && !failed(&summary).contains(&"2.1"), "{summary}");
    assert_eq!(
        (&failures[0]["at"], &failures[0]["members"][0]),
        (&Value::Null, &"delay_ns".into())
    );
    let output = of_wrong("wrong-delays", &["--only=delay_ns"]);
    assert!(stdout(&output).contains("\n    differs (delay_ns)\n"), "{output:?}");
}

/// The fault is found among what the program does not do.
#[test]
fn what_a_program_does_not_answer_hides_no_failure() {
    let options = ["--clause=5", "--clause=14", "--only=delay_ns", "--only=retry_after"];
    let output = of_wrong("delays", &options);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = stdout(&output);
    assert!(text.lines().next().unwrap().contains("  unsupported  "), "{text}");
    assert!(text.contains(" are unsupported\n") && !text.contains("14.1 Retry"), "{text}");

    let arguments = [&[PATIENT, "--limit=1"], &options[..]].concat();
    let (failures, summary) = of_fault("wrong-delays", &arguments);
    assert_eq!(failures[0]["clause"], "5.2");
    assert_eq!(failed(&summary), ["5.2"]);
    assert!(summary["unsupported"].as_u64() > Some(30), "{summary}");
}

/// Nothing was checked.
#[test]
fn a_program_that_supports_nothing_fails() {
    const PROBLEM: &str = "every answer is unsupported; at least one must be right";
    let output = of_wrong("delays", &["--clause=14"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stdout(&output);
    assert!(text.contains(&format!("\nproblem: {PROBLEM}\nfailed: 0 of ")), "{text}");
    let (failures, summary) = of_fault("delays", &[PATIENT, "--clause=14"]);
    assert_eq!((failures.len(), &summary["problems"][0]), (0, &PROBLEM.into()));
    // One answer is enough, in the first run or in the second.
    let options = ["--only=delay_ns", "--only=retry_after"];
    assert_eq!(of_wrong("delays", &options).status.code(), Some(0));
    let help = verify(&["--help"]);
    assert!(
        stdout(&help).contains("or {\"unsupported\":true}, and at least one is right\n"),
        "{help:?}"
    );
    assert!(
        stdout(&help).contains("an answer is wrong or missing, none is right, or "),
        "{help:?}"
    );
}

/// If `unsupported` is of another type, the report says so once.
#[test]
fn unsupported_must_be_true() {
    let output = of_wrong("unsupported-1", &["--clause=14"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stdout(&output);
    assert!(
        text.contains(" answers whose \"unsupported\" must be true, and the only member\n"),
        "{text}"
    );
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
    let (failures, summary) = of_fault("last", &[PATIENT]);
    // The last of each of both runs.
    assert_eq!((failed(&summary), failures.len()), (vec!["protocol"], 2));
    assert_eq!(failures[0]["answer"], Value::Null);
    assert_eq!(failures[0]["why"], "a last line without a line feed counts");
    let why = failures[1]["why"].as_str().unwrap();
    assert!(
        why.starts_with("the command runs a second time, on one request that ends in "),
        "{why}"
    );
    assert!(why.ends_with(": a line feed at the end of the input does not start another line"));

    let (failures, summary) = of_fault("nothing", &[PATIENT]);
    assert_eq!(summary["unanswered"], failures.len());
    assert_eq!((&summary["passed"], &summary["failed"]), (&0.into(), &0.into()));
}

#[test]
fn a_crash_is_a_failure() {
    let output = of_wrong("half", &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("problem: the command ended early, with exit status: 3; "), "{text}");
    assert!(text.contains("without an answer (the first of "), "{text}");
    assert_eq!(output.stderr, b"this is the end\n", "errors of the command pass through");
}

#[test]
fn answers_that_a_crash_lost_are_not_held_against_one_request() {
    let (_, summary) = of_fault("buffered", &[PATIENT, "--clause=2.2"]);
    let remark = "answers it had not flushed are lost, so the request that ended it may be a later";
    assert!(remarks(&summary).contains(remark), "{summary}");
    // It answered everything: nothing is lost.
    let (_, summary) = of_fault("status", &[PATIENT, "--clause=2.2"]);
    assert!(!remarks(&summary).contains("lost"), "{summary}");
}

#[test]
fn right_answers_beside_a_problem_are_not_counted_as_a_failure() {
    for fault in ["status", "mark"] {
        let output = of_wrong(fault, &["--clause=2.2"]);
        assert_eq!(output.status.code(), Some(1), "{fault}");
        let text = stdout(&output);
        assert!(text.ends_with("\nfailed: all 3 answers are right, but see above\n"), "{text}");
        assert!(!text.contains('\u{feff}'), "{text}");
        assert_eq!(
            text.contains(r"a byte order mark (\u{feff}) before"),
            fault == "mark",
            "{text}"
        );
    }
}

#[test]
fn a_line_feed_at_the_end_is_asked_for_in_a_second_run() {
    let listed = json(&verify(&["--list", "--json", "--clause=protocol"]));
    let ends = |line: &&Value| line["request"].as_str().is_some_and(|text| text.ends_with('\n'));
    assert_eq!(listed.iter().filter(ends).count(), 1);
    assert!(ends(&listed.last().unwrap()));
    // The first run has no such end, and neither has a run about another clause.
    assert_eq!(of_wrong("one-more", &["--clause=2.2"]).status.code(), Some(0));
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

#[test]
fn a_command_that_closes_its_input_is_a_failure() {
    // The requests are longer than a pipe, so that they cannot be written to nobody.
    let (_, summary) = of_fault("closed", &[PATIENT]);
    assert!([1, 2].map(Value::from).contains(&summary["passed"]), "{summary}");
    assert!(summary["unanswered"].as_u64() > Some(2000));
}

#[test]
fn a_command_that_hangs_is_ended() {
    let (_, summary) = of_fault("hang", &["--timeout=2s"]);
    assert!(remarks(&summary).contains("neither read nor wrote anything for 2s"), "{summary}");
    assert!(failed(&summary).contains(&"protocol"));

    // It answers, closes its output and stays. On a slow machine it hangs before that.
    let (_, summary) = of_fault("stay", &["--timeout=5s"]);
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

    let help = verify(&["--help"]);
    assert!(stdout(&help).contains("`protocol`"), "{help:?}");
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
