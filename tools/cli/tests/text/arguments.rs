//! Arguments that are hostile or wrong: an error that says what is wrong, and never a panic.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::support::{backoff, output, stderr, text, vectors};

#[test]
fn an_error_points_at_its_place() {
    let run = output(&["explain", "full:base=1sec"]);
    assert_eq!(run.status.code(), Some(2));
    let expected = "\
error: invalid value 'full:base=1sec' for '<POLICY>': at 11: base has the unknown unit \"sec\"; \
the units are d, h, m, s, ms, us, ns

  full:base=1sec
             ^^^

For more information, try '--help'.
";
    assert_eq!(stderr(&run), expected);
    assert!(run.stdout.is_empty());
}

#[test]
fn every_string_of_the_vectors_is_refused_with_its_message() {
    let mut count = 0;
    for case in vectors("text_errors.json") {
        let string = text(&case, "text");
        // An argument cannot contain a zero byte.
        if string.contains('\0') {
            continue;
        }
        let run = match text(&case, "of") {
            "policy" => backoff().args(["explain", "--", string]).output().unwrap(),
            _ => backoff().args(["explain", "default", "--budget"]).arg(string).output().unwrap(),
        };
        assert_eq!(run.status.code(), Some(2), "{string:?}: {run:?}");
        let message = text(&case["error"], "message");
        let shown = stderr(&run);
        // Without text, clap says that an option needs a value.
        let is_shown = shown.contains(message) || string.is_empty() || string.starts_with('-');
        assert!(is_shown, "{string:?}: {shown}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn hostile_arguments_are_refused() {
    let table: &[&[&str]] = &[
        &[],
        &[""],
        &["nonsense"],
        &["explain"],
        &["explain", ""],
        &["explain", "default", "default"],
        &["explain", "default", "--budget", ""],
        &["explain", "default", "--key", "x"],
        &["delays", "default", "--seed", "-1"],
        &["delays", "default", "--seed", ""],
        &["delays", "default", "--seed", "18446744073709551616"],
        &["delays", "default", "--seed", "1", "--first", "4294967296"],
        &["delays", "default", "--seed", "1", "--count", "18446744073709551616"],
        &["delays", "default", "--unit", "h"],
        &["preview", "default", "--retries", "0"],
        &["preview", "default", "--retries", "10001"],
        &["preview", "default", "--first", "100001"],
        &["fit", "default"],
        &["fit", "default", "--attempts", "0", "--within", "1s"],
        &["fit", "default", "--attempts", "65537", "--within", "1s"],
        &["fit", "default", "--attempts", "2", "--within", "1"],
        &["fit", "default", "--attempts", "2", "--within", "none"],
        &["fit", "default", "--attempts", "2", "--within", "293y"],
        &["fit", "default", "--attempts", "2", "--within", "9223372036854775808ns"],
        &["fit", "default", "--attempts", "2", "--within", "1s", "--field", "floor"],
        &["presets", ""],
        &["completions"],
        &["man", ""],
    ];
    for arguments in table {
        let run = output(arguments);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {run:?}");
        assert!(run.stdout.is_empty(), "{arguments:?}: {run:?}");
        assert!(!run.stderr.is_empty(), "{arguments:?}");
    }
    let subcommands = ["explain", "preview", "delays", "fit", "presets", "man"];
    for subcommand in subcommands {
        let bytes = OsString::from_vec(b"\xff\xfe=\x80".to_vec());
        let run = backoff().arg(subcommand).arg(&bytes).output().unwrap();
        assert_eq!(run.status.code(), Some(2), "{subcommand}: {run:?}");
        let run = backoff().args([subcommand, &"x".repeat(100_000)]).output().unwrap();
        assert_eq!(run.status.code(), Some(2), "{subcommand}");
    }
    let key = OsString::from_vec(vec![0xff]);
    let run = backoff().args(["delays", "default", "--seed", "1", "--key"]).arg(key).output();
    assert_eq!(run.unwrap().status.code(), Some(2), "a key is UTF-8");
}

#[test]
fn a_value_that_begins_with_a_minus_is_refused_as_what_it_is() {
    let fit = ["fit", "default", "--attempts", "3", "--within", "-5s"];
    for (arguments, expected) in [
        (&["delays", "default", "--seed", "-1"][..], "not a whole number from 0 to"),
        (&["preview", "default", "--first", "-1"], "not a whole number from 0 to 100000"),
        (&["preview", "default", "--retries", "-1"], "invalid value '-1' for '--retries <N>'"),
        (
            &["fit", "default", "--attempts", "-3", "--within", "5s"],
            "invalid value '-3' for '--attempts <N>'",
        ),
        (&fit, "\"-5s\" is not a duration"),
    ] {
        let run = output(arguments);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        let message = stderr(&run);
        assert!(message.contains(expected) && !message.contains("tip:"), "{message}");
    }
}

#[test]
fn extreme_policies_are_shown() {
    let extremes = [
        "constant:base=9223372036854775807ns",
        "polynomial:base=9223372036854775807ns,power=16,origin=4294967295",
        "exponential:base=100ns,multiplier=1.01,max_retries=4294967295",
        "fibonacci:base=1ns,jitter=slotted,jitter_slot=9223372036854775807ns",
        "linear:base=0s,increment=1ns,jitter=additive,jitter_max=0s,jitter_increment=106751d",
        "decorrelated:base=0s,cap=0s",
        "constant:base=1d,max_retries=4294967296,max_elapsed=0s",
        "constant:base=0s,floor=1ns,cap=1ns,jitter=1/3",
    ];
    for policy in extremes {
        for arguments in [
            &["explain", policy, "--seed", "18446744073709551615", "--key", ""][..],
            &["preview", policy],
            &["preview", policy, "--first", "100000", "--retries", "3"],
            &["delays", policy, "--seed", "0", "--first", "4294967295", "--count", "99"],
        ] {
            for json in [&[][..], &["--json"]] {
                let run = output(&[arguments, json].concat());
                assert_eq!(run.status.code(), Some(0), "{arguments:?}: {run:?}");
            }
        }
        for field in ["base", "cap"] {
            let arguments = ["fit", policy, "--attempts", "65536", "--within", "106751d"];
            let run = output(&[&arguments[..], &["--field", field]].concat());
            assert!(matches!(run.status.code(), Some(0 | 1)), "{policy}: {run:?}");
        }
    }
}

#[test]
fn a_usage_is_that_of_the_subcommand() {
    for (arguments, usage) in [
        (&["simulate", "occ", "--chart=load"][..], "Usage: backoff simulate occ [OPTIONS]"),
        (&["merge", "x", "--svg=x", "--csv=x"], "Usage: backoff merge [OPTIONS] <PART>..."),
        (&["man", "nonsense"], "Usage: backoff man [OPTIONS] [SUBCOMMAND]..."),
    ] {
        let run = output(arguments);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(stderr(&run).contains(usage), "{run:?}");
    }
}

#[test]
fn a_similar_subcommand_is_a_tip_and_another_word_is_none() {
    assert!(stderr(&output(&["rn"])).contains("'run'"));
    assert!(stderr(&output(&["rn", "default", "--on-any"])).contains("'run'"));
    assert!(stderr(&output(&["simulate", "oc"])).contains("'occ'"));
    for arguments in [["explain", "bad"], ["simulate", "foo"]] {
        assert!(!stderr(&output(&arguments)).contains("tip:"), "{arguments:?}");
    }
}

#[test]
fn a_refused_number_is_told_its_range() {
    let advise = ["advise", "--capacity", "9", "--latency", "9ms", "--clients"];
    let too_many = [&["compare"], &["default"; 27][..]].concat();
    for (arguments, range) in [
        (&[&advise[..], &["nan"]].concat()[..], "not a whole number from 1 to 4294967295"),
        (
            &[&advise[..], &["9", "--failure", "6%"]].concat(),
            "not from 0 to 0.05, or from 0% to 5%",
        ),
        (&["verify", "--limit=-1", "--", "x"], "not a whole number from 0 to 18446744073709551615"),
        (&["delays", "default", "--count", "x"], "not a whole number from 0 to"),
        (&["simulate", "occ", "--runs", "1e3"], "not a whole number from 0 to 4294967295"),
        (&too_many, "27 policies are too many; at most 26 can be compared"),
    ] {
        let run = output(arguments);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(stderr(&run).contains(range), "{run:?}");
    }
}
