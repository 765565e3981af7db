//! The fields of policies and budgets in C, Go, Python and JavaScript, from the table in
//! `core/src/field/table.rs`.

use std::collections::BTreeMap;

use backoff_core::Field;
use backoff_core::ffi::{self, Unit};

use crate::languages::go::engine::{formatted, pascal};
use crate::shell::*;

const SOURCE: &str = "core/src/field/table.rs";
const STUB: &str = "bindings-python/python/backoff_rs/_backoff.pyi";
const POLICY: &str = "bindings-python/src/policy.rs";
const TYPES: &str = "bindings-wasm/js/index.d.ts";

/// The generated files, and the files with generated sections.
pub(crate) fn files() -> Result<BTreeMap<PathBuf, String>> {
    let python = [
        ("arguments of Policy", lines(policy(), python_argument)),
        ("fields of policies", lines(policy(), python_key)),
        ("properties of Policy", lines(policy(), python_property)),
        ("properties of Budget", lines(budget(), python_property)),
    ];
    let js = [
        ("options of policies", lines(policy(), js_option)),
        ("params of policies", lines(policy(), js_param)),
        ("params of budgets", lines(budget(), js_param)),
    ];
    Ok(BTreeMap::from([
        ("bindings-c/src/field_number.rs".into(), c()),
        ("bindings-go/policy_fields.go".into(), formatted(&go_file())?),
        (STUB.into(), with_sections(STUB, "#", &python)?),
        (POLICY.into(), with_sections(POLICY, "//", &[("signature of Policy", signature())])?),
        (TYPES.into(), with_sections(TYPES, "//", &js)?),
    ]))
}

fn policy() -> impl Iterator<Item = Field> {
    Field::POLICY.iter().copied()
}

/// The kind of a budget has a reader of its own.
fn budget() -> impl Iterator<Item = Field> {
    Field::BUDGET.iter().copied().filter(|&field| field != Field::Budget)
}

fn lines(fields: impl Iterator<Item = Field>, line: fn(Field) -> String) -> String {
    fields.map(line).collect()
}

/// A file whose sections, each between two lines that name it, have this content.
fn with_sections(path: &str, comment: &str, sections: &[(&str, String)]) -> Result<String> {
    let mut text = read(path)?;
    for (name, content) in sections {
        let marker = format!("{comment} {name}, from {SOURCE}\n");
        let missing = || format!("{path} has no section of {name}");
        let (before, rest) = text.split_once(&marker).with_context(missing)?;
        let end = format!("{comment} end\n");
        let (section, after) = rest.split_once(&end).with_context(missing)?;
        let indent = section.rsplit('\n').next().unwrap_or_default();
        text = format!("{before}{marker}{content}{indent}{end}{after}");
    }
    Ok(text)
}

/// What a field is, with names of fields as a language writes them.
fn description(field: Field, name: impl Fn(&str) -> String) -> String {
    let text = ffi::field_description(field).trim();
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { name(part) } else { part.to_owned() }).collect()
}

fn comment(text: &str, prefix: &str, width: usize) -> String {
    let mut lines = vec![prefix.to_owned()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{prefix} {word}")),
        }
    }
    lines.join("\n")
}

fn camel(name: &str) -> String {
    let name = pascal(name);
    name[..1].to_lowercase() + &name[1..]
}

/// The type of a field of kinds, such as `CapOn`.
fn kind(field: Field) -> String {
    let mode = if field == Field::RetryAfter { "Mode" } else { "" };
    pascal(field.name()) + mode
}

/// The text for a field of this unit.
fn by_unit(field: Field, [kind, duration, waits, ratio, count]: [&str; 5]) -> String {
    let text = match ffi::field_unit(field) {
        Unit::Kind(_) => kind,
        Unit::Duration => duration,
        Unit::Waits => waits,
        Unit::Ratio => ratio,
        _ => count,
    };
    text.to_owned()
}

