//! `backoff completions`, `backoff man`, and `--help`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{folder, json, output, stderr, stdout};

/// The subcommands, as the help lists them.
fn subcommands() -> Vec<String> {
    let help = stdout(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_shell_completes_every_subcommand() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&["completions", shell]);
        for name in subcommands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
    }
    assert_eq!(output(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn bash_completes() {
    assert_eq!(completed("pre", "backoff"), "presets preview");
    assert_eq!(completed("man pre", "man"), "presets preview");
    assert_eq!(completed("explain def", "explain"), "default");
    assert_eq!(completed("simulate occ --policy def", "--policy"), "default");
    assert_eq!(completed("explain default --budget s", "--budget"), "sre sre-process");
    // No file, although one begins like this.
    assert_eq!(completed("delays default --key Car", "--key"), "Car");
    assert_eq!(completed("simulate occ --svg Car", "--svg"), "Cargo.toml");
}

/// What bash offers for the last of the words, sorted.
fn completed(words: &str, previous: &str) -> String {
    let script = stdout(&["completions", "bash"]);
    let last = words.split(' ').next_back().unwrap();
    let question = format!(
        "
compopt() {{ :; }}
COMP_WORDS=(backoff {words}) COMP_CWORD={}
_backoff backoff {last} {previous}
printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.split(' ').count()
    );
    let mut bash = Command::new("bash")
        .args(["--norc", "-s"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    bash.stdin.take().unwrap().write_all((script + &question).as_bytes()).unwrap();
    let answer = bash.wait_with_output().unwrap();
    let answers: BTreeSet<_> = std::str::from_utf8(&answer.stdout).unwrap().lines().collect();
    answers.into_iter().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_subcommand_has_a_page() {
    let folder = folder("pages");
    assert_eq!(stdout(&["man", "--out", folder.to_str().unwrap()]), "");
    for name in subcommands() {
        let page = fs::read_to_string(folder.join(format!("backoff-{name}.1"))).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let title = format!(".TH \"backoff-{name}\" 1 \"\" \"backoff {version}\" \"backoff\"\n");
        assert!(page.starts_with(&title), "{page}");
        assert_eq!(page, stdout(&["man", &name]));
    }
    let main = fs::read_to_string(folder.join("backoff.1")).unwrap();
    assert_eq!(main, stdout(&["man"]));
    assert!(main.contains(".SH \"EXIT STATUS\"\n"), "{main}");
    let models = ["occ", "serial", "queue", "latency", "layers"];
    for model in models {
        let page = fs::read_to_string(folder.join(format!("backoff-simulate-{model}.1"))).unwrap();
        assert!(page.contains(&format!(".TH \"backoff-simulate-{model}\" 1")), "{page}");
        assert_eq!(page, stdout(&["man", "simulate", model]));
        assert_eq!(page, stdout(&["man", &format!("simulate-{model}")]));
    }
    let pages: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(pages.len(), subcommands().len() + models.len() + 1);
    for page in &pages {
        let mut groff = Command::new("groff");
        // With all warnings, as plain text.
        groff.args(["-man", "-ww", "-Tutf8", "-Kutf8"]).arg(page);
        // Not every machine has it.
        if let Ok(run) = groff.output() {
            assert!(run.status.success(), "{page:?}: {run:?}");
            assert_eq!(std::str::from_utf8(&run.stderr), Ok(""), "{page:?}");
        }
    }
}

#[test]
fn the_page_of_run_has_all_its_sections() {
    let page = stdout(&["man", "run"]);
    let headings: Vec<_> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    let expected = [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "OPTIONS",
        "\"EXIT STATUS\"",
        "\"SIGNALS\"",
        "\"ENVIRONMENT\"",
        "\"FILES\"",
        "\"EVENTS\"",
        "\"NOTES\"",
        "\"EXAMPLES\"",
    ];
    assert_eq!(headings, expected);
    let (_, synopsis) = page.split_once(".SH SYNOPSIS\n").unwrap();
    let synopsis = synopsis.lines().next().unwrap();
    assert!(synopsis.contains(r"\-\-on <CODES>"), "{synopsis}");
    assert!(synopsis.ends_with(r"<POLICY> \-\- <COMMAND>..."), "{synopsis}");
    for term in ["BACKOFF_ATTEMPT", r"of \-\-budget\-file", "delay_ns, elapsed_ns"] {
        assert!(page.contains(&format!(".TP\n.B {term}\n")), "{term}: {page}");
    }
}

#[test]
fn json_has_the_script_and_the_page() {
    let line = json(&["completions", "zsh"]).remove(0);
    assert_eq!(line["shell"], "zsh");
    assert_eq!(line["script"], stdout(&["completions", "zsh"]));
    let line = json(&["man", "explain"]).remove(0);
    assert_eq!(line["page"], "backoff-explain");
    assert_eq!(line["text"], stdout(&["man", "explain"]));
}

#[test]
fn an_unknown_page_is_refused() {
    let unknown = output(&["man", "nonsense"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("unknown subcommand 'nonsense'"), "{unknown:?}");
}

#[test]
fn pages_go_into_a_folder_that_exists_and_through_no_link() {
    let folder = folder("pages-link");
    for nowhere in ["/dev/null/man", folder.join("mna/man1").to_str().unwrap()] {
        let run = output(&["man", "--out", nowhere]);
        assert_eq!(run.status.code(), Some(1));
        let expected = format!("error: {nowhere} is not a folder; create it first\n");
        assert_eq!(stderr(&run), expected);
    }
    assert!(!folder.join("mna").exists());
    let victim = folder.join("victim");
    fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, folder.join("backoff.1")).unwrap();
    let run = output(&["man", "--out", folder.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("it is a symbolic link to a file"), "{run:?}");
    assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
}

#[test]
fn other_shells_complete_presets() {
    let script = |shell| stdout(&["completions", shell]);
    let elvish = script("elvish");
    let (_, run) = elvish.split_once("&'backoff;run'= {").unwrap();
    assert!(run.split_once('}').unwrap().0.contains("cand aws-sdk-2026 ''\n"), "{run}");
    let powershell = script("powershell");
    let (_, run) = powershell.split_once("'backoff;run' {").unwrap();
    let value = "[CompletionResult]::new('aws-sdk-2026', 'aws-sdk-2026', ";
    assert!(run.split_once("break").unwrap().0.contains(value), "{run}");
    let fish = script("fish");
    let lines = fish.lines().filter(|line| line.contains("aws-sdk-2026"));
    let of_run = lines.filter(|line| line.contains("__fish_backoff_using_subcommand run; "));
    assert_eq!(of_run.count(), 1, "{fish}");
}

#[test]
fn each_option_of_advise_has_the_heading_that_it_belongs_to() {
    let help = stdout(&["advise", "--help"]);
    let of = |heading: &str| {
        let section = help.split(&format!("\n{heading}:\n")).nth(1).unwrap();
        let section = section.split("\n\n").next().unwrap();
        let words = section.split_whitespace().filter(|word| word.starts_with("--"));
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of("Goals"), ["--p99", "--success", "--deadline"]);
    assert_eq!(of("Runs"), ["--runs", "--seed", "--threads"]);
    assert!(of("Options").contains(&"--all".to_owned()) && help.contains("--quiet"));
}
