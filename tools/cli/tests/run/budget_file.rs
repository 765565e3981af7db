//! A budget that processes share.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{ONCE, Running, errors, folder, is_running, kill, output, run, wait_until};

/// `backoff run` of a script with a budget in a file.
fn shared(policy: &str, budget: &str, file: &Path, script: &str) -> Command {
    let options = [policy, "--on-any", "--quiet", "--budget", budget, "--budget-file"];
    run(&[&options[..], &[file.to_str().unwrap()]].concat(), script)
}

#[test]
fn processes_together_get_what_the_budget_has() {
    // The budget, the retries that a process may make, and those that the budget grants when nothing
    // succeeds.
    let table = [
        ("quota:max_tokens=97,cost=4", 20, 24),
        ("ratio:max_tokens=31,ratio=0", 20, 31),
        ("rate:max_tokens=17,per=1d", 20, 17),
        // Each of the 24 operations adds half a retry.
        ("ratio:max_tokens=1000,ratio=0.5", 20, 24 * 20),
        // gRPC's: it stops when half of the tokens are gone, and every failure takes one, also one
        // after which no retry is left.
        ("throttle:max_tokens=100,ratio=0.1", 100, 49),
    ];
    for (number, (budget, max_retries, granted)) in table.into_iter().enumerate() {
        let folder = folder(&format!("together{number}"));
        let (file, attempts) = (folder.join("budget"), folder.join("attempts"));
        let script = format!("echo >> {}; exit 1", attempts.display());
        let policy = format!("constant:base=1ns,max_retries={max_retries}");
        let start = |_| shared(&policy, budget, &file, &script).spawn().unwrap();
        let children: Vec<_> = (0..24).map(start).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
            assert_eq!(errors(&output), "");
        }
        // One attempt of each process is no retry.
        let retries = fs::read(&attempts).unwrap().len() - 24;
        assert_eq!(retries, granted, "{budget}");
    }
}

#[test]
fn equal_budgets_may_be_written_differently_and_others_not_at_all() {
    let folder = folder("other");
    let file = folder.join("budget");
    let code = |budget| output(shared(ONCE, budget, &file, "exit 3")).status.code();
    assert_eq!(code("aws-sdk-2026"), Some(3));
    assert_eq!(code("quota:cost=14,cost_throttled=5,max_tokens=500"), Some(3));
    let output = output(shared(ONCE, "quota:cost=15", &file, "echo ran; exit 3"));
    assert_eq!(output.status.code(), Some(125));
    assert!(output.stdout.is_empty());
    let expected = format!(
        "error: budget file {}: it has budget quota:cost=14,cost_throttled=5, not quota:cost=15; \
         use another file or remove it\n",
        file.display()
    );
    assert_eq!(errors(&output), expected);
}

#[test]
fn a_bad_file_is_refused_before_the_first_attempt() {
    let folder = folder("bad");
    let name = |name: &str| folder.join(name);
    // The last is the format of a version that was never released.
    let contents: [(&str, &[u8], &str); 7] = [
        ("text", b"root:x:0:0\n", "it is not a budget file"),
        ("bytes", b"backoff:quota\xff\n0 500\n", "it is not a budget file"),
        ("old", b"backoff-budget 1 1 256 2 0\n", "it is not a budget file"),
        (
            "damaged",
            b"backoff:quota\n1 501\n",
            "it is damaged; remove it to begin with a full budget",
        ),
        (
            "lines",
            b"backoff:quota\r\n1 500\r\n",
            "it is damaged; remove it to begin with a full budget",
        ),
        ("short", b"backoff:quota", "it is damaged; remove it to begin with a full budget"),
        ("huge", &[b' '; 4097], "it has 4097 bytes, above 4096"),
    ];
    let mut table = vec![
        (folder.clone(), "it is not a regular file"),
        ("/dev/null".into(), "it is not a regular file"),
        ("/no/such/folder/file".into(), "No such file or directory"),
        ("/proc/version".into(), "/proc/version"),
    ];
    for (file, content, message) in contents {
        fs::write(name(file), content).unwrap();
        table.push((name(file), message));
    }
    fs::create_dir_all(name("blocked.new/folder")).unwrap();
    table.push((name("blocked"), "blocked.new: File exists"));
    for (file, message) in table {
        let output = output(shared(ONCE, "quota", &file, "echo ran"));
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(125), "{errors}");
        assert!(errors.starts_with("error: budget file") && errors.contains(message), "{errors}");
        assert!(output.stdout.is_empty());
    }
    for (file, content, _) in contents {
        assert_eq!(fs::read(name(file)).unwrap(), content, "{file}");
    }
}

#[test]
fn the_file_holds_the_account_and_is_of_its_user_alone() {
    let folder = folder("account");
    let file = folder.join("budget");
    // One that a process left which was killed.
    fs::write(folder.join("budget.new"), "left").unwrap();
    let policy = "constant:base=1ns,max_retries=2";
    assert_eq!(
        output(shared(policy, "quota:max_tokens=9", &file, "exit 3")).status.code(),
        Some(3)
    );
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("backoff:quota:max_tokens=9\n1 4 | "), "{text}");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn a_file_that_another_user_could_have_put_there_is_refused() {
    let folder = folder("refused");
    let name = |name: &str| folder.join(name);
    let (empty, link, nowhere, to_missing) =
        (name("empty"), name("link"), name("nowhere"), name("to_missing"));
    fs::write(&empty, "").unwrap();
    symlink(&empty, &link).unwrap();
    symlink(&nowhere, &to_missing).unwrap();
    let (one, two) = (name("one"), name("two"));
    fs::write(&one, "").unwrap();
    fs::hard_link(&one, &two).unwrap();
    let mut table = vec![
        (&link, "it is a symbolic link; name the file itself"),
        (&to_missing, "it is a symbolic link; name the file itself"),
        (&one, "it has 2 hard links, not 1"),
    ];
    let foreign = name("foreign");
    fs::write(&foreign, "").unwrap();
    // Only root may give a file away.
    if chown(&foreign, Some(65_534), None).is_ok() {
        table.push((&foreign, "it belongs to user nobody, not to root"));
    }
    for (file, message) in table {
        let output = output(shared(ONCE, "quota", file, "echo ran"));
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(125), "{errors}");
        let expected = format!("error: budget file {}: {message}", file.display());
        assert!(errors.starts_with(&expected), "{errors}");
        assert!(output.stdout.is_empty());
    }
    for file in [&empty, &one, &foreign] {
        assert_eq!(fs::read(file).unwrap(), b"");
    }
    assert!(!nowhere.exists());
}

