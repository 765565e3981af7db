//! Colours, and readers that leave early.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Output, Stdio};

use crate::support::{backoff, output, stderr};

const ESCAPE: u8 = 0x1b;

/// Every subcommand here, in a form that uses colours.
const COLOURFUL: [&[&str]; 4] =
    [&["explain", "gax"], &["preview", "gax"], &["delays", "gax", "--seed", "1"], &["presets"]];

#[test]
fn a_pipe_gets_no_colours_unless_forced() {
    for arguments in COLOURFUL {
        let with = |variable: &str, value: &str| -> Output {
            backoff().args(arguments).env(variable, value).output().unwrap()
        };
        assert!(!output(arguments).stdout.contains(&ESCAPE), "{arguments:?}");
        assert!(with("CLICOLOR_FORCE", "1").stdout.contains(&ESCAPE), "{arguments:?}");
        assert!(!with("CLICOLOR_FORCE", "0").stdout.contains(&ESCAPE), "{arguments:?}");
        assert!(!with("NO_COLOR", "1").stdout.contains(&ESCAPE), "{arguments:?}");
        let json = [arguments, &["--json"]].concat();
        let forced = backoff().args(json).env("CLICOLOR_FORCE", "1").output().unwrap();
        assert!(!forced.stdout.contains(&ESCAPE), "{arguments:?}");
    }
}

#[test]
fn an_error_has_no_colours_unless_forced() {
    let with = |value: &str| {
        let run = backoff().args(["explain", "x"]).env("CLICOLOR_FORCE", value).output();
        run.unwrap().stderr.contains(&ESCAPE)
    };
    assert!(with("1") && !with("0"));
}

#[test]
fn no_colour_changes_the_text() {
    for arguments in COLOURFUL {
        let plain = output(arguments).stdout;
        let forced = backoff().args(arguments).env("CLICOLOR_FORCE", "1").output().unwrap().stdout;
        let stripped = anstream::adapter::strip_bytes(&forced).into_vec();
        assert_eq!(stripped, plain, "{arguments:?}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let endless = ["--seed", "1", "--count", "4294967295"];
    for options in [&[][..], &["--unit", "ns"], &["--json"]] {
        let mut child = backoff()
            .args(["delays", "gax"])
            .args(endless)
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        reader.read_line(&mut line).unwrap();
        drop(reader);
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{options:?}: {errors}");
        assert_eq!(errors, "");
    }
}

/// Another process that has the pipe may have made it so.
#[test]
fn a_pipe_that_does_not_block_gets_everything() {
    for arguments in [
        &["delays", "gax", "--seed", "1", "--count", "20000", "--unit", "ns"][..],
        &["verify", "--list"],
        &["man", "run", "--json"],
    ] {
        let expected = output(arguments).stdout;
        let (mut reader, writer) = std::io::pipe().unwrap();
        rustix::io::ioctl_fionbio(&writer, true).unwrap();
        // It does not take more than this at once.
        let filling = vec![0; 1 << 16];
        assert_eq!((&writer).write(&filling).unwrap(), filling.len());
        let mut child = backoff().args(arguments).stdout(writer).spawn().unwrap();
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
        assert!(all[filling.len()..] == expected, "{arguments:?}: {} bytes", all.len());
    }
}

#[test]
fn a_pipe_that_is_closed_from_the_start_is_no_error() {
    for arguments in [&["presets"][..], &["man"], &["completions", "bash"], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = backoff().args(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(run.status.code(), Some(0), "{arguments:?}: {run:?}");
        assert_eq!(stderr(&run), "", "{arguments:?}");
    }
}

#[test]
fn nobody_has_to_read_standard_error() {
    let fit = ["fit", "default", "--attempts", "2", "--within"];
    for (arguments, code) in [
        (&["delays", "gax"][..], 0),
        (&[&fit[..], &["1s"]].concat(), 0),
        (&[&fit[..], &["0s"]].concat(), 1),
        (&["man", "--out", "/dev/null/man"], 1),
        (&["explain", "nonsense"], 2),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = backoff().args(arguments).stdout(Stdio::piped()).stderr(writer).output().unwrap();
        assert_eq!(run.status.code(), Some(code), "{arguments:?}: {run:?}");
        assert_eq!(run.stdout.is_empty(), code > 0, "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    for arguments in COLOURFUL.into_iter().chain([&["--help"][..], &["--version"]]) {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let run = backoff().args(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(run.status.code(), Some(1), "{arguments:?}: {run:?}");
        assert!(
            stderr(&run).starts_with("error: cannot write standard output: No space"),
            "{run:?}"
        );
    }
}
