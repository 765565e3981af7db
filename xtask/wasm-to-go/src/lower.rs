//! The body of a function as statements: runs its operators over a stack of expressions.
//!
//! An expression waits on the stack until an operator takes it. Before a statement that could change
//! its value, and before a branch that could skip its trap, it is put into a variable.

mod arithmetic;
mod blocks;
mod stack;

use anyhow::{Result, bail};
use wasmparser::{Operator, ValType};

use crate::module::{Function, Module, PAGE};
use crate::purity::Reached;
use crate::tree::{Expression, Label, Statement, Type, Variable};
use stack::as_number;

/// A function as statements.
pub(crate) struct Lowered {
    pub(crate) parameters: usize,
    pub(crate) results: Vec<Type>,
    /// The types of the parameters, the locals and the temporary variables.
    pub(crate) variables: Vec<Type>,
    pub(crate) locals: usize,
    pub(crate) body: Vec<Statement>,
}

/// Translates the body of a function.
pub(crate) fn lower(module: &Module, reached: &Reached, function: &Function) -> Result<Lowered> {
    let parameters = types(function.signature.params())?;
    let results = types(function.signature.results())?;
    let mut variables = parameters.clone();
    for locals in function.body.get_locals_reader()? {
        let (count, of) = locals?;
        variables.extend(std::iter::repeat_n(r#type(of)?, count as usize));
    }
    let locals = variables.len();
    let mut lowering = Lowering {
        module,
        reached,
        locals,
        variables,
        stack: Vec::new(),
        frames: vec![Frame {
            kind: Kind::Function,
            label: 0,
            height: 0,
            types: results.clone(),
            targets: Vec::new(),
            is_targeted: false,
            outer: Vec::new(),
            parameters: Vec::new(),
        }],
        statements: Vec::new(),
        labels: 0,
        unreachable: None,
    };
    for operator in function.body.get_operators_reader()? {
        lowering.operator(operator?)?;
    }
    Ok(Lowered {
        parameters: parameters.len(),
        results,
        variables: lowering.variables,
        locals,
        body: lowering.statements,
    })
}

fn r#type(of: ValType) -> Result<Type> {
    match of {
        ValType::I32 => Ok(Type::I32),
        ValType::I64 => Ok(Type::I64),
        other => bail!("a value of type {other} is not translated"),
    }
}

fn types(of: &[ValType]) -> Result<Vec<Type>> {
    of.iter().map(|&of| r#type(of)).collect()
}

/// A block that has begun and not ended.
struct Frame {
    kind: Kind,
    label: Label,
    /// The size of the stack below the block.
    height: usize,
    /// What a branch to the block takes from the stack.
    types: Vec<Type>,
    /// The variables that a branch puts it into.
    targets: Vec<Variable>,
    is_targeted: bool,
    /// The statements before the block.
    outer: Vec<Statement>,
    /// The values that an `else` begins with.
    parameters: Vec<Expression>,
}

enum Kind {
    Function,
    Block,
    /// A loop has results of its own: a branch does not set them.
    Loop,
    If(Expression),
    /// The condition, and the statements if it is true.
    Else(Expression, Vec<Statement>),
}

struct Lowering<'m> {
    module: &'m Module<'m>,
    reached: &'m Reached,
    /// How many of the variables are parameters and locals.
    locals: usize,
    variables: Vec<Type>,
    stack: Vec<Expression>,
    frames: Vec<Frame>,
    statements: Vec<Statement>,
    labels: Label,
    /// Behind a branch: how many blocks have begun since.
    unreachable: Option<u32>,
}

impl Lowering<'_> {
    fn operator(&mut self, operator: Operator) -> Result<()> {
        if let Some(depth) = &mut self.unreachable {
            match operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => *depth += 1,
                Operator::End if *depth > 0 => *depth -= 1,
                Operator::Else if *depth == 0 => self.otherwise(),
                Operator::End => self.end()?,
                _ => {}
            }
            return Ok(());
        }
        match operator {
            Operator::Nop => {}
            Operator::Block { blockty } => self.begin(Kind::Block, blockty)?,
            Operator::Loop { blockty } => self.begin(Kind::Loop, blockty)?,
            Operator::If { blockty } => {
                let condition = self.truth();
                self.begin(Kind::If(condition), blockty)?;
            }
            Operator::Else => self.otherwise(),
            Operator::End => self.end()?,
            Operator::Br { relative_depth } => {
                let branch = self.branch(relative_depth);
                self.statements.extend(branch);
                self.unreachable = Some(0);
            }
            Operator::BrIf { relative_depth } => {
                let condition = self.truth();
                self.settle(|_| false);
                let kept = self.keep(relative_depth);
                let then = self.branch(relative_depth);
                self.stack.extend(kept);
                self.statements.push(Statement::If { condition, then, otherwise: Vec::new() });
            }
            Operator::BrTable { targets } => {
                let value = self.number();
                let value = self.variable_if_constant(value);
                self.settle(|_| false);
                let mut cases: Vec<(Vec<u32>, Vec<Statement>)> = Vec::new();
                let kept = self.keep(targets.default());
                let default = self.branch(targets.default());
                self.stack.extend(kept);
                for (number, depth) in (0..).zip(targets.targets()) {
                    let depth = depth?;
                    let kept = self.keep(depth);
                    let branch = self.branch(depth);
                    self.stack.extend(kept);
                    if branch == default {
                        continue;
                    }
                    match cases.iter_mut().find(|(_, case)| *case == branch) {
                        Some((numbers, _)) => numbers.push(number),
                        None => cases.push((vec![number], branch)),
                    }
                }
                self.statements.push(Statement::Switch { value, cases, default });
                self.unreachable = Some(0);
            }
            Operator::Return => {
                let depth = self.frames.len() - 1;
                let branch = self.branch(u32::try_from(depth)?);
                self.statements.extend(branch);
                self.unreachable = Some(0);
            }
            Operator::Unreachable => {
                self.settle(|_| false);
                self.statements.push(Statement::Trap);
                self.unreachable = Some(0);
            }
            Operator::Call { function_index } => self.call(function_index)?,
            Operator::Drop => {
                let value = self.pop();
                self.discard(value);
            }
            Operator::Select | Operator::TypedSelect { .. } => self.select(),
            other => return self.data(&other),
        }
        Ok(())
    }

    /// Operators on variables and on the memory.
    fn data(&mut self, operator: &Operator) -> Result<()> {
        match *operator {
            Operator::LocalGet { local_index } => {
                self.stack.push(Expression::Variable(Variable(local_index)));
            }
            Operator::LocalSet { local_index } => {
                let value = self.number();
                self.set(Variable(local_index), value);
            }
            Operator::LocalTee { local_index } => {
                let value = self.number();
                self.set(Variable(local_index), value);
                self.stack.push(Expression::Variable(Variable(local_index)));
            }
            Operator::GlobalGet { global_index } => {
                let global = &self.module.globals[global_index as usize];
                let of = if global.bits == 32 { Type::I32 } else { Type::I64 };
                let is_mutable = global.mutable;
                self.stack.push(if is_mutable {
                    Expression::Global(global_index)
                } else {
                    Expression::Constant(of, global.value)
                });
            }
            Operator::GlobalSet { global_index } => {
                let value = self.number();
                self.settle(|waiting| waiting.reads_global(global_index));
                self.statements.push(Statement::SetGlobal(global_index, value));
            }
            Operator::MemorySize { .. } => {
                let pages = self.module.memory / PAGE;
                self.stack.push(Expression::Constant(Type::I32, pages));
            }
            Operator::MemoryGrow { .. } => {
                let pages = self.number();
                self.settle(|_| false);
                let result = self.temporary(Type::I32);
                self.statements.push(Statement::Grow { result, pages });
                self.stack.push(Expression::Variable(result));
            }
            Operator::MemoryCopy { .. } => {
                let (length, from, to) = (self.number(), self.number(), self.number());
                self.settle(Expression::traps);
                self.statements.push(Statement::Copy { to, from, length });
            }
            Operator::MemoryFill { .. } => {
                let (length, value, to) = (self.number(), self.number(), self.number());
                self.settle(Expression::traps);
                self.statements.push(Statement::Fill { to, value, length });
            }
            #[expect(clippy::cast_sign_loss, reason = "the bits of the number")]
            Operator::I32Const { value } => {
                self.stack.push(Expression::Constant(Type::I32, u64::from(value as u32)));
            }
            #[expect(clippy::cast_sign_loss, reason = "the bits of the number")]
            Operator::I64Const { value } => {
                self.stack.push(Expression::Constant(Type::I64, value as u64));
            }
            _ => return self.arithmetic(operator),
        }
        Ok(())
    }

    fn call(&mut self, index: u32) -> Result<()> {
        let signature = &self.module.functions[index as usize].signature;
        let results = types(signature.results())?;
        let first = self.stack.len() - signature.params().len();
        let arguments: Vec<_> = self.stack.split_off(first).into_iter().map(as_number).collect();
        if self.reached.pure.contains(&index) && results.len() == 1 {
            self.stack.push(Expression::Call(index, arguments));
            return Ok(());
        }
        self.settle(Expression::reads_a_global);
        let results: Vec<_> = results.into_iter().map(|of| self.temporary(of)).collect();
        self.stack.extend(results.iter().map(|&result| Expression::Variable(result)));
        self.statements.push(Statement::Call { results, function: index, arguments });
        Ok(())
    }
}
