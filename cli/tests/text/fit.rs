//! `backoff fit`.

use serde_json::Value;

use crate::support::{json, output, stderr, text, vectors};

#[test]
fn the_fits_of_the_vectors() {
    let (mut fitted, mut refused) = (0, 0);
    for case in vectors("fits.json") {
        let (attempts, within) = (case["attempts"].to_string(), text(&case, "total"));
        let within = format!("{within}ns");
        let arguments = ["fit", text(&case, "policy"), "--attempts", &attempts];
        let arguments = [&arguments[..], &["--within", &within, "--field", text(&case, "field")]];
        let arguments = arguments.concat();
        let run = output(&arguments);
        let printed = String::from_utf8(run.stdout.clone()).unwrap();
        match (&case["canonical"], &case["error"]) {
            (Value::String(canonical), _) => {
                assert_eq!(run.status.code(), Some(0), "{arguments:?}: {run:?}");
                assert_eq!(printed, format!("{canonical}\n"), "{arguments:?}");
                assert_eq!(json(&arguments)[0]["canonical"], case["canonical"]);
                fitted += 1;
            }
            (_, error) if error["code"] == "does_not_fit" => {
                assert_eq!(run.status.code(), Some(1), "{arguments:?}: {run:?}");
                assert_eq!(printed, "");
                assert_eq!(stderr(&run), format!("error: {}\n", text(error, "message")));
                let run = output(&[&arguments[..], &["--json"]].concat());
                assert_eq!(run.status.code(), Some(1));
                let line: Value = serde_json::from_slice(&run.stdout).unwrap();
                assert_eq!(line["error"], error["code"]);
                for member in ["field", "value", "limit", "message"] {
                    assert_eq!(line[member], error[member], "{arguments:?}");
                }
                refused += 1;
            }
            // Arguments that the command itself refuses.
            _ => assert_eq!(run.status.code(), Some(2), "{arguments:?}: {run:?}"),
        }
    }
    assert!(fitted > 50 && refused > 5, "{fitted} {refused}");
}

#[test]
fn the_explanation_says_what_changed_and_what_is_missing() {
    let explained = |policy, attempts, field| {
        let arguments = ["fit", policy, "--attempts", attempts, "--within", "700ms"];
        stderr(&output(&[&arguments[..], &["--field", field]].concat()))
    };
    // 100 ms + 200 ms + 400 ms.
    let text = explained("full:base=1s,cap=20s", "4", "base");
    let expected = "\
4 attempts wait at most 700ms in total, within 700ms; the base was 1s and is 100ms
the policy does not limit the number of its retries; to stop it, add max_retries=3
";
    assert_eq!(text, expected);
    let text = explained("full:base=100ms,max_retries=9", "4", "cap");
    assert!(text.contains("the cap was none and is "), "{text}");
    assert!(text.contains("the policy retries 9 times; to stop it earlier, set max_retries=3"));
    // Every base fits, up to the cap.
    let text = explained("full:base=1s,cap=20s,max_retries=0", "1", "base");
    assert!(text.starts_with("1 attempt waits at most 0s in total, "), "{text}");
    assert!(text.ends_with("; the base was 1s and is 20s\n"), "{text}");
    let text = explained("full:base=1s", "1", "base");
    assert!(!text.contains("is none"), "{text}");
    let text = explained("full:base=1s,max_retries=2", "4", "base");
    let note = "the policy stops after 2 retries; to let it go on, set max_retries=3\n";
    assert!(text.ends_with(note), "{text}");
    let text = explained("full:base=1s,max_retries=3,max_elapsed=699ms", "4", "base");
    let note = "max_elapsed=699ms can stop it earlier; the waits alone take up to 700ms\n";
    assert!(text.ends_with(note), "{text}");
    let text = explained("full:base=1s,max_retries=3,max_elapsed=700ms", "4", "base");
    assert_eq!(text.lines().count(), 1, "{text}");
    let text = explained("full:base=1s,max_retries=3", "4", "base");
    assert_eq!(text.lines().count(), 1, "{text}");
}
