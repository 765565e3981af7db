//! A budget that processes share.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use crate::support::{
    ONCE, Running, backoff, errors, folder, is_running, kill, output, run, wait_until,
};

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
fn a_success_gives_back_what_its_retry_has_taken() {
    let folder = folder("success");
    let file = folder.join("budget");
    let budget = "quota:max_tokens=5,cost=5";
    for _ in 0..3 {
        let policy = "constant:base=1ns,max_retries=1";
        let output = output(shared(policy, budget, &file, "[ $BACKOFF_ATTEMPT = 2 ]"));
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_dead_process_holds_no_slot() {
    let folder = folder("slots");
    let file = folder.join("budget");
    let budget = "concurrent:ratio=0,min_concurrent=2";
    // The second attempt holds a slot until it is over.
    let script = "[ $BACKOFF_ATTEMPT = 1 ] && exit 1; echo retrying; \
                  while [ -d /proc/$PPID ]; do sleep 0.05; done";
    let start = || Running::start(shared("constant:base=1ns", budget, &file, script));
    let refused = || {
        let output = output(shared("constant:base=1ns", budget, &file, script));
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    };
    let mut holders = [start(), start()];
    for holder in &mut holders {
        holder.expect("retrying");
    }
    refused();
    kill("KILL", holders[0].child.id());
    assert_eq!(holders[0].end(), -9);
    let mut third = start();
    third.expect("retrying");
    refused();
    // One that ends by a signal frees its slot, too.
    kill("TERM", third.child.id());
    assert_eq!(third.end(), -15);
    let mut fourth = start();
    fourth.expect("retrying");
    refused();
    for holder in [&mut holders[1], &mut fourth] {
        kill("KILL", holder.child.id());
        assert_eq!(holder.end(), -9);
    }
    // Both slots are free again.
    let mut holders = [start(), start()];
    for holder in &mut holders {
        holder.expect("retrying");
    }
    refused();
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
    let (text, huge, version, damaged, short, zeros) = (
        folder.join("text"),
        folder.join("huge"),
        folder.join("version"),
        folder.join("damaged"),
        folder.join("short"),
        folder.join("zeros"),
    );
    fs::write(&text, "root:x:0:0\n".repeat(100)).unwrap();
    fs::write(&short, "\0\0").unwrap();
    fs::write(&zeros, [0; 998]).unwrap();
    fs::File::create(&huge).unwrap().set_len(1 << 40).unwrap();
    fs::write(&version, "backoff-budget 2 1 256 2 0\n").unwrap();
    assert_eq!(output(shared(ONCE, "quota", &damaged, "exit 3")).status.code(), Some(3));
    let bytes = fs::read(&damaged).unwrap();
    let position = bytes.windows(5).position(|window| window == b"quota").unwrap();
    let mut changed = bytes.clone();
    for (at, byte) in changed.iter_mut().enumerate().skip(256) {
        *byte = if at == position { b'Q' } else { *byte ^ 1 };
    }
    fs::write(&damaged, changed).unwrap();
    let table = [
        (text.as_path(), "it is not a budget file"),
        (&short, "it is not a budget file"),
        (&zeros, "it is not a budget file"),
        (&huge, "has 1099511627776 bytes, above 67108864"),
        (&version, "it has format 2, not 1; use another file"),
        (&damaged, "it is damaged; remove it to begin with a full budget"),
        (&folder, "is not a regular file"),
        (Path::new("/dev/null"), "is not a regular file"),
        (Path::new("/no/such/folder/file"), "No such file or directory"),
        (Path::new("/proc/version"), "/proc/version"),
    ];
    for (file, message) in table {
        let before = fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|data| data.len());
        let output = output(shared(ONCE, "quota", file, "echo ran"));
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(125), "{errors}");
        assert!(errors.contains(message), "{errors}");
        assert!(errors.starts_with("error: "), "{errors}");
        assert!(output.stdout.is_empty());
        let after = fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|data| data.len());
        assert_eq!(before, after);
    }
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
fn nobody_else_may_read_a_new_file() {
    let file = folder("mode").join("budget");
    assert_eq!(output(shared(ONCE, "quota", &file, "exit 3")).status.code(), Some(3));
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o600);
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
        assert!(errors(&output).contains("it is not a budget file"), "{}", errors(&output));
        fs::remove_file(&file).unwrap();
    }
}

/// Locks a file with a lock that reading it is enough for, and prints its process id.
const LOCK: &str = "\
import fcntl, os, sys, time
file = open(sys.argv[1])
fcntl.lockf(file, fcntl.LOCK_SH)
print(os.getpid(), flush=True)
time.sleep(1000)
";

/// A process that holds the lock of a file, and its id.
fn holder(file: &Path) -> (Running, String) {
    let mut command = Command::new("python3");
    command.args(["-c", LOCK]).arg(file);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut holder = Running::start(command);
    let id = holder.expect("");
    (holder, id)
}

/// The name of this user.
fn user() -> String {
    let name = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(name.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_process_that_holds_the_lock_keeps_nobody_for_long() {
    let file = folder("held").join("budget");
    fs::write(&file, "").unwrap();
    let (_holder, id) = holder(&file);
    let output = output(shared(ONCE, "quota", &file, "echo ran"));
    assert_eq!(output.status.code(), Some(125));
    assert!(output.stdout.is_empty());
    let file = file.display();
    let expected = format!(
        "error: cannot lock budget file {file}: process {id} of user {user} holds the lock; gave up \
         after 2 s\n",
        user = user()
    );
    assert_eq!(errors(&output), expected);
}

#[test]
fn a_process_that_takes_the_lock_later_does_not_lose_the_result() {
    let folder = folder("held_later");
    let (file, lock, pipe) = (folder.join("budget"), folder.join("lock.py"), folder.join("pipe"));
    fs::write(&lock, LOCK).unwrap();
    let [file_name, lock, pipe] = [&file, &lock, &pipe].map(|path| path.to_str().unwrap());
    // In a session of its own, so that it outlives the command.
    let script = format!(
        "mkfifo {pipe}; setsid python3 {lock} {file_name} > {pipe} 2> /dev/null & \
         read id < {pipe}; echo $id; exit 4"
    );
    let output = output(shared("constant:base=1ns", "quota", &file, &script));
    let id: u32 = String::from_utf8(output.stdout.clone()).unwrap().trim().parse().unwrap();
    kill("KILL", id);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let user = user();
    let expected = format!("process {id} of user {user} holds the lock; gave up after 2 s\n");
    assert!(errors(&output).ends_with(&expected), "{}", errors(&output));
}

#[test]
fn a_signal_ends_the_wait_for_the_lock() {
    let file = folder("locked").join("budget");
    fs::write(&file, "").unwrap();
    let (_holder, _) = holder(&file);
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

#[test]
fn the_reason_is_the_budget() {
    let folder = folder("reason");
    let file = folder.join("budget");
    let mut command = backoff(&["--json", "run", "constant:base=1s", "--on-any"]);
    command.args(["--budget", "concurrent:ratio=0,min_concurrent=0", "--budget-file"]).arg(&file);
    let output = output({
        command.args(["--", "false"]);
        command
    });
    assert!(errors(&output).contains(r#""reason":"budget","delay_ns":"1000000000""#));
}
