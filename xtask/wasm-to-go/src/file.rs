//! The Go file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, ensure};

use crate::helpers::HELPERS;
use crate::lower::{Lowered, lower};
use crate::module::{Module, PAGE};
use crate::purity::Reached;
use crate::statements::{Shared, name, print, type_name};
use crate::tree::Variable;
use crate::{Intrinsic, Options, data, names, shape};

/// Names that functions and constants must not have: keywords, what Go declares, and what the file
/// declares.
const TAKEN: &[&str] = &[
    "any",
    "append",
    "binary",
    "bits",
    "bool",
    "break",
    "byte",
    "cap",
    "case",
    "chan",
    "clear",
    "close",
    "comparable",
    "complex",
    "const",
    "continue",
    "copy",
    "default",
    "defer",
    "delete",
    "else",
    "error",
    "fallthrough",
    "false",
    "float32",
    "float64",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "imag",
    "import",
    "init",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "interface",
    "iota",
    "len",
    "main",
    "make",
    "map",
    "max",
    "memory",
    "min",
    "module",
    "new",
    "newModule",
    "nil",
    "package",
    "panic",
    "print",
    "println",
    "range",
    "real",
    "recover",
    "return",
    "rune",
    "select",
    "string",
    "struct",
    "switch",
    "true",
    "type",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
    "var",
];

/// The race detector has nothing to find in an instance, and would look at each of its bytes.
const NO_RACE: &str = "//\n//go:norace\n";

/// Translates a module to a Go file.
///
/// # Errors
///
/// If the module is not valid, or has something that is not translated.
pub fn translate(wasm: &[u8], options: &Options) -> Result<String> {
    let module = Module::read(wasm)?;
    let roots = roots(&module, options)?;
    let intrinsics = intrinsics(&module, options)?;
    let reached = Reached::from(&module, &roots, |index| intrinsics.contains_key(&index))?;
    let mut taken: BTreeSet<String> = TAKEN.iter().map(|&name| name.to_owned()).collect();
    taken.extend(HELPERS.iter().map(|helper| helper.name.to_owned()));
    let functions =
        names::functions(&module, &reached.functions, options.export_prefix, &mut taken);
    let globals: BTreeMap<u32, String> = (0..)
        .zip(&module.globals)
        .filter(|(_, global)| global.mutable || global.exported)
        .map(|(index, global)| (index, names::global(global.name, index as usize, &mut taken)))
        .collect();
    let memory = options.memory.map_or(module.memory, u64::from);
    let mut shared = Shared {
        functions: &functions,
        pure: &reached.pure,
        globals: &globals,
        pages: module.memory / PAGE,
        used: BTreeSet::new(),
    };
    let mut printed = BTreeMap::new();
    for (&index, go) in &functions {
        let function = &module.functions[index as usize];
        let symbol = names::path(function.name);
        let text = (|| {
            let mut lowered = lower(&module, &reached, function)?;
            lowered.body = shape::tidy(lowered.body);
            let body = match intrinsics.get(&index) {
                Some(intrinsic) => {
                    shared.used.insert("math/bits");
                    format!("\t{}\n", intrinsic.body.join("\n\t"))
                }
                None => print(&mut shared, &lowered),
            };
            let receiver = if reached.pure.contains(&index) { "" } else { "(m *module) " };
            let signature = signature(&lowered);
            anyhow::Ok(format!(
                "// {go} is {symbol}.\n{NO_RACE}func {receiver}{go}{signature} {{\n{body}}}\n"
            ))
        })()
        .with_context(|| format!("the function {symbol}"))?;
        printed.insert(go, text);
    }
    let mut declarations = Vec::new();
    for (index, global) in (0..).zip(&module.globals).filter(|(_, global)| !global.mutable) {
        if let Some(name) = globals.get(&index) {
            let exported = global.name.unwrap_or_default();
            declarations
                .push(format!("// {name} is {exported}.\nconst {name} = {}\n", global.value));
        }
    }
    if reached.pure.len() < reached.functions.len() {
        declarations.push(instance(&module, &globals, memory)?);
    }
    declarations.extend(printed.into_values());
    let used = &shared.used;
    let helpers = HELPERS.iter().filter(|helper| used.contains(helper.name));
    declarations.extend(helpers.clone().map(|helper| helper.text.to_owned()));
    let mut imports: BTreeSet<&str> = helpers.filter_map(|helper| helper.import).collect();
    imports.extend(used.iter().filter(|name| name.contains('/')));
    Ok(header(options, &imports) + &declarations.join("\n"))
}