#[test]
fn a_full_disk_grants_no_retry_and_loses_no_result() {
    let folder = folder("full");
    let file = folder.join("budget");
    let limited = |limit: &str| {
        // A limit of the size of files stands for a full disk.
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_backoff"), "run", "constant:base=1ns"]);
        command.args(["--on-any", "--budget", "quota", "--budget-file"]).arg(&file);
        command.args(["--", "sh", "-c", "exit 4"]);
        output(command)
    };
    let before = limited("0");
    assert_eq!(before.status.code(), Some(125), "{}", errors(&before));
    assert!(errors(&before).contains("File too large"), "{}", errors(&before));
    // The file that it left is as good as none.
    assert_eq!(limited("unlimited").status.code(), Some(4));
}

#[test]
fn a_file_that_fails_later_does_not_lose_the_result() {
    let folder = folder("later");
    let file = folder.join("budget");
    for code in [0, 4] {
        // The command spoils the file of its own budget.
        let script = format!("echo spoilt > {}; exit {code}", file.display());
        let options = ["constant:base=1ns", "--on-any", "--budget", "quota", "--budget-file"];
        let output = output(run(&[&options[..], &[file.to_str().unwrap()]].concat(), &script));
        assert_eq!(output.status.code(), Some(code));
        let expected =
            format!("backoff: budget file {}: it is not a budget file\n", file.display());
        assert!(errors(&output).starts_with(&expected), "{}", errors(&output));
        fs::remove_file(&file).unwrap();
    }
}

/// A file that is locked as long as the second value lives.
fn locked(name: &str) -> (PathBuf, fs::File) {
    let file = folder(name).join("budget");
    fs::write(&file, "").unwrap();
    let lock = fs::File::open(&file).unwrap();
    lock.lock().unwrap();
    (file, lock)
}

#[test]
fn a_process_that_holds_the_lock_keeps_nobody_for_long() {
    let (file, _lock) = locked("held");
    let output = output(shared(ONCE, "quota", &file, "echo ran"));
    assert_eq!(output.status.code(), Some(125));
    assert!(output.stdout.is_empty());
    let expected = format!(
        "error: cannot lock budget file {}: another process holds the lock; gave up after 2 s\n",
        file.display()
    );
    assert_eq!(errors(&output), expected);
}

#[test]
fn a_signal_ends_the_wait_for_the_lock() {
    let (file, _lock) = locked("locked");
    for _ in 0..20 {
        let mut running = Running::start(shared(ONCE, "quota", &file, "echo ran"));
        // It has the file open and tries to lock it.
        let id = running.child.id().to_string();
        wait_until("the file is open", || {
            let descriptors = fs::read_dir(format!("/proc/{id}/fd"));
            let is_file = |path: &Path| fs::read_link(path).is_ok_and(|path| path == file);
            descriptors.is_ok_and(|mut all| all.any(|entry| is_file(&entry.unwrap().path())))
                || !is_running(&id)
        });
        kill("TERM", running.child.id());
        // On a slow machine the wait may be over before.
        let end = running.end();
        if end == -15 {
            assert_eq!(running.rest(), Vec::<String>::new());
            return;
        }
        assert_eq!(end, 125);
    }
    panic!("the signal never came in time");
}

/// What `backoff explain` says of a file.
fn explained(file: &Path) -> std::process::Output {
    let mut explain = Command::new(env!("CARGO_BIN_EXE_backoff"));
    explain.args(["explain", "default", "--budget-file"]).arg(file).output().unwrap()
}

#[test]
fn explain_says_what_a_file_has_left() {
    let file = folder("left").join("budget");
    let budget = "quota:max_tokens=20,cost=3";
    let retries = shared("constant:base=1ns,max_retries=4", budget, &file, "exit 1");
    assert_eq!(output(retries).status.code(), Some(1));
    let before = fs::read(&file).unwrap();
    let shown = String::from_utf8(explained(&file).stdout).unwrap();
    assert!(shown.contains(&format!("\n{budget}")), "{shown}");
    // Four retries took 3 each.
    assert!(shown.contains("\n- Now 8 of 20 are left.\n"), "{shown}");
    assert!(!shown.contains("Without a budget"), "{shown}");
    assert_eq!(fs::read(&file).unwrap(), before);
    for (content, expected) in [
        ("", "it is empty, which is a full budget"),
        ("x\n", "it is not a budget file"),
        ("backoff:x\n1 2\n", "it is damaged"),
        ("backoff:quota\nx\n", "it is damaged"),
    ] {
        fs::write(&file, content).unwrap();
        let run = explained(&file);
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        assert!(errors(&run).contains(expected), "{content:?}: {}", errors(&run));
    }
}
