//! The text of a manual page.

use std::fmt::Write;

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;

pub(crate) fn text(command: &Command) -> Result<String> {
    let mut page = title(command).into_bytes();
    let man = Man::new(command.clone());
    man.render_name_section(&mut page)?;
    page.extend(synopsis(command).into_bytes());
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(help) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        page.extend(sections(&help.to_string()).into_bytes());
    }
    String::from_utf8(page).context("the page is not UTF-8")
}

/// `backoff`, or `backoff-run` for a subcommand.
pub(crate) fn full_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The first line. `clap_mangen` would not quote the date, which is empty so that equal sources give
/// equal pages.
fn title(command: &Command) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(".TH \"{}\" 1 \"\" \"backoff {version}\" \"backoff\"\n", full_name(command))
}

/// The usage as `--help` prints it: that of `clap_mangen` has no names of values, and no `--`.
fn synopsis(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    format!(".SH SYNOPSIS\n{}\n", literal(usage))
}

/// The headings of the help, and those of the page in its order.
const SECTIONS: [(&str, &str); 7] = [
    ("Exit codes:", "EXIT STATUS"),
    ("Signals:", "SIGNALS"),
    ("Environment:", "ENVIRONMENT"),
    ("Files:", "FILES"),
    ("Events:", "EVENTS"),
    // Text without a heading.
    ("", NOTES),
    ("Examples:", EXAMPLES),
];

/// How far the meaning of a term is indented.
const MEANING: &str = "        ";

const NOTES: &str = "NOTES";
const EXAMPLES: &str = "EXAMPLES";

/// What comes after the options in the help, in sections. `clap_mangen` would join the lines of the
/// examples.
fn sections(help: &str) -> String {
    let mut sections = SECTIONS.map(|(_, heading)| (heading, vec![]));
    let mut at = NOTES;
    for line in help.lines() {
        let titled = SECTIONS.iter().find(|(title, _)| !title.is_empty() && *title == line);
        if let Some((_, heading)) = titled {
            at = heading;
            continue;
        }
        // Text after the examples is about something else.
        if at == EXAMPLES && !line.is_empty() && !line.starts_with(' ') {
            at = NOTES;
        }
        if let Some((_, lines)) = sections.iter_mut().find(|(heading, _)| *heading == at) {
            lines.push(line);
        }
    }
    let mut page = String::new();
    for (heading, lines) in sections {
        let lines = trimmed(&lines);
        if !lines.is_empty() {
            let _ = write!(page, ".SH \"{heading}\"\n{}", body(lines));
        }
    }
    page
}

fn trimmed<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    let is_full = |line: &&str| !line.is_empty();
    let first = lines.iter().position(is_full).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_full).map_or(first, |last| last + 1);
    &lines[first..end]
}

/// Paragraphs are filled, an exit code stands beside its meaning, a term above its own, which is
/// indented more, and other indented lines stay as they are.
fn body(lines: &[&str]) -> String {
    let mut body = String::new();
    let mut was_indented = false;
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let indented = line.strip_prefix("  ");
        let code = indented.and_then(|line| line.split_once("  "));
        let is_number = |code: &str| code.parse::<u8>().is_ok();
        let code = code.filter(|(code, _)| is_number(code));
        let _ = match (indented, code) {
            (Some(_), _) if line.starts_with(MEANING) => {
                writeln!(body, "{}", literal(line.trim_start()))
            }
            (Some(term), _) if next.starts_with(MEANING) => {
                writeln!(body, ".TP\n.B {}", literal(term))
            }
            (_, Some((code, meaning))) => {
                writeln!(body, ".TP\n.B {code}\n{}", literal(meaning.trim_start()))
            }
            (Some(line), None) => writeln!(body, ".PP\n.nf\n{}\n.fi", literal(line)),
            (None, None) if line.is_empty() || was_indented => {
                writeln!(body, ".PP\n{}", literal(line))
            }
            (None, None) => writeln!(body, "{}", literal(line)),
        };
        was_indented = indented.is_some();
    }
    // Lines that stay as they are belong together, a paragraph needs no empty line, and the first
    // one follows its heading.
    let body = body.replace("\n.fi\n.PP\n.nf\n", "\n").replace(".PP\n\n", ".PP\n");
    let body = body.replace(".PP\n.PP\n", ".PP\n");
    body.strip_prefix(".PP\n").map(str::to_owned).unwrap_or(body)
}

/// A line of text that `roff` shows as it is.
fn literal(line: &str) -> String {
    let line = line.replace('\\', r"\e").replace('-', r"\-").replace('\'', r"\(aq");
    let line = line.replace('`', r"\(ga").replace('~', r"\(ti").replace('^', r"\(ha");
    // A line that begins with a dot would be a request.
    if line.starts_with('.') { format!(r"\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::sections;

    /// `clap` would break a longer line into a long and a short one.
    #[test]
    fn no_line_of_a_help_is_wider_than_the_help() {
        let mut commands = vec![crate::command_line()];
        while let Some(command) = commands.pop() {
            for text in [command.get_after_help(), command.get_after_long_help()] {
                let text = text.map(ToString::to_string).unwrap_or_default();
                for line in text.lines() {
                    assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
                }
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }

    #[test]
    fn the_help_becomes_sections() {
        let help = "\
Not 'all' is well.

Exit codes:
  the code of the command, or:
  0    right
  124  too late
A signal ends it.

Files:
  of --out
        Created,
        or not.
  other-term
        Never.

Examples:
  # One:
  backoff run

  .backoff run \\
      --on-any

TIMES is a time.";
        let expected = r#".SH "EXIT STATUS"
.nf
the code of the command, or:
.fi
.TP
.B 0
right
.TP
.B 124
too late
.PP
A signal ends it.
.SH "FILES"
.TP
.B of \-\-out
Created,
or not.
.TP
.B other\-term
Never.
.SH "NOTES"
Not \(aqall\(aq is well.
.PP
TIMES is a time.
.SH "EXAMPLES"
.nf
# One:
backoff run
.fi
.PP
.nf
\&.backoff run \e
    \-\-on\-any
.fi
"#;
        assert_eq!(sections(help), expected);
    }
}