/// The functions that the options ask for.
fn roots(module: &Module, options: &Options) -> Result<Vec<u32>> {
    if options.roots.is_empty() {
        return Ok(module.exports.iter().map(|&(_, index)| index).collect());
    }
    let index = |root: &&str| {
        let export = module.exports.iter().find(|(name, _)| name == root);
        export.map(|&(_, index)| index).with_context(|| format!("the module exports no {root}"))
    };
    options.roots.iter().map(index).collect()
}

/// The functions that are written in Go.
fn intrinsics<'a>(
    module: &Module,
    options: &'a Options,
) -> Result<BTreeMap<u32, &'a Intrinsic<'a>>> {
    let mut found = BTreeMap::new();
    for intrinsic in options.intrinsics {
        let before = found.len();
        for (index, function) in (0..).zip(&module.functions) {
            if names::path(function.name) == intrinsic.function {
                let signature = function.signature.to_string();
                ensure!(
                    signature == intrinsic.signature,
                    "{} is {signature}, not {}",
                    intrinsic.function,
                    intrinsic.signature
                );
                found.insert(index, intrinsic);
            }
        }
        ensure!(found.len() > before, "the module has no function {}", intrinsic.function);
    }
    Ok(found)
}

fn header(options: &Options, imports: &BTreeSet<&str>) -> String {
    let mut header = format!("// Code generated by {}; DO NOT EDIT.\n\n", options.generator);
    if let Some(build) = options.build {
        let _ = writeln!(header, "//go:build {build}\n");
    }
    let _ = writeln!(header, "package {}\n", options.package);
    match imports.iter().collect::<Vec<_>>()[..] {
        [] => {}
        [import] => {
            let _ = writeln!(header, "import \"{import}\"\n");
        }
        ref imports => {
            header.push_str("import (\n");
            for import in imports {
                let _ = writeln!(header, "\t\"{import}\"");
            }
            header.push_str(")\n\n");
        }
    }
    header
}

/// The parameters and the results of a function.
fn signature(function: &Lowered) -> String {
    let mut parameters = String::new();
    for index in 0..function.parameters {
        let of = function.variables[index];
        let variable = Variable(u32::try_from(index).unwrap_or(u32::MAX));
        parameters.push_str(if index == 0 { "" } else { ", " });
        parameters.push_str(&name(function, variable));
        // Parameters of one type that follow each other share its name.
        if index + 1 == function.parameters || function.variables[index + 1] != of {
            let _ = write!(parameters, " {}", type_name(of));
        }
    }
    let results: Vec<_> = function.results.iter().map(|&of| type_name(of)).collect();
    match &results[..] {
        [] => format!("({parameters})"),
        [result] => format!("({parameters}) {result}"),
        results => format!("({parameters}) ({})", results.join(", ")),
    }
}

/// The type of instances, and how they start.
fn instance(module: &Module, globals: &BTreeMap<u32, String>, memory: u64) -> Result<String> {
    let fields: Vec<(&str, u32, u64)> = globals
        .iter()
        .map(|(&index, name)| (name.as_str(), &module.globals[index as usize]))
        .filter(|(_, global)| global.mutable)
        .map(|(name, global)| (name, global.bits, global.value))
        .collect();
    let width = fields.iter().map(|(name, ..)| name.len()).max().unwrap_or(0).max("memory".len());
    let mut text =
        String::from("// module is an instance. It must not be used by two goroutines at once.\n");
    text.push_str("type module struct {\n");
    let _ = writeln!(text, "\t{:width$} [{memory}]byte", "memory");
    for (name, bits, _) in &fields {
        let _ = writeln!(text, "\t{name:width$} uint{bits}");
    }
    let _ = write!(
        text,
        "}}\n\n// newModule returns an instance at its start.\n{NO_RACE}\
         func newModule() *module {{\n\tm := new(module)\n"
    );
    let parts = data::parts(&module.data);
    for (index, (offset, bytes)) in parts.iter().enumerate() {
        let end = offset + bytes.len() as u64;
        ensure!(end <= memory, "data up to {end} in a memory of {memory} bytes");
        let _ = writeln!(text, "\tcopy(m.memory[{offset}:], data{index})");
    }
    for (name, _, value) in &fields {
        let _ = writeln!(text, "\tm.{name} = {value}");
    }
    text.push_str("\treturn m\n}\n");
    for (index, (_, bytes)) in parts.iter().enumerate() {
        let _ = write!(text, "\nconst data{index} = \"\"{}\n", data::literal(bytes));
    }
    Ok(text)
}
