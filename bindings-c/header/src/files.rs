//! What is generated from the declarations of libbackoff.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::{CHAPTERS, Declared, Function, Header, Item, Kind, folder, layout};

impl Header {
    /// The generated files and their contents.
    ///
    /// # Errors
    /// The template cannot be read.
    pub fn files(&self) -> Result<[(PathBuf, String); 4]> {
        Ok([
            ("include/backoff.h".into(), self.text()?),
            ("include/backoff.ffi.h".into(), self.plain_text()),
            ("include/abi.json".into(), self.json()),
            ("bindings-c/src/constant_table.rs".into(), self.table()),
        ])
    }

    /// The manual: a page of all declarations, and for each function one that refers to it.
    #[must_use]
    pub fn manual(&self) -> BTreeMap<String, String> {
        let version = env!("CARGO_PKG_VERSION");
        let mut page = format!(
            ".TH BACKOFF 3 \"\" \"libbackoff {version}\"\n.SH NAME\nbackoff \\- exponential backoff with jitter\n.nh\n.ad l\n\
             .SH SYNOPSIS\n.nf\n.B #include <backoff.h>\n.B cc ... $(pkg-config --cflags --libs backoff)\n.fi\n"
        );
        let header = self.text().unwrap_or_default();
        let about = header.split_once("*/").map_or("", |(about, _)| about);
        let about = about.replace("\n * ", "\n").replace("\n *\n", "\n\n").replace('\\', "\\e");
        page += &format!(".SH DESCRIPTION\n.nf\n{}\n.fi\n", about.trim_start_matches("/*").trim());
        for (chapter, (title, _)) in CHAPTERS.iter().enumerate() {
            page += &format!(".SH {}\n", title.to_uppercase());
            for item in self.items.iter().filter(|item| item.chapter == chapter) {
                let code = Item { comment: String::new(), ..item.clone() }.text();
                let comment = item.comment.replace("//\n", ".PP\n").replace("// ", "");
                let code = code.trim().replace('\\', "\\e");
                page += &format!(".SS {}\n.nf\n{code}\n.fi\n.PP\n{comment}", item.name);
            }
        }
        let names =
            self.functions().map(|(name, _)| name).chain(self.structs().map(|(name, _)| name));
        let pages = names.map(|name| (name, ".so man3/backoff.3\n".to_owned()));
        let pages = pages.chain([("backoff", page)]);
        pages.map(|(name, page)| (format!("{name}.3"), page)).collect()
    }

    fn text(&self) -> Result<String> {
        let template = fs::read_to_string(folder().join("header/backoff.h.in"))?;
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
        let types = self.types();
        let before = before.replace("@CONTENTS@\n", &contents).replace("@TYPES@\n", &types);
        Ok(format!("{before}{}\n{after}", text.trim_end()))
    }

    /// All structs, so that functions of any chapter can name them.
    fn types(&self) -> String {
        let types = self.structs().map(|(name, _)| format!("typedef struct {name} {name};\n"));
        types.collect::<Vec<_>>().concat()
    }

    /// Without comments, attributes and directives. Macros of 64 bits are left out: no parser has a form
    /// for them, and `backoff_constant` knows them.
    fn plain_text(&self) -> String {
        let mut text = self.types();
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

    fn json(&self) -> String {
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
                            about["written"] = json!(is_written(parameter));
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
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    fn table(&self) -> String {
        let row = |name: &str, value: String| format!("    \"{name}\": {value},\n");
        let constants = self.constants().into_iter();
        let numbers = constants.map(|(name, _, value)| row(name, value.to_string()));
        let size = |(name, _): (&str, _)| {
            row(&format!("sizeof({name})"), format!("size_of::<crate::{name}>() as u64"))
        };
        let (with_pointers, others): (Vec<_>, Vec<_>) =
            self.structs().partition(|(name, _)| HAS_POINTERS.contains(name));
        let everywhere: String = numbers.chain(others.into_iter().map(size)).collect();
        let native: String = with_pointers.into_iter().map(size).collect();
        format!(
            "//! The constants of `include/backoff.h`. Generated from it by `cargo xtask generate`.\n\n\
             use crate::text::table;\n\n\
             #[rustfmt::skip]\ntable! {{ EVERYWHERE:\n{everywhere}}}\n\n\
             #[cfg(not(target_family = \"wasm\"))]\ntable! {{ NATIVE:\n{native}}}\n\n\
             #[cfg(target_family = \"wasm\")]\ntable! {{ NATIVE: }}\n"
        )
    }
}

/// The structs that the module of WebAssembly lacks: it has no callbacks, and other pointers than abi.json says.
const HAS_POINTERS: [&str; 4] =
    ["backoff_loop", "backoff_loop_event", "backoff_loop_attempt_info", "backoff_label"];

/// Whether a caller may pass NULL. A test calls each function with it.
fn may_be_null(function: &str, Declared { kind, name }: &Declared) -> bool {
    match &**name {
        "error" => kind == "backoff_error *",
        "length" | "text_length" | "context" => true,
        "policy" => kind == "const backoff_policy *",
        "budget" | "reason" | "retries" | "attempts" => function.starts_with("backoff_operation_"),
        "index" | "stream" => function == "backoff_iter_index",
        "answer" => function == "backoff_budget_state_step",
        "text" => {
            ["backoff_budget_member_step", "backoff_budget_member_get_level"].contains(&function)
        }
        "method" | "name" => kind == "const char *" && function != "backoff_constant",
        _ => function == "backoff_budget_member_state" && !kind.starts_with("const "),
    }
}

/// A `const` before the last of two stars is about what the pointer that is written points to.
fn is_written(Declared { kind, .. }: &Declared) -> bool {
    !kind.starts_with("const ") || kind.ends_with("**")
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
                    let comment = comment.replace("// ", "  // ");
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
                lines.push(format!("{others}{word}"));
            }
            Some(last) if last.ends_with(' ') => last.push_str(word),
            Some(last) => *last += &format!(" {word}"),
            None => {}
        }
    }
    lines.join("\n") + "\n"
}
