//! What libbackoff declares, in the chapters of its header.

#![allow(clippy::format_push_string, reason = "a header is written once")]

mod files;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The folder of the C ABI crate.
fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The chapters of the header: a title, and the files of `bindings-c/src` whose declarations it has.
const CHAPTERS: [(&str, &[&str]); 15] = [
    ("Versions", &["version"]),
    ("Codes", &["code"]),
    ("Policies", &["field_number", "field", "params", "policy"]),
    ("Streams", &["stream"]),
    ("Delays", &["delay", "iterator"]),
    ("Previews and fits", &["preview"]),
    ("Outcomes and reasons", &["outcome"]),
    ("The loop", &["retry"]),
    ("Operations", &["operation"]),
    ("Budgets", &["budget"]),
    ("HTTP", &["http"]),
    ("Stats", &["stats", "labels"]),
    ("Errors", &["error"]),
    ("Shared budgets", &["budget_state", "member"]),
    ("For other languages", &["constants", "binding"]),
];

/// What a C program can name, in the order of the header.
pub struct Header {
    items: Vec<Item>,
}

#[derive(Clone)]
struct Item {
    chapter: usize,
    comment: String,
    name: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    /// A macro, with its bits.
    Constant(u64, u32),
    /// The constants of an enum.
    Enum(Vec<(String, String, u64)>),
    /// Members of a struct, each with its comment; whether it is opaque.
    Struct(Vec<(String, Declared)>, bool),
    Function(Function),
}

#[derive(Clone)]
/// A function: what it returns and takes.
pub struct Function {
    /// The type of the result.
    pub result: String,
    /// The parameters in their order.
    pub parameters: Vec<Declared>,
    must_check: bool,
}

/// A parameter or a member: `const char *` and `text`.
#[derive(Clone)]
pub struct Declared {
    /// The type.
    pub kind: String,
    /// The name.
    pub name: String,
}

impl Header {
    /// The declarations of the C ABI crate.
    ///
    /// # Errors
    /// cbindgen cannot read a file, or writes what this does not know.
    pub fn read() -> Result<Self> {
        let mut items = Vec::new();
        for (chapter, (_, files)) in CHAPTERS.iter().enumerate() {
            for file in *files {
                items.extend(declarations(file)?.into_iter().map(|item| Item { chapter, ..item }));
            }
        }
        Ok(Self { items })
    }

    /// The name, the bits and the value of every macro and of every member of an enum.
    #[must_use]
    pub fn constants(&self) -> Vec<(&str, u32, u64)> {
        let mut all = Vec::new();
        for item in &self.items {
            match &item.kind {
                Kind::Constant(value, bits) => all.push((&*item.name, *bits, *value)),
                Kind::Enum(members) => {
                    all.extend(members.iter().map(|(_, name, value)| (&**name, 32, *value)));
                }
                _ => {}
            }
        }
        all
    }

    /// The functions by name, in the order of the header.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &Function)> {
        self.items.iter().filter_map(|item| match &item.kind {
            Kind::Function(function) => Some((&*item.name, function)),
            _ => None,
        })
    }

    fn structs(&self) -> impl Iterator<Item = (&str, &[(String, Declared)])> {
        self.items.iter().filter_map(|item| match &item.kind {
            Kind::Struct(members, _) => Some((&*item.name, &members[..])),
            _ => None,
        })
    }

    /// The sizes of the structs in bytes, where pointers have 8.
    pub fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.structs().map(|(name, members)| (name, layout(members).1))
    }
}

/// The declarations of a file of the C ABI crate, as cbindgen writes them.
fn declarations(file: &str) -> Result<Vec<Item>> {
    let config = cbindgen::Config::from_file(folder().join("header/cbindgen.toml"))
        .map_err(anyhow::Error::msg)?;
    let path = folder().join(format!("src/{file}.rs"));
    let mut builder = cbindgen::Builder::new().with_config(config).with_src(&path);
    // cbindgen leaves out an alias that no function of the file uses.
    for line in fs::read_to_string(&path)?.lines() {
        if let Some((name, _)) =
            line.strip_prefix("pub type ").and_then(|line| line.split_once(' '))
        {
            builder = builder.include_item(name);
        }
    }
    let mut text = Vec::new();
    builder.generate().with_context(|| format!("the declarations of {file}"))?.write(&mut text);
    let text = String::from_utf8(text)?;
    let mut constants = Vec::new();
    let (mut items, mut comment, mut code) = (Vec::new(), String::new(), String::new());
    for line in text.lines() {
        if code.is_empty() && line.starts_with("//") {
            comment += &format!("{line}\n");
            continue;
        }
        code += line;
        code.push('\n');
        let is_whole = match code.split_whitespace().next() {
            None | Some("#define") => true,
            Some("typedef") if code.contains('{') => line.starts_with('}'),
            _ => line.ends_with(';'),
        };
        if !is_whole {
            continue;
        }
        let comment = std::mem::take(&mut comment);
        // Clippy wants this section; the header says once what holds for every pointer.
        let comment = comment.split("// # Safety\n").next().unwrap_or_default();
        let comment = comment.trim_end_matches("//\n").to_owned();
        let code = std::mem::take(&mut code);
        if let Some(macro_) = code.strip_prefix("#define ") {
            constants.push((comment, number(macro_)?));
        } else if !code.trim().is_empty() {
            items.push(item(comment, code.trim())?);
        }
    }
    // An alias of a number is the enum of the constants that have its name.
    for item in &mut items {
        if let Kind::Enum(members) = &mut item.kind {
            let prefix = prefix(&item.name, &constants);
            let (of_enum, others) =
                constants.into_iter().partition(|(_, (name, ..))| name.starts_with(&prefix));
            constants = others;
            let of_enum: Vec<(String, (String, u64, u32))> = of_enum;
            *members = of_enum
                .into_iter()
                .map(|(comment, (name, value, _))| (comment, name, value))
                .collect();
            ensure!(!members.is_empty(), "no constant of {}", item.name);
        }
    }
    let constants = constants.into_iter().map(|(comment, (name, value, bits))| Item {
        chapter: 0,
        comment,
        name,
        kind: Kind::Constant(value, bits),
    });
    // Types come before what uses them.
    let (enums, others): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|item| matches!(item.kind, Kind::Enum(_)));
    Ok(enums.into_iter().chain(constants).chain(others).collect())
}

