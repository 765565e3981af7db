//! What a command inherits, and that nothing is left after it.

use std::process::Command;

use crate::support::{ONCE, errors, output, run};

#[test]
fn many_quick_commands_leak_nothing() {
    let policy = "constant:base=1ns,max_retries=999";
    // Descriptors and children of `backoff` after the first attempts and at the end. It sleeps once it has
    // closed what it opened to start the script.
    let script = r#"
        case $BACKOFF_ATTEMPT in
        2 | 1000)
            for try in $(seq 10000); do grep -q '^State:.S' /proc/$PPID/status && break; done
            for file in /proc/$PPID/fd/*; do set -- "$@" "$file"; done
            echo $# $(cat /proc/$PPID/task/$PPID/children | wc -w) ;;
        esac
        exit 1"#;
    let options = [
        policy,
        "--on",
        "1",
        "--quiet",
        "--retry-after-fd",
        "9",
        "--budget",
        "ratio:ratio=1,max_tokens=1000000",
    ];
    let output = output(run(&options, script));
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(lines[0], lines[1]);
    assert!(lines[0].ends_with(" 1"), "{text}");
}

#[test]
fn a_command_inherits_no_descriptor_of_ours() {
    let folder = crate::support::folder("inherits");
    let file = folder.join("budget");
    let count = "set -- /proc/self/fd/*; echo $#";
    let alone = Command::new("setsid").args(["sh", "-c", count]).output().unwrap();
    let options = [ONCE, "--on-any", "--budget", "quota", "--budget-file"];
    let ours = output(run(&[&options[..], &[file.to_str().unwrap()]].concat(), count));
    assert_eq!(String::from_utf8(ours.stdout), String::from_utf8(alone.stdout));
}

#[test]
fn a_command_has_the_signal_mask_of_the_caller() {
    let script = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
    let caller = ["env", "--default-signal", "sh", "-c", script];
    let alone = Command::new("setsid").args(caller).output().unwrap();
    let ours = output(run(&[ONCE, "--on-any"], script));
    assert_eq!(String::from_utf8(ours.stdout), String::from_utf8(alone.stdout));
}
