//! What the stores of shared budgets send to their servers: one text for all languages, in `stores/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::shell::root;

const REDIS: &str = "stores/redis.lua";
const POSTGRES: &str = "stores/postgres.sql";

/// A statement or a script: its name, what it does, and its text.
struct Statement {
    name: String,
    about: String,
    text: String,
}

/// The generated file of each language.
pub(crate) fn files() -> Result<BTreeMap<PathBuf, String>> {
    let (redis, postgres) = (statements(REDIS)?, statements(POSTGRES)?);
    let mut files = BTreeMap::new();
    for (engine, source, statements) in
        [("redis", REDIS, &redis), ("postgres", POSTGRES, &postgres)]
    {
        let path = format!("bindings-rust/adapters/src/{engine}/statements.rs");
        files.insert(path.into(), rust(source, statements));
        let path = format!("bindings-go/adapters/{engine}/statements.go");
        files.insert(path.into(), go(engine, source, statements));
    }
    let all = [("REDIS", REDIS, redis), ("POSTGRES", POSTGRES, postgres)];
    let path = "bindings-python/python/backoff_rs/adapters/_statements.py";
    files.insert(path.into(), python(&all));
    files.insert("bindings-wasm/js/adapters/statements.js".into(), js(&all));
    Ok(files)
}

/// The sections of a file. Each begins with a comment: its name, and what it does.
fn statements(path: &str) -> Result<Vec<Statement>> {
    let content = fs::read_to_string(root().join(path))?;
    let sections = content.strip_prefix("-- ").context("no comment at the beginning")?;
    sections
        .split("\n-- ")
        .map(|section| {
            let (head, text) = section.split_once('\n').context("no statement")?;
            let (name, about) = head.split_once(": ").context("no description")?;
            let (name, about) = (name.to_owned(), about.to_owned());
            Ok(Statement { name, about, text: text.trim_end().to_owned() })
        })
        .collect()
}

fn generated(source: &str) -> String {
    format!("Generated from {source} by `cargo xtask generate`. Do not edit.")
}

fn rust(source: &str, statements: &[Statement]) -> String {
    let constants = statements.iter().map(|Statement { name, about, text }| {
        let name = name.to_uppercase();
        format!("\n/// {about}.\npub(super) const {name}: &str = \"\\\n{text}\";\n")
    });
    format!("//! {}\n{}", generated(source), constants.collect::<String>())
}

fn go(engine: &str, source: &str, statements: &[Statement]) -> String {
    let constants = statements.iter().map(|Statement { name, about, text }| {
        let name = camel(name);
        format!("\n// {name}Text: {about}.\nconst {name}Text = `{text}`\n")
    });
    let constants: String = constants.collect();
    format!(
        "// Code generated from {source} by cargo xtask generate. DO NOT EDIT.\n\n\
         package backoff{engine}\n{constants}"
    )
}

/// The statements of all engines, and where they are from.
type All<'a> = [(&'a str, &'a str, Vec<Statement>)];

fn python(all: &All<'_>) -> String {
    let constants = each(all, |name, about, text| {
        format!("\n#: {about}\n{name}: str = \"\"\"\\\n{text}\\\n\"\"\"\n")
    });
    format!("\"\"\"{}\"\"\"\n{constants}", generated(&sources(all)))
}

fn js(all: &All<'_>) -> String {
    let constants = each(all, |name, about, text| {
        format!("\n/** {about}. */\nexport const {name} = `{text}`;\n")
    });
    format!("// {}\n{constants}", generated(&sources(all)))
}

/// What a function makes of the name, the description and the text of each statement.
fn each(all: &All<'_>, shown: impl Fn(&str, &str, &str) -> String) -> String {
    let mut files = String::new();
    for (engine, _, statements) in all {
        for Statement { name, about, text } in statements {
            let name = format!("{engine}_{}", name.to_uppercase());
            files.push_str(&shown(&name, about, text));
        }
    }
    files
}

fn sources(all: &All<'_>) -> String {
    let sources: Vec<&str> = all.iter().map(|(_, source, _)| *source).collect();
    sources.join(" and ")
}

/// `compare_and_swap` as `compareAndSwap`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |camel, word| {
        let (initial, rest) = word.split_at(1.min(word.len()));
        camel + &initial.to_uppercase() + rest
    })
}
