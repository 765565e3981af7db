//! Which functions are reached from the roots, and which of them are pure: they touch neither the
//! memory nor a mutable global, and call only pure functions.

use std::collections::BTreeSet;

use anyhow::Result;
use wasmparser::Operator;

use crate::module::{Function, Module};

/// Functions by their numbers.
pub(crate) struct Reached {
    pub(crate) functions: BTreeSet<u32>,
    pub(crate) pure: BTreeSet<u32>,
}

/// What a function does, apart from its calls, and what it calls.
#[derive(Default)]
struct Summary {
    is_impure: bool,
    calls: BTreeSet<u32>,
}

impl Reached {
    /// The functions that the roots reach. Intrinsics are pure and call nothing.
    pub(crate) fn from(
        module: &Module,
        roots: &[u32],
        is_intrinsic: impl Fn(u32) -> bool,
    ) -> Result<Self> {
        let summaries: Vec<Summary> = (0..)
            .zip(&module.functions)
            .map(|(index, function)| {
                if is_intrinsic(index) { Ok(Summary::default()) } else { summary(module, function) }
            })
            .collect::<Result<_>>()?;
        let mut functions = BTreeSet::new();
        let mut next = roots.to_vec();
        while let Some(function) = next.pop() {
            if functions.insert(function) {
                next.extend(&summaries[function as usize].calls);
            }
        }
        let mut pure = functions.clone();
        loop {
            let before = pure.len();
            let known = pure.clone();
            pure.retain(|&function| {
                let summary = &summaries[function as usize];
                !summary.is_impure && summary.calls.is_subset(&known)
            });
            if pure.len() == before {
                return Ok(Reached { functions, pure });
            }
        }
    }
}

fn summary(module: &Module, function: &Function) -> Result<Summary> {
    let mut summary = Summary::default();
    for operator in function.body.get_operators_reader()? {
        match operator? {
            Operator::Call { function_index } => {
                summary.calls.insert(function_index);
            }
            Operator::GlobalGet { global_index } => {
                summary.is_impure |= module.globals[global_index as usize].mutable;
            }
            Operator::GlobalSet { .. }
            | Operator::CallIndirect { .. }
            | Operator::MemoryGrow { .. }
            | Operator::MemorySize { .. }
            | Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::I32Load { .. }
            | Operator::I32Load8S { .. }
            | Operator::I32Load8U { .. }
            | Operator::I32Load16S { .. }
            | Operator::I32Load16U { .. }
            | Operator::I64Load { .. }
            | Operator::I64Load8S { .. }
            | Operator::I64Load8U { .. }
            | Operator::I64Load16S { .. }
            | Operator::I64Load16U { .. }
            | Operator::I64Load32S { .. }
            | Operator::I64Load32U { .. }
            | Operator::I32Store { .. }
            | Operator::I32Store8 { .. }
            | Operator::I32Store16 { .. }
            | Operator::I64Store { .. }
            | Operator::I64Store8 { .. }
            | Operator::I64Store16 { .. }
            | Operator::I64Store32 { .. } => summary.is_impure = true,
            // The others work on the stack, or their translation is refused.
            _ => {}
        }
    }
    Ok(summary)
}
