//! Reading a module: all of it that the translation uses.

use anyhow::{Context, Result, bail, ensure};
use wasmparser::{
    ConstExpr, DataKind, ExternalKind, FuncType, FunctionBody, KnownCustom, Name, NameMap,
    Operator, Parser, Payload,
};

/// The unit of a memory's size.
pub(crate) const PAGE: u64 = 65536;

/// A module.
#[derive(Default)]
pub(crate) struct Module<'a> {
    pub(crate) types: Vec<FuncType>,
    pub(crate) functions: Vec<Function<'a>>,
    /// The exported functions in the order of the module.
    pub(crate) exports: Vec<(&'a str, u32)>,
    pub(crate) globals: Vec<Global<'a>>,
    /// Where data are in the memory, and the data.
    pub(crate) data: Vec<(u64, &'a [u8])>,
    /// The size of the memory in bytes at the start.
    pub(crate) memory: u64,
}

/// A function. Its name is the one in the name section: empty without one.
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) signature: FuncType,
    pub(crate) body: FunctionBody<'a>,
}

/// A global of type `i32` or `i64`.
pub(crate) struct Global<'a> {
    /// The name of its export, or its name in the name section.
    pub(crate) name: Option<&'a str>,
    pub(crate) exported: bool,
    pub(crate) mutable: bool,
    pub(crate) bits: u32,
    pub(crate) value: u64,
}

impl<'a> Module<'a> {
    /// Reads and validates a module.
    pub(crate) fn read(wasm: &'a [u8]) -> Result<Self> {
        wasmparser::validate(wasm).context("the module is not valid")?;
        let mut module = Module::default();
        let mut signatures = Vec::new();
        let (mut function_names, mut global_names) = (Vec::new(), Vec::new());
        let mut exported_globals = Vec::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(types) => {
                    module.types = types.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
                }
                Payload::ImportSection(imports) => {
                    if let Some(import) = imports.into_imports().next() {
                        let import = import?;
                        bail!("the module imports {}.{}", import.module, import.name);
                    }
                }
                Payload::FunctionSection(types) => {
                    signatures = types.into_iter().collect::<Result<Vec<u32>, _>>()?;
                }
                Payload::MemorySection(memories) => {
                    ensure!(memories.count() == 1, "the module has {} memories", memories.count());
                    for memory in memories {
                        let memory = memory?;
                        ensure!(!memory.memory64 && !memory.shared, "a memory of an unusual kind");
                        module.memory = memory.initial * PAGE;
                    }
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        let global = global?;
                        let (bits, value) = constant(&global.init_expr)?;
                        let mutable = global.ty.mutable;
                        let (name, exported) = (None, false);
                        module.globals.push(Global { name, exported, mutable, bits, value });
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        match export.kind {
                            ExternalKind::Func => module.exports.push((export.name, export.index)),
                            ExternalKind::Global => {
                                exported_globals.push((export.name, export.index));
                            }
                            _ => {}
                        }
                    }
                }
                Payload::StartSection { .. } => bail!("the module has a start function"),
                Payload::DataSection(segments) => {
                    for segment in segments {
                        let segment = segment?;
                        let DataKind::Active { offset_expr, .. } = segment.kind else {
                            bail!("the module has passive data");
                        };
                        module.data.push((constant(&offset_expr)?.1, segment.data));
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let signature =
                        module.types[signatures[module.functions.len()] as usize].clone();
                    module.functions.push(Function { name: "", signature, body });
                }
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(subsections) = section.as_known() {
                        for subsection in subsections {
                            match subsection? {
                                Name::Function(functions) => function_names = named(functions)?,
                                Name::Global(globals) => global_names = named(globals)?,
                                _ => {}
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        for (index, name) in function_names {
            if let Some(function) = module.functions.get_mut(index) {
                function.name = name;
            }
        }
        for (index, name) in global_names {
            if let Some(global) = module.globals.get_mut(index) {
                global.name = Some(name);
            }
        }
        for (name, index) in exported_globals {
            let global = &mut module.globals[index as usize];
            (global.name, global.exported) = (Some(name), true);
        }
        Ok(module)
    }
}

/// The numbers of things and their names.
fn named(names: NameMap<'_>) -> Result<Vec<(usize, &str)>> {
    names
        .into_iter()
        .map(|naming| naming.map(|it| (it.index as usize, it.name)))
        .collect::<Result<_, _>>()
        .map_err(Into::into)
}

/// The value of a constant expression and its width.
fn constant(expression: &ConstExpr<'_>) -> Result<(u32, u64)> {
    let mut operators = expression.get_operators_reader();
    let value = match operators.read()? {
        #[expect(clippy::cast_sign_loss, reason = "the bits of the number")]
        Operator::I32Const { value } => (32, u64::from(value as u32)),
        #[expect(clippy::cast_sign_loss, reason = "the bits of the number")]
        Operator::I64Const { value } => (64, value as u64),
        operator => bail!("the module has a constant {operator:?}"),
    };
    ensure!(matches!(operators.read()?, Operator::End), "the module computes a constant");
    Ok(value)
}
