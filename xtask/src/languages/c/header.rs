//! The C header in chapters, and what is generated beside it from the same declarations: `backoff.ffi.h`
//! for parsers that know no directives, `abi.json`, and the names in the library.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::shell::*;

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
    ("Stats", &["stats"]),
    ("Errors", &["error"]),
    ("Shared budgets", &["budget_state", "member"]),
    ("For other languages", &["constants", "binding"]),
];

/// What a C program can name, in the order of the header.
pub(crate) struct Header {
    items: Vec<Item>,
}

struct Item {
    chapter: usize,
    comment: String,
    name: String,
    kind: Kind,
}

enum Kind {
    /// A macro, with its bits.
    Constant(u64, u32),
    /// The constants of an enum.
    Enum(Vec<(String, String, u64)>),
    /// Members of a struct, each with its comment; whether it is opaque.
    Struct(Vec<(String, Declared)>, bool),
    Function(Function),
}

pub(crate) struct Function {
    pub(crate) result: String,
    pub(crate) parameters: Vec<Declared>,
    must_check: bool,
}

/// A parameter or a member: `const char *` and `text`.
pub(crate) struct Declared {
    pub(crate) kind: String,
    pub(crate) name: String,
}

impl Header {
    pub(crate) fn read() -> Result<Self> {
        let mut items = Vec::new();
        for (chapter, (_, files)) in CHAPTERS.iter().enumerate() {
            for file in *files {
                items.extend(declarations(file)?.into_iter().map(|item| Item { chapter, ..item }));
            }
        }
        Ok(Self { items })
    }

