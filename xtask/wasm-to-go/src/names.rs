//! The Go names of functions and globals.
//!
//! An export has its own name, without the prefix of the options. Another function has the last two
//! names of its path in Rust, more of the path where two functions would have one name, and a number
//! where the paths are equal.

use std::collections::{BTreeMap, BTreeSet};

use crate::module::Module;

/// The name of a Rust function with its path, without the hash at its end.
pub(crate) fn path(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// The Go names of functions. `taken` are names that they must not have.
pub(crate) fn functions(
    module: &Module,
    functions: &BTreeSet<u32>,
    prefix: &str,
    taken: &mut BTreeSet<String>,
) -> BTreeMap<u32, String> {
    let mut names = BTreeMap::new();
    for (export, index) in &module.exports {
        if functions.contains(index) && !names.contains_key(index) {
            let name = mixed_caps([export.strip_prefix(prefix).unwrap_or(export)]);
            names.insert(*index, unique(&name, taken));
        }
    }
    let paths: BTreeMap<u32, Vec<String>> = functions
        .iter()
        .filter(|index| !names.contains_key(index))
        .map(|&index| (index, segments(&path(module.functions[index as usize].name))))
        .collect();
    let mut lengths: BTreeMap<u32, usize> = paths.keys().map(|&index| (index, 2)).collect();
    let shortened = |index: u32, length: usize| {
        let path = &paths[&index];
        mixed_caps(path[path.len().saturating_sub(length)..].iter().map(String::as_str))
    };
    loop {
        let mut users: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (&index, &length) in &lengths {
            users.entry(shortened(index, length)).or_default().push(index);
        }
        let mut longer = false;
        for (name, users) in users {
            let is_shared = users.iter().any(|index| paths[index] != paths[&users[0]]);
            if is_shared || taken.contains(&name) {
                for index in users {
                    if lengths[&index] < paths[&index].len() {
                        *lengths.entry(index).or_default() += 1;
                        longer = true;
                    }
                }
            }
        }
        if !longer {
            break;
        }
    }
    for (index, length) in lengths {
        names.insert(index, unique(&shortened(index, length), taken));
    }
    names
}

/// The Go name of a global.
pub(crate) fn global(symbol: Option<&str>, index: usize, taken: &mut BTreeSet<String>) -> String {
    let name = symbol.map_or_else(|| format!("global{index}"), |symbol| mixed_caps([symbol]));
    unique(&name, taken)
}

/// The name, or the name and a number if it is taken.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let name = if is_variable(name) { format!("{name}Function") } else { name.to_owned() };
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
    let name = free.expect("numbers do not end");
    taken.insert(name.clone());
    name
}

/// Whether a name could be that of a variable or a label in a function.
fn is_variable(name: &str) -> bool {
    let digits = name.strip_prefix(['p', 'x', 't', 'l', 'm']);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The names of a path in Rust, without types that are arguments.
fn segments(path: &str) -> Vec<String> {
    let mut segments = Vec::new();
    for (index, part) in split(path).into_iter().enumerate() {
        match part.strip_prefix('<').and_then(|part| part.strip_suffix('>')) {
            // `<Type as Trait>::method` belongs to the type, `<impl Type>` too.
            Some(inner) if index == 0 || inner.starts_with("impl ") => {
                let inner = inner.strip_prefix("impl ").unwrap_or(inner);
                let inner = inner.rsplit_once(" for ").map_or(inner, |(_, of)| of);
                let of = inner.split(" as ").next().unwrap_or(inner);
                segments.extend(self::segments(of));
            }
            // The arguments of a generic.
            Some(_) => {}
            None => {
                let word = part.split(['<', '#']).next().unwrap_or_default();
                let word: String =
                    word.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_').collect();
                if !word.is_empty() {
                    segments.push(word);
                }
            }
        }
    }
    segments
}

/// The parts between `::` outside of brackets.
fn split(path: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_u32, 0);
    let bytes = path.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if index > 0 && bytes[index - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(index + 1) == Some(&b':') => {
                parts.push(&path[start..index]);
                start = index + 2;
            }
            _ => {}
        }
    }
    parts.push(&path[start..]);
    parts
}

/// Words with underscores as one Go name.
fn mixed_caps<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut name = String::new();
    for word in
        words.into_iter().flat_map(|word| word.split(|it: char| !it.is_ascii_alphanumeric()))
    {
        let mut letters = word.chars();
        let Some(first) = letters.next() else { continue };
        if name.is_empty() {
            name.push(first.to_ascii_lowercase());
        } else {
            name.push(first.to_ascii_uppercase());
        }
        name.extend(letters);
    }
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("function{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{mixed_caps, segments};

    #[test]
    fn paths_are_without_types_that_are_arguments() {
        for (path, name) in [
            ("backoff_core::schedule::growth::window_ns", "growthWindowNs"),
            ("backoff_policy_parse", "backoffPolicyParse"),
            ("<backoff_core::text::Text<_> as core::fmt::Write>::write_str", "textWriteStr"),
            ("core::str::<impl str>::trim", "strTrim"),
            ("core::option::Option<T>::map::<u32, {closure}>", "optionMap"),
            ("core::option::Option<T>::map::{{closure}}", "mapClosure"),
            ("<T as core::convert::Into<U>>::into", "tInto"),
        ] {
            let segments = segments(path);
            let last = segments.iter().skip(segments.len().saturating_sub(2)).map(String::as_str);
            assert_eq!(mixed_caps(last), name, "{path}");
        }
    }
}
