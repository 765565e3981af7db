//! Lines of a program as text that a terminal can show.

/// Bytes that are shown before the place that matters, and in all.
const BEFORE: usize = 60;
const SHOWN: usize = 160;

/// The part of a line around a byte.
pub(crate) fn around(line: &[u8], at: usize) -> String {
    let start = if line.len() <= SHOWN { 0 } else { at.saturating_sub(BEFORE).min(line.len()) };
    let part = &line[start..line.len().min(start + SHOWN)];
    let before = if start > 0 { "..." } else { "" };
    let after = if start + part.len() < line.len() {
        format!("... ({} bytes)", line.len())
    } else {
        String::new()
    };
    format!("{before}{}{after}", printable(&String::from_utf8_lossy(part)))
}

/// The text without control characters, which could change the terminal.
pub(crate) fn printable(text: &str) -> String {
    let shown = |character: char| {
        // A byte order mark would not be seen.
        if character.is_control() || character == '\u{feff}' {
            character.escape_default().to_string()
        } else {
            character.to_string()
        }
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn a_long_line_is_shown_around_the_byte() {
        assert_eq!(around(b"abc\x1b[1m\r", 2), "abc\\u{1b}[1m\\r");
        let line = "0123456789".repeat(50);
        let shown = around(line.as_bytes(), 205);
        assert!(shown.starts_with("...56789"), "{shown}");
        assert!(shown.ends_with("... (500 bytes)"), "{shown}");
        assert!(around(line.as_bytes(), 499).ends_with("789"));
        assert!(around(line.as_bytes(), 9999).starts_with("..."), "an answer that is longer");
        assert_eq!(around("ä".as_bytes(), 0), "ä");
        assert_eq!(around("\u{feff}{}".as_bytes(), 0), "\\u{feff}{}");
        assert_eq!(around(b"\xff", 0), "\u{fffd}");
    }
}
