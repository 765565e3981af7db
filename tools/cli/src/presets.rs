//! The presets and their sources, as `docs/presets.md` lists them.
//!
//! The page is part of the program, so that there is one list of sources. Tests of the page and of
//! this module compare its strings with those of the core.

use std::sync::LazyLock;

use serde::Serialize;

const PAGE: &str = include_str!("presets.md");

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Preset {
    /// `policy` or `budget`.
    pub(crate) of: &'static str,
    pub(crate) name: &'static str,
    pub(crate) string: &'static str,
    /// The published system, with its version or date.
    pub(crate) source: String,
    pub(crate) link: Option<&'static str>,
}

/// The presets of policies, then those of budgets, in the order of the page.
pub(crate) fn presets() -> &'static [Preset] {
    static PRESETS: LazyLock<Vec<Preset>> =
        LazyLock::new(|| [table("policy", "Policies"), table("budget", "Budgets")].concat());
    &PRESETS
}

/// The preset of a policy or of a budget that a string begins with.
pub(crate) fn preset_of(of: &str, text: &str) -> Option<&'static Preset> {
    let head = text.split(':').next()?;
    presets().iter().find(|preset| preset.of == of && preset.name == head)
}

/// The rows of a table: the name first, the string second, and the source last.
fn table(of: &'static str, heading: &str) -> Vec<Preset> {
    let mut presets = Vec::<Preset>::new();
    let from_heading = PAGE.lines().skip_while(|line| line.strip_prefix("## ") != Some(heading));
    let section = from_heading.skip(1).take_while(|line| !line.starts_with("## "));
    for row in section.filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, string, .., source] = cells.as_slice() else { continue };
        let (mut source, mut link) = plain(source);
        if let (Some(rest), Some(above)) = (source.strip_prefix("as above"), presets.last()) {
            source = above.source.clone() + rest;
            link = above.link;
        }
        let (name, string) = (name.trim_matches('`'), string.trim_matches('`'));
        presets.push(Preset { of, name, string, source, link });
    }
    presets
}

/// Markdown as plain text, and the address of its first link.
fn plain(markdown: &str) -> (String, Option<&'static str>) {
    let mut text = String::new();
    let mut link = None;
    let mut rest = markdown;
    while let Some((before, label, reference, after)) = first_link(rest) {
        text.push_str(before);
        text.push_str(label);
        link = link.or_else(|| address(reference));
        rest = after;
    }
    text.push_str(rest);
    (text.replace('`', ""), link)
}

/// The text before the first `[label][reference]`, its two parts, and the text after it.
fn first_link(markdown: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = markdown.split_once('[')?;
    let (label, rest) = rest.split_once("][")?;
    let (reference, after) = rest.split_once(']')?;
    Some((before, label, reference, after))
}

/// The address of a reference, from the end of the page.
fn address(reference: &str) -> Option<&'static str> {
    let definition = format!("[{reference}]: ");
    PAGE.lines().find_map(|line| line.strip_prefix(&definition))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::{preset_of, presets};

    #[test]
    fn the_strings_are_those_of_the_vectors() {
        let vectors: Value = serde_json::from_str(include_str!("../vectors/presets.json")).unwrap();
        let text = |case: &Value, member: &str| case[member].as_str().unwrap().to_owned();
        let cases = vectors["cases"].as_array().unwrap();
        let expected: BTreeMap<_, _> = cases
            .iter()
            .map(|case| ((text(case, "of"), text(case, "preset")), text(case, "string")))
            .collect();
        let found: BTreeMap<_, _> = presets()
            .iter()
            .map(|preset| ((preset.of.into(), preset.name.into()), preset.string.into()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_preset_has_a_source() {
        // These are no pages of the web.
        let without_link = ["ethernet", "azure-core-java", "off", "none"];
        for preset in presets() {
            assert!(!preset.source.is_empty(), "{preset:?}");
            assert!(!preset.source.contains(['[', ']', '`', '|']), "{preset:?}");
            let has_link = preset.link.is_some_and(|link| link.starts_with("https://"));
            assert_eq!(has_link, !without_link.contains(&preset.name), "{preset:?}");
        }
    }

    #[test]
    fn a_source_as_above_is_spelled_out() {
        let botocore = "https://github.com/boto/botocore/blob/develop/botocore/retries/standard.py";
        let preset = preset_of("policy", "aws-dynamodb-2026:max_retries=5").unwrap();
        assert_eq!(preset.source, "botocore, AWS_NEW_RETRIES_2026, 2026-08, for DynamoDB");
        assert_eq!(preset.link, Some(botocore));
        assert_eq!(preset_of("policy", "full:base=1s"), None);
        assert_eq!(preset_of("policy", "sre"), None);
        assert_eq!(preset_of("budget", "sre").unwrap().string, "ratio:ratio=0.1");
    }
}