    /// `constant(name, bits, value)` of every macro and of every member of an enum.
    pub(crate) fn constants(&self) -> Vec<(&str, u32, u64)> {
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

    pub(crate) fn functions(&self) -> impl Iterator<Item = (&str, &Function)> {
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
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.structs().map(|(name, members)| (name, layout(members).1))
    }

    /// The generated files and their contents.
    pub(crate) fn files(&self) -> Result<[(PathBuf, String); 4]> {
        Ok([
            ("include/backoff.h".into(), self.text()?),
            ("include/backoff.ffi.h".into(), self.plain_text()),
            ("include/abi.json".into(), self.json()?),
            ("bindings-c/src/constant_table.rs".into(), self.table()),
        ])
    }

    fn text(&self) -> Result<String> {
        let template = read("bindings-c/backoff.h.in")?;
        let (before, after) = template.split_once("@DECLARATIONS@\n").context("declarations")?;
        let mut contents = String::new();
        let mut text = String::new();
        for (chapter, (title, _)) in CHAPTERS.iter().enumerate() {
            let number = chapter + 1;
            let items = || self.items.iter().filter(|item| item.chapter == chapter);
            let functions = items().filter(|item| matches!(item.kind, Kind::Function(_)));
            let names: Vec<&str> = functions.map(|item| &item.name["backoff_".len()..]).collect();
            let line = format!("{number}. {title}: {}", names.join(", "));
            let line = line.trim_end_matches(": ");
            contents += &wrapped(line, " *   ", " *      ");
            let rule = "-".repeat(92 - title.len() - number.to_string().len());
            write!(text, "\n/* {number}. {title} {rule} */\n")?;
            items().for_each(|item| text += &item.text());
        }
        let types: String =
            self.structs().map(|(name, _)| format!("typedef struct {name} {name};\n")).collect();
        let before = before.replace("@CONTENTS@\n", &contents).replace("@TYPES@\n", &types);
        Ok(format!("{before}{}\n{after}", text.trim_end()))
    }

    /// Without comments, attributes and directives. Macros of 64 bits are left out: no parser has a form
    /// for them, and `backoff_constant` knows them.
    fn plain_text(&self) -> String {
        let mut text = String::new();
        for (name, _) in self.structs() {
            text += &format!("typedef struct {name} {name};\n");
        }
        let small = self.items.iter().filter_map(|item| match item.kind {
            Kind::Constant(value, 32) => Some(format!("  {} = {value}", item.name)),
            _ => None,
        });
        text += &format!("enum {{\n{}\n}};\n", small.collect::<Vec<_>>().join(",\n"));
        for Item { name, kind, .. } in &self.items {
            text += &match kind {
                Kind::Constant(..) => String::new(),
                Kind::Enum(members) => {
                    let members =
                        members.iter().map(|(_, name, value)| format!("  {name} = {value}"));
                    let members = members.collect::<Vec<_>>().join(",\n");
                    format!("typedef enum {name} {{\n{members}\n}} {name};\n")
                }
                Kind::Struct(members, _) => {
                    let members =
                        members.iter().map(|(_, member)| format!("  {};\n", member.text()));
                    format!("struct {name} {{\n{}}};\n", members.collect::<String>())
                }
                Kind::Function(function) => function.text(name) + "\n",
            };
        }
        text
    }

    fn json(&self) -> Result<String> {
        let mut parts: [Map<String, Value>; 4] = Default::default();
        let [constants, enums, structs, functions] = &mut parts;
        for Item { name, kind, .. } in &self.items {
            match kind {
                Kind::Constant(value, _) => constants.insert(name.clone(), json!(value)),
                Kind::Enum(members) => {
                    let members =
                        members.iter().map(|(_, name, value)| (name.clone(), json!(value)));
                    enums.insert(name.clone(), members.collect())
                }
                Kind::Struct(members, _) => {
                    let (offsets, size) = layout(members);
                    let members = members.iter().zip(offsets).map(|((_, member), offset)| {
                        json!({ "name": member.name, "type": member.kind, "offset": offset })
                    });
                    let members: Vec<Value> = members.collect();
                    structs.insert(name.clone(), json!({ "size": size, "members": members }))
                }
                Kind::Function(function) => {
                    let parameters = function.parameters.iter().map(|parameter| {
                        let mut about = json!({ "name": parameter.name, "type": parameter.kind });
                        if parameter.kind.contains('*') {
                            about["null"] = json!(may_be_null(name, parameter));
                            about["written"] = json!(!parameter.kind.starts_with("const "));
                        }
                        about
                    });
                    let parameters: Vec<Value> = parameters.collect();
                    let about = json!({ "returns": function.result, "parameters": parameters });
                    functions.insert(name.clone(), about)
                }
            };
        }
        let names = ["constants", "enums", "structs", "functions"];
        let mut lines = vec![format!("  \"version\": {:?}", env!("CARGO_PKG_VERSION"))];
        for (name, part) in names.into_iter().zip(&parts) {
            let part = part.iter().map(|(name, about)| format!("    {name:?}: {about}"));
            let part = part.collect::<Vec<_>>().join(",\n");
            lines.push(format!("  {name:?}: {{\n{part}\n  }}"));
        }
        Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
    }

    fn table(&self) -> String {
        let numbers = self
            .constants()
            .into_iter()
            .map(|(name, _, value)| (name.to_owned(), value.to_string()));
        let sizes = self.structs().map(|(name, _)| {
            (format!("sizeof({name})"), format!("size_of::<crate::{name}>() as u64"))
        });
        let rows: Vec<_> = numbers.chain(sizes).collect();
        let lines: String =
            rows.iter().map(|(name, value)| format!("    (c\"{name}\", {value}),\n")).collect();
        let count = rows.len();
        format!(
            "//! The constants of `include/backoff.h`. Generated from it by `cargo xtask generate`.\n\n\
             use core::ffi::CStr;\n\n#[rustfmt::skip]\npub(crate) static CONSTANTS: [(&CStr, u64); {count}] = [\n{lines}];\n"
        )
    }
}

/// The declarations of a file of the C ABI crate, as cbindgen writes them.
fn declarations(file: &str) -> Result<Vec<Item>> {
    let config = cbindgen::Config::from_file(root().join("bindings-c/cbindgen.toml"))
        .map_err(anyhow::Error::msg)?;
    let path = root().join(format!("bindings-c/src/{file}.rs"));
    let mut builder = cbindgen::Builder::new().with_config(config).with_src(&path);
    // cbindgen leaves out an alias that no function of the file uses.
    for line in read(&path)?.lines() {
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

/// Whether a caller may pass NULL. A test calls each function with it.
fn may_be_null(function: &str, Declared { kind, name }: &Declared) -> bool {
    match &**name {
        "error" => kind == "backoff_error *",
        "length" | "text_length" | "context" => true,
        "policy" => kind == "const backoff_policy *",
        "budget" | "reason" | "retries" | "attempts" => function.starts_with("backoff_operation_"),
        "index" | "stream" => function == "backoff_iter_index",
        "answer" => function == "backoff_budget_state_step",
        "text" => function == "backoff_budget_member_step",
        "method" | "name" => kind == "const char *",
        _ => function == "backoff_budget_member_state" && !kind.starts_with("const "),
    }
}

impl Declared {
    fn text(&self) -> String {
        let Self { kind, name } = self;
        if let Some((result, parameters)) = kind.split_once(" (*)") {
            return format!("{result} (*{name}){parameters}");
        }
        let (kind, length) = kind.split_at(kind.find('[').unwrap_or(kind.len()));
        let space = if kind.ends_with('*') { "" } else { " " };
        format!("{kind}{space}{name}{length}")
    }
}

impl Function {
    fn text(&self, name: &str) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(Declared::text).collect();
        let parameters =
            if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let space = if self.result.ends_with('*') { "" } else { " " };
        format!("{}{space}{name}({parameters});", self.result)
    }
}

impl Item {
    fn text(&self) -> String {
        let Self { comment, name, kind, .. } = self;
        let code = match kind {
            Kind::Constant(value, bits) => format!("#define {name} UINT{bits}_C({value})\n"),
            Kind::Enum(members) => {
                let members = members.iter().map(|(comment, name, value)| {
                    let comment: String =
                        comment.lines().map(|line| format!("  {line}\n")).collect();
                    format!("{comment}  {name} = {value},\n")
                });
                let members: String = members.collect();
                let members = members.trim_end_matches(",\n");
                format!("BACKOFF_ENUM({name}) {{\n{members}\n}};\ntypedef enum {name} {name};\n")
            }
            Kind::Struct(members, is_opaque) => {
                let aligned = if *is_opaque { "BACKOFF_ALIGNED(8) " } else { "" };
                let members = members
                    .iter()
                    .map(|(comment, member)| format!("{comment}  {};\n", member.text()));
                format!("struct {aligned}{name} {{\n{}}};\n", members.collect::<String>())
            }
            Kind::Function(function) => {
                let check = if function.must_check { "BACKOFF_MUST_CHECK\n" } else { "" };
                let text = function.text(name);
                let indent = " ".repeat(text.find('(').unwrap_or_default() + 1);
                let text = if text.len() > 100 {
                    text.replace(", ", &format!(",\n{indent}"))
                } else {
                    text
                };
                format!("{check}{text}\n")
            }
        };
        format!("\n{comment}{code}")
    }
}

/// A line in lines of at most 100 bytes.
fn wrapped(line: &str, first: &str, others: &str) -> String {
    let mut lines = vec![first.to_owned()];
    for word in line.split(' ') {
        match lines.last_mut() {
            Some(last) if last.len() + 1 + word.len() > 100 => {
                lines.push(format!("{others}{word}"))
            }
            Some(last) if last.ends_with(' ') => last.push_str(word),
            Some(last) => *last += &format!(" {word}"),
            None => {}
        }
    }
    lines.join("\n") + "\n"
}
