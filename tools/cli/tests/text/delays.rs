//! `backoff delays`.

use crate::support::{output, stderr, stdout};

const README: &[&str] =
    &["delays", "full:base=100ms,cap=20s,max_retries=3", "--seed", "42", "--key", "job-1"];

#[test]
fn delays_have_other_units() {
    let plain = stdout(&[README, &["--unit", "ms", "--first", "1", "--count", "1"]].concat());
    assert_eq!(plain, "83.043876\n");
    let plain = stdout(&[README, &["--unit", "s", "--first", "2"]].concat());
    assert_eq!(plain, "0.229309811\n");
}

#[test]
fn a_random_stream_can_be_repeated() {
    let policy = "full:base=1h,max_retries=4";
    let run = output(&["delays", policy, "--unit", "ns"]);
    let note = stderr(&run);
    let seed = note.split("--seed ").nth(1).unwrap().split('`').next().unwrap();
    let again = stdout(&["delays", policy, "--unit", "ns", "--seed", seed]);
    assert_eq!(String::from_utf8(run.stdout).unwrap(), again);
    assert_ne!(stdout(&["delays", policy, "--unit", "ns"]), again, "another stream");
}

#[test]
fn as_many_rows_as_make_sense() {
    let rows = |policy, options: &[&str]| {
        let arguments = [&["delays", policy, "--seed", "1", "--unit", "ns"], options].concat();
        stdout(&arguments).lines().count()
    };
    assert_eq!(rows("constant:base=1s", &[]), 10, "no limit");
    assert_eq!(rows("constant:base=1s,max_retries=7", &[]), 7);
    assert_eq!(rows("constant:base=1s,max_retries=7", &["--count", "9"]), 9, "as asked");
    assert_eq!(rows("constant:base=1s,max_retries=7", &["--first", "5"]), 2, "the rest");
    let beyond = ["--first", "9", "--count", "4"];
    assert_eq!(rows("constant:base=1s,max_retries=7", &beyond), 4, "as asked");
    assert_eq!(rows("constant:base=1s,max_retries=0", &[]), 0);
    assert_eq!(rows("constant:base=1s", &["--count", "5000"]), 5000, "more than one batch");
    let last = ["--first", "4294967294", "--count", "5"];
    assert_eq!(rows("decorrelated:base=1s,cap=1h", &last), 2, "the last index");
    assert_eq!(rows("constant:base=1s", &["--count", "0"]), 0);
}

#[test]
fn an_index_beyond_the_limit_has_no_delay_unless_it_is_counted() {
    let policy = "constant:base=1s,max_retries=7";
    for options in [&[][..], &["--unit", "s"], &["--json"]] {
        let run = output(&[&["delays", policy, "--seed", "1", "--first", "7"], options].concat());
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        assert!(run.stdout.is_empty(), "{run:?}");
        let expected = "error: index 7 is beyond the limit of the policy, max_retries=7; with \
                        `--count N`, its delays are printed all the same\n";
        assert_eq!(stderr(&run), expected);
    }
}

#[test]
fn batches_are_joined() {
    // The restart of decorrelated jitter, and a batch that begins in the middle of a chain.
    let arguments = ["delays", "decorrelated:base=1s,cap=1h", "--seed", "7", "--unit", "ns"];
    let all = stdout(&[&arguments[..], &["--count", "8300"]].concat());
    let end = stdout(&[&arguments[..], &["--first", "4090", "--count", "4210"]].concat());
    assert_eq!(all.lines().skip(4090).collect::<Vec<_>>(), end.lines().collect::<Vec<_>>());
}
