//! Pages with a generated part, between two marks.

use anyhow::{Context, Result};

/// The page with another part from this source.
pub(crate) fn with_part(page: &str, source: &str, part: &str) -> Result<String> {
    let begin = format!("<!-- from {source} -->\n");
    let end = "<!-- end -->\n";
    let (before, rest) = page.split_once(&begin).with_context(|| format!("no mark {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("no end after {begin}"))?;
    Ok(format!("{before}{begin}{part}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::with_part;

    #[test]
    fn only_the_part_of_the_source_changes() {
        let page = "a\n<!-- from x -->\nold\n<!-- end -->\nb\n<!-- from y -->\nc\n<!-- end -->\n";
        let new = with_part(page, "x", "new\n").unwrap();
        assert_eq!(new, page.replace("old", "new"));
        assert_eq!(with_part(&new, "x", "new\n").unwrap(), new);
        assert!(with_part(page, "z", "").is_err());
    }
}
