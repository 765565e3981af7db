//! Files that the command writes and reads.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::support::{BACKOFF, backoff, folder, output, stderr, stdout};

/// A small simulation.
const SIMULATE: [&str; 8] =
    ["simulate", "occ", "--clients", "2", "--runs", "1", "--policy", "default"];

#[test]
fn a_link_is_not_followed() {
    let folder = folder("link");
    let (victim, nowhere, link) =
        (folder.join("victim"), folder.join("nowhere"), folder.join("link"));
    fs::write(&victim, "precious").unwrap();
    for target in [&victim, &nowhere] {
        symlink(target, &link).unwrap();
        for options in [&["--svg"][..], &["--csv"], &["--shard", "1/2", "--out"]] {
            let run = backoff().args(SIMULATE).args(options).arg(&link).output().unwrap();
            assert_eq!(run.status.code(), Some(1), "{run:?}");
            let expected = format!(
                "error: cannot write {}: it is a symbolic link to a file; name the file itself\n",
                link.display()
            );
            assert_eq!(stderr(&run), expected);
        }
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert!(!nowhere.exists());
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = folder("replace");
    let (file, other) = (folder.join("file"), folder.join("other"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    // Another name of the old file: to write in place would change it.
    fs::hard_link(&file, &other).unwrap();
    let run = backoff().args(SIMULATE).arg("--csv").arg(&file).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert!(fs::read_to_string(&file).unwrap().starts_with("model,"));
    assert_eq!(fs::read_to_string(&other).unwrap(), "old");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    // Nothing else is left.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

/// The file is first written under a random name, which the user does not know.
#[test]
fn an_error_names_the_file_that_the_user_gave() {
    let folder = folder("no_room");
    let run = |limit: &str, file: &std::path::Path| {
        // A limit of the size of files stands for a full disk.
        let script = format!("ulimit -f {limit}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, BACKOFF]).args(SIMULATE).arg("--csv").arg(file);
        stderr(&command.output().unwrap())
    };
    for (limit, name, why) in [
        ("unlimited", "missing/file", "No such file or directory (os error 2)"),
        ("0", "file", "File too large (os error 27)"),
    ] {
        let file = folder.join(name);
        let expected = format!("error: cannot write {}: {why}\n", file.display());
        assert_eq!(run(limit, &file), expected);
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_process_of_the_shell_gets_the_output() {
    // `>( )` is a symbolic link to a pipe.
    let script = format!("\"$0\" {} --quiet --csv >(cat) > /dev/null", SIMULATE.join(" "));
    let run = Command::new("bash").args(["-c", &script, BACKOFF]).output().unwrap();
    assert!(run.stdout.starts_with(b"model,"), "{run:?}");
    let null = output(&[&SIMULATE[..], &["--csv", "/dev/null"]].concat());
    assert_eq!(null.status.code(), Some(0), "{null:?}");
}

#[test]
fn two_outputs_are_two_files() {
    let folder = folder("two");
    let file = folder.join("file");
    let same = folder.join("../two/./file");
    let [file_name, same] = [&file, &same].map(|path| path.to_str().unwrap());
    let run = output(&[&SIMULATE[..], &["--svg", file_name, "--csv", same]].concat());
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert!(stderr(&run).starts_with("error: --svg and --csv are the same file, "), "{run:?}");
    assert!(!file.exists());
}

#[test]
fn an_output_is_no_input() {
    let part = folder("input").join("part");
    let part = part.to_str().unwrap();
    stdout(&[&SIMULATE[..], &["--shard", "1/1", "--out", part]].concat());
    let before = fs::read(part).unwrap();
    let run = output(&["merge", part, "--csv", part]);
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert!(stderr(&run).starts_with("error: PART and --csv are the same file, "), "{run:?}");
    assert_eq!(fs::read(part).unwrap(), before);
    assert_eq!(output(&["merge", part]).status.code(), Some(0));
}

#[test]
fn what_never_ends_is_not_read() {
    // In less memory than a part of an endless line would soon need.
    let script = r#"ulimit -v 8000000; exec "$0" merge /dev/zero"#;
    let run = Command::new("sh").args(["-c", script, BACKOFF]).output().unwrap();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert_eq!(stderr(&run), "error: /dev/zero, line 1: it is not a part\n");
}
