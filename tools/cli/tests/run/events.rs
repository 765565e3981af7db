//! The lines of JSON, and the file of `--events`.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{ONCE, Running, SEED, backoff, errors, events, folder, output, run};

#[test]
fn events_in_a_file_are_apart_from_what_the_command_prints() {
    let file = folder("events").join("events");
    let path = file.to_str().unwrap();
    for options in [&["--quiet"][..], &[]] {
        let script = "printf partial >&2; exit 75";
        let common = ["constant:base=1ns,max_retries=1", "--on", "75", "--events", path];
        let output = output(run(&[&common[..], options].concat(), script));
        assert_eq!(output.status.code(), Some(75));
        let expected = if options.is_empty() {
            "partialbackoff: attempt 1 exited with 75; retry in 1ns\n\
             partialbackoff: attempt 2 exited with 75; all retries were made\n"
        } else {
            "partialpartial"
        };
        assert_eq!(errors(&output), expected);
    }
    let events = events(&fs::read_to_string(&file).unwrap());
    let names: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["retry", "stop", "retry", "stop"]);
}

#[test]
fn a_line_says_when_and_whose_it_is() {
    let file = folder("whose").join("events");
    let path = file.to_str().unwrap();
    let now = || {
        let date = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%S"]).output().unwrap();
        String::from_utf8(date.stdout).unwrap().trim().to_owned()
    };
    let table = [
        (&[][..], Value::Null),
        (&SEED, "job-1".into()),
        (&["--label", "nightly"], "nightly".into()),
        (&["--label", "nightly", "--seed", "42", "--key", "job-1"], "nightly".into()),
    ];
    for (options, label) in table {
        let _ = fs::remove_file(&file);
        let options = [&[ONCE, "--on-any", "--events", path], options].concat();
        let before = now();
        // The shell of `setsid` becomes the program, so it has its process id.
        let mut running = Running::start(run(&options, "secret=1; exit 3"));
        let id = running.child.id();
        assert_eq!(running.end(), 3);
        let line: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(line["pid"], id);
        assert_eq!(line["command"], "sh");
        assert_eq!(line["label"], label);
        let time = line["time"].as_str().unwrap();
        assert!(*before <= *time && time <= &(now() + "Z"), "{before} {time}");
        assert!(!line.to_string().contains("secret"), "{line}");
    }
}

#[test]
fn events_that_nobody_may_write_run_nothing() {
    let folder = folder("no_events");
    let (file, nowhere) = (folder.join("file"), folder.join("nowhere"));
    fs::write(&file, "").unwrap();
    let links = [folder.join("link"), folder.join("to_nowhere")];
    symlink(&file, &links[0]).unwrap();
    symlink(&nowhere, &links[1]).unwrap();
    for path in [&links[0], &links[1], &folder.join("missing/events")] {
        let options = [ONCE, "--on-any", "--events", path.to_str().unwrap()];
        let output = output(run(&options, "echo ran"));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(125), 0));
        let expected = format!("error: cannot open the file {} of --events: ", path.display());
        assert!(errors(&output).starts_with(&expected), "{}", errors(&output));
    }
    assert_eq!(fs::read(file).unwrap(), b"");
    assert!(!nowhere.exists());
}

#[test]
fn a_standard_stream_gets_the_events() {
    let file = folder("stream").join("file");
    let path = file.to_str().unwrap();
    // A file is also such a stream by its own name, but a socket has no name that can be opened.
    let table = [("/dev/stderr", "2"), (path, "2"), ("/dev/stdout", "1"), ("/dev/fd/1", "1")];
    for (name, stream) in table {
        let policy = ["constant:base=1ns,max_retries=1", "--on-any", "-q"];
        let options = [&policy[..], &["--stdout", "passthrough", "--events", name]].concat();
        let mut command = run(&options, &format!("echo attempt >&{stream}; exit 3"));
        let to = fs::File::create(&file).unwrap();
        if stream == "2" {
            command.stderr(to)
        } else {
            command.stdout(to)
        };
        let output = output(command);
        assert_eq!(output.status.code(), Some(3), "{name}: {}", errors(&output));
        let text = fs::read_to_string(&file).unwrap();
        let are_events = text.lines().map(|line| line.contains("\"event\":"));
        assert_eq!(are_events.collect::<Vec<_>>(), [false, true, false, true], "{name}: {text}");
    }
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let mut command = run(&[ONCE, "--on-any", "-q", "--events", "/dev/stderr"], "exit 3");
    command.stderr(std::os::fd::OwnedFd::from(theirs));
    assert_eq!(command.status().unwrap().code(), Some(3));
    drop(command);
    assert_eq!(events(&std::io::read_to_string(ours).unwrap()).len(), 1);
}

#[test]
fn a_pipe_that_nobody_reads_keeps_nobody() {
    let pipe = folder("pipe").join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap();
    let output = output(run(&[ONCE, "--on-any", "--events", pipe], "echo ran; exit 3"));
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"ran\n");
    let expected = format!(
        "backoff: nobody reads the pipe {pipe} of --events; no events are written\n\
         backoff: attempt 1 exited with 3; the policy allows no retries\n"
    );
    assert_eq!(errors(&output), expected);
}

#[test]
fn a_process_of_the_shell_gets_the_events() {
    let program = env!("CARGO_BIN_EXE_backoff");
    // `>( )` is a symbolic link to a pipe.
    let script = format!("{program} run {ONCE} --on-any -q --events >(cat) -- false");
    let output = Command::new("setsid").args(["bash", "-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert_eq!(events(std::str::from_utf8(&output.stdout).unwrap()).len(), 1);
}

#[test]
fn messages_are_written_at_once() {
    for arguments in [&["run"][..], &["run", ONCE, "--on-any", "--", "no-such-command"]] {
        // Each write is a message of its own.
        let (ours, theirs) = std::os::unix::net::UnixDatagram::pair().unwrap();
        let mut command = backoff(arguments);
        command.stdout(Stdio::null()).stderr(std::os::fd::OwnedFd::from(theirs));
        assert!(!command.status().unwrap().success());
        drop(command);
        let mut first = [0; 10_000];
        let length = ours.recv(&mut first).unwrap();
        assert!(first[..length].starts_with(b"error: "));
        ours.set_nonblocking(true).unwrap();
        assert!(ours.recv(&mut [0; 10_000]).is_err(), "there is a second write");
    }
}