/// What the names of an enum's constants begin with. The last word of its name may be missing.
fn prefix(name: &str, constants: &[(String, (String, u64, u32))]) -> String {
    let whole = name.to_uppercase() + "_";
    if constants.iter().any(|(_, (name, ..))| name.starts_with(&whole)) {
        return whole;
    }
    name.rsplit_once('_').map_or(whole, |(start, _)| start.to_uppercase() + "_")
}

/// The name, the value and the bits of a macro: cbindgen writes `5` for a `u32` and `5ull` for a `u64`.
fn number(text: &str) -> Result<(String, u64, u32)> {
    let (name, value) = text.trim().split_once(' ').context("a macro without a value")?;
    let (digits, bits) = value.strip_suffix("ull").map_or((value, 32), |digits| (digits, 64));
    Ok((name.to_owned(), digits.parse()?, bits))
}

fn item(comment: String, code: &str) -> Result<Item> {
    let made = |name: &str, kind| Ok(Item { chapter: 0, comment, name: name.to_owned(), kind });
    if let Some(alias) = code.strip_prefix("typedef uint32_t ") {
        return made(alias.trim_end_matches(';'), Kind::Enum(Vec::new()));
    }
    if code.starts_with("typedef struct") {
        let (_, body) = code.split_once("{\n").context("a struct without members")?;
        let (body, name) = body.rsplit_once('}').context("a struct without an end")?;
        let (mut members, mut about) = (Vec::new(), String::new());
        for line in body.lines() {
            if line.trim_start().starts_with("//") {
                about += &format!("{line}\n");
            } else {
                members.push((
                    std::mem::take(&mut about),
                    declared(line.trim().trim_end_matches(';'))?,
                ));
            }
        }
        let is_opaque = code.contains("BACKOFF_ALIGNED");
        return made(name.trim().trim_end_matches(';'), Kind::Struct(members, is_opaque));
    }
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let (must_check, code) =
        code.strip_prefix("BACKOFF_MUST_CHECK ").map_or((false, &*code), |code| (true, code));
    let (start, parameters) = code.split_once('(').context("a function without parameters")?;
    let Declared { kind: result, name } = declared(start)?;
    let parameters = parameters.trim_end_matches(");").split(", ");
    let parameters = parameters.filter(|parameter| *parameter != "void").map(declared);
    let function = Function { result, parameters: parameters.collect::<Result<_>>()?, must_check };
    made(&name, Kind::Function(function))
}

/// `const struct backoff_policy *policy`, `uint64_t opaque[4]` or a pointer to a function.
fn declared(text: &str) -> Result<Declared> {
    let text = text.replace("struct ", "");
    if let Some((result, rest)) = text.split_once(" (*") {
        let (name, parameters) = rest.split_once(')').context("a function without parameters")?;
        return Ok(Declared { kind: format!("{result} (*){parameters}"), name: name.to_owned() });
    }
    let start = text.rfind([' ', '*']).context("a declaration without a name")? + 1;
    let (kind, name) = (text[..start].trim_end(), &text[start..]);
    let (name, length) = name.split_once('[').map_or((name, ""), |(name, length)| (name, length));
    let length = if length.is_empty() { String::new() } else { format!("[{length}") };
    Ok(Declared { kind: kind.to_owned() + &length, name: name.to_owned() })
}

/// The offsets of the members, and the size. Pointers have 8 bytes.
fn layout(members: &[(String, Declared)]) -> (Vec<u64>, u64) {
    let (mut offsets, mut end, mut widest) = (Vec::new(), 0_u64, 1);
    for (_, Declared { kind, .. }) in members {
        let (plain, length) = kind.split_once('[').unwrap_or((kind, "1]"));
        let bytes = match plain {
            plain if plain.contains('*') => 8,
            "uint64_t" => 8,
            "char" => 1,
            _ => 4,
        };
        let start = end.next_multiple_of(bytes);
        offsets.push(start);
        widest = widest.max(bytes);
        end = start + bytes * length.trim_end_matches(']').parse::<u64>().unwrap_or(1);
    }
    (offsets, end.next_multiple_of(widest))
}