fn c() -> String {
    let constant = |&field: &Field| {
        let name = field.name().to_uppercase();
        let of = if field == Field::Budget { "BUDGET_KIND" } else { &name };
        let kind = format!(" A BACKOFF_{of} kind.");
        let unit =
            by_unit(field, [&kind, " In nanoseconds.", " A list of nanoseconds.", " A ratio.", ""]);
        let is_unlimited = ffi::no_limit(field) == Some(backoff_core::MAX_NS);
        let unlimited = if is_unlimited { " BACKOFF_MAX_NS is no limit." } else { "" };
        let about = description(field, str::to_owned) + &unit + unlimited;
        let number = field as u32;
        comment(&about, "///", 99) + &format!("\npub const BACKOFF_FIELD_{name}: u32 = {number};\n")
    };
    let constants: String = Field::POLICY.iter().chain(Field::BUDGET).map(constant).collect();
    format!(
        "//! The numbers of fields. Generated from {SOURCE} by `cargo xtask generate`.\n\n\
         /// A field of a policy or of a budget.\npub type backoff_field = u32;\n\n\
         /// No field.\npub const BACKOFF_FIELD_NONE: u32 = 0;\n{constants}"
    )
}

fn go_file() -> String {
    let fields = lines(policy(), |field| format!("{} {}\n", pascal(field.name()), go_type(field)));
    let values = lines(policy(), |field| {
        let name = pascal(field.name());
        let of_kind = format!("{}(f.count", kind(field));
        let read = by_unit(field, [&of_kind, "f.duration", "f.waits", "f.ratio", "f.count"]);
        let end = if read == of_kind { ")" } else { "" };
        format!("{name}: {read}(engine.{name}){end},\n")
    });
    // The head of a policy string, and an argument of NewPolicy.
    let options = policy().filter(|&field| field != Field::Growth);
    format!(
        "// Code generated from {SOURCE} by cargo xtask generate; DO NOT EDIT.\n\npackage backoff\n
import (\n\"time\"\n\n\"github.com/backoff-rs/backoff/bindings-go/internal/engine\"\n)\n
// PolicyFields are the values of the fields of a Policy (SPEC 5.1, 5.4), whether set or by default. A field that the
// growth or the jitter does not use is zero. Without a limit, a duration is NoLimit, MaxRetries 2^32 and MaxAttempts,
// which is always one more, 2^32 + 1.
type PolicyFields struct {{\n{fields}}}

// Fields returns the values of the fields; all are zero for the zero Policy.
func (p Policy) Fields() PolicyFields {{\nf := fieldsOf{{p.core()}}\nreturn PolicyFields{{\n{values}}}\n}}
{}",
        lines(options, go_option)
    )
}

fn go_type(field: Field) -> String {
    by_unit(field, [&kind(field), "time.Duration", "[]time.Duration", "Ratio", "uint64"])
}

fn go_option(field: Field) -> String {
    let (name, type_name) = (pascal(field.name()), go_type(field));
    let is_kind = matches!(ffi::field_unit(field), Unit::Kind(_));
    let option = if is_kind { kind(field) } else { name.clone() };
    let of_kind = format!("setKind(engine.{name}, uint32(value))");
    let of_duration = format!("setDuration(engine.{name}, value)");
    let of_count = format!("set(engine.{name}, value)");
    let of_waits = format!("setWaits(engine.{name}, value)");
    let setter = by_unit(field, [&of_kind, &of_duration, &of_waits, "", &of_count]);
    let type_name = type_name.replace("[]", "...");
    let about = format!("With{option} sets {}. {}", field.name(), description(field, pascal_field));
    let about = comment(&about, "//", 118);
    if ffi::field_unit(field) != Unit::Ratio {
        return format!(
            "\n{about}\nfunc With{option}(value {type_name}) Option {{ return {setter} }}\n"
        );
    }
    format!(
        "\n{about}\n//\n// The float counts as its shortest decimal, or rounded to at most six (SPEC 8.7): 1.6 is 8/5.
func With{name}(value float64) Option {{ return setDecimal(engine.{name}, value) }}

// With{name}Ratio is With{name} for a fraction such as 4/3, exactly. In lowest terms both
// numbers may be at most 1,000,000.
func With{name}Ratio(numerator, denominator uint32) Option {{ return setRatio(engine.{name}, numerator, denominator) }}\n"
    )
}

/// The option of a field, or a kind as it is.
fn pascal_field(name: &str) -> String {
    let is_field = policy().any(|field| field.name() == name);
    if is_field { format!("With{}", pascal(name)) } else { name.to_owned() }
}

fn python_type(field: Field) -> String {
    let kind = format!("_{}", kind(field));
    by_unit(field, [&kind, "Duration", "Iterable[Duration]", "_Ratio", "SupportsIndex"])
}

/// A field beside a policy.
fn python_key(field: Field) -> String {
    let none = if field == Field::Growth { "" } else { " | None" };
    format!("    {}: {}{none}\n", field.name(), python_type(field))
}

fn python_argument(field: Field) -> String {
    let type_name = python_type(field);
    let name = field.name();
    match field {
        Field::Growth => format!("        {name}: {type_name},\n        *,\n"),
        // The only limit that a policy has by default.
        Field::RetryAfterMax => format!("        {name}: {type_name} | None = 3600,\n"),
        _ => format!("        {name}: {type_name} | None = None,\n"),
    }
}

/// The arguments of `Policy` without their types.
fn signature() -> String {
    let arguments = lines(policy(), python_argument);
    let arguments: Vec<_> = arguments
        .lines()
        .filter_map(|line| {
            let line = line.trim().trim_end_matches(',');
            let default = line.split_once(" = ").map(|(_, default)| format!("={default}"));
            Some(line.split(':').next()?.to_owned() + &default.unwrap_or_default())
        })
        .collect();
    let text = comment(&arguments.join(", "), "           ", 95).replace('\n', " \\\n");
    format!("        text_signature = \"({})\"\n", text.trim_start())
}

fn python_property(field: Field) -> String {
    let type_name = by_unit(
        field,
        [&format!("_{}", kind(field)), "float", "tuple[float, ...]", "Fraction", "int"],
    );
    let may_be_none = ffi::is_conditional(field) || ffi::no_limit(field).is_some();
    let none = if may_be_none { " | None" } else { "" };
    let name = field.name();
    // Not `Final`: it is a property of Python, whose stub must be one.
    format!("    @property\n    def {name}(self) -> {type_name}{none}: ...\n")
}

fn js_option(field: Field) -> String {
    let type_name = by_unit(
        field,
        [&kind(field), "Duration", "readonly Duration[]", "Ratio", "number | bigint"],
    );
    let about = description(field, |name| format!("`{}`", camel(name)));
    let about = comment(&about, "\t *", 116);
    let about = match about.lines().count() {
        1 => format!("\t/**{} */", about.trim_start_matches("\t *")),
        _ => format!("\t/**\n{about}\n\t */"),
    };
    let is_required = matches!(field, Field::Growth | Field::Base);
    let (optional, undefined) = if is_required { ("", "") } else { ("?", " | undefined") };
    format!("{about}\n\treadonly {}{optional}: {type_name}{undefined};\n", camel(field.name()))
}

fn js_param(field: Field) -> String {
    // It says the same as `maxRetries`.
    if field == Field::MaxAttempts {
        return String::new();
    }
    let ratio = "readonly [numerator: number, denominator: number]";
    let type_name = by_unit(
        field,
        [&kind(field), "ExactDuration", "readonly ExactDuration[]", ratio, "number"],
    );
    let optional = if ffi::is_conditional(field) { "?" } else { "" };
    format!("\treadonly {}{optional}: {type_name};\n", camel(field.name()))
}
