//! The body of a function as statements: runs its operators over a stack of expressions.
//!
//! An expression waits on the stack until an operator takes it. Before a statement that could change
//! its value, and before a branch that could skip its trap, it is put into a variable.

use anyhow::{Context, Result, bail};
use wasmparser::{BlockType, FuncType, Operator, ValType};

use crate::module::{Function, Module, PAGE};
use crate::operators::{Load, Store, binary, comparison, memory_access, unary};
use crate::purity::Reached;
use crate::tree::{Binary, Comparison, Expression, Label, Statement, Type, Unary, Variable};

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

    fn arithmetic(&mut self, operator: &Operator) -> Result<()> {
        use Type::{I32, I64};
        if let Some((load, store)) = memory_access(operator) {
            match (load, store) {
                (Some(load), _) => self.load(load),
                (_, Some(store)) => self.store(store),
                _ => {}
            }
            return Ok(());
        }
        match operator {
            Operator::I32Eqz => self.equals_zero(I32),
            Operator::I64Eqz => self.equals_zero(I64),
            other => {
                if let Some(operation) = unary(other) {
                    self.unary(operation);
                } else if let Some((comparison, of)) = comparison(other) {
                    self.compare(comparison, of);
                } else if let Some((operation, of)) = binary(other) {
                    self.binary(operation, of);
                } else {
                    bail!("the operator {other:?} is not translated");
                }
            }
        }
        Ok(())
    }

    fn pop(&mut self) -> Expression {
        self.stack.pop().expect("the module was validated")
    }

    /// Takes a number from the stack.
    fn number(&mut self) -> Expression {
        as_number(self.pop())
    }

    /// Takes a truth value from the stack.
    fn truth(&mut self) -> Expression {
        as_truth(self.pop())
    }

    fn temporary(&mut self, of: Type) -> Variable {
        self.variables.push(of);
        Variable(u32::try_from(self.variables.len() - 1).expect("less variables than operators"))
    }

    /// The type of a number or a truth value.
    fn type_of(&self, expression: &Expression) -> Type {
        match expression {
            Expression::Constant(of, _)
            | Expression::Binary(_, of, ..)
            | Expression::Number(of, _)
            | Expression::Load { to: of, .. } => *of,
            Expression::Variable(Variable(index)) => self.variables[*index as usize],
            Expression::Global(index) => match self.module.globals[*index as usize].bits {
                32 => Type::I32,
                _ => Type::I64,
            },
            Expression::Unary(operation, _) => match operation {
                Unary::LeadingZeros(of)
                | Unary::TrailingZeros(of)
                | Unary::Ones(of)
                | Unary::SignExtend(_, of) => *of,
                Unary::ZeroExtend => Type::I64,
                Unary::Wrap => Type::I32,
            },
            Expression::Call(function, _) => {
                let results = self.module.functions[*function as usize].signature.results();
                if results[0] == ValType::I64 { Type::I64 } else { Type::I32 }
            }
            Expression::Compare(..) | Expression::Both(..) | Expression::Either(..) => Type::I32,
        }
    }

    /// Puts a value into a new variable.
    fn store_in_temporary(&mut self, value: Expression) -> Expression {
        let value = as_number(value);
        let variable = self.temporary(self.type_of(&value));
        self.statements.push(Statement::Set(variable, value));
        Expression::Variable(variable)
    }

    /// Puts what waits on the stack into variables if it may trap or has a property.
    fn settle(&mut self, property: impl Fn(&Expression) -> bool) {
        for index in 0..self.stack.len() {
            if self.stack[index].traps() || property(&self.stack[index]) {
                self.settle_at(index);
            }
        }
    }

    /// Sets a variable. The last statement sets it itself if it is what computed the value.
    fn set(&mut self, variable: Variable, value: Expression) {
        self.settle_reads(variable);
        let Expression::Variable(from) = value else {
            self.statements.push(Statement::Set(variable, value));
            return;
        };
        if from == variable {
            return;
        }
        if from.0 as usize >= self.locals && self.retarget(from, variable) {
            return;
        }
        self.statements.push(Statement::Set(variable, value));
    }

    /// Puts a value on the stack into a variable.
    fn settle_at(&mut self, index: usize) {
        let value = std::mem::replace(&mut self.stack[index], Expression::zero(Type::I32));
        self.stack[index] = self.store_in_temporary(value);
    }

    fn settle_reads(&mut self, variable: Variable) {
        for index in 0..self.stack.len() {
            if self.stack[index].reads(variable) {
                self.settle_at(index);
            }
        }
    }

    /// Lets the last statement set a variable instead of a temporary one that nothing else reads.
    fn retarget(&mut self, from: Variable, to: Variable) -> bool {
        match &mut self.statements[..] {
            [.., Statement::Call { results, .. }] if results[..] == [from] => {
                results[0] = to;
                true
            }
            [.., Statement::Grow { result, .. }] if *result == from => {
                *result = to;
                true
            }
            [.., Statement::Set(first, other), Statement::If { condition, then, otherwise }]
                if *first == from && otherwise.is_empty() =>
            {
                let [Statement::Set(second, chosen)] = &mut then[..] else { return false };
                if *second != from {
                    return false;
                }
                let is_kept = |value: &Expression| *value == Expression::Variable(to);
                if is_kept(other) {
                    *second = to;
                    let choice = self.statements.pop();
                    self.statements.pop();
                    self.statements.extend(choice);
                } else if !chosen.reads(to) && !condition.reads(to) {
                    (*first, *second) = (to, to);
                } else if is_kept(chosen) {
                    let condition = condition.clone().negated();
                    let then = vec![Statement::Set(to, other.clone())];
                    self.statements.truncate(self.statements.len() - 2);
                    let otherwise = Vec::new();
                    self.statements.push(Statement::If { condition, then, otherwise });
                } else {
                    return false;
                }
                true
            }
            _ => false,
        }
    }

    fn discard(&mut self, value: Expression) {
        if value.traps() {
            self.statements.push(Statement::Discard(as_number(value)));
        }
    }

    fn begin(&mut self, kind: Kind, of: BlockType) -> Result<()> {
        let (parameters, results) = match of {
            BlockType::Empty => (Vec::new(), Vec::new()),
            BlockType::Type(result) => (Vec::new(), vec![r#type(result)?]),
            BlockType::FuncType(index) => {
                let signature: &FuncType = &self.module.types[index as usize];
                (types(signature.params())?, types(signature.results())?)
            }
        };
        // What is below a block, or goes into it, must not change in it.
        for index in 0..self.stack.len() {
            let is_stable = match &self.stack[index] {
                Expression::Constant(..) => true,
                Expression::Variable(variable) => variable.0 as usize >= self.locals,
                _ => false,
            };
            if !is_stable {
                self.settle_at(index);
            }
        }
        let height = self.stack.len() - parameters.len();
        let mut inputs = self.stack[height..].to_vec();
        self.labels += 1;
        let (types, targets) = match kind {
            Kind::Loop => {
                let targets: Vec<_> = parameters.iter().map(|&of| self.temporary(of)).collect();
                for (&target, input) in targets.iter().zip(inputs) {
                    self.statements.push(Statement::Set(target, input));
                }
                inputs = targets.iter().map(|&target| Expression::Variable(target)).collect();
                self.stack.truncate(height);
                self.stack.extend(inputs.clone());
                (parameters, targets)
            }
            _ => (results.clone(), results.iter().map(|&of| self.temporary(of)).collect()),
        };
        // A condition may read what the block changes, but is computed before.
        let outer = std::mem::take(&mut self.statements);
        self.frames.push(Frame {
            kind,
            label: self.labels,
            height,
            types,
            targets,
            is_targeted: false,
            outer,
            parameters: inputs,
        });
        Ok(())
    }

    /// The statements of a branch, which take its values from the stack.
    fn branch(&mut self, depth: u32) -> Vec<Statement> {
        let index = self.frames.len() - 1 - depth as usize;
        let frame = &mut self.frames[index];
        frame.is_targeted = true;
        let (label, targets) = (frame.label, frame.targets.clone());
        let is_return = matches!(frame.kind, Kind::Function);
        let count = frame.types.len();
        let values: Vec<_> =
            self.stack.split_off(self.stack.len() - count).into_iter().map(as_number).collect();
        if is_return {
            return vec![Statement::Return(values)];
        }
        let mut statements = assignments(&targets, &values, |value| self.store_for_branch(value));
        statements.push(Statement::Branch(label));
        statements
    }

    /// Values that a branch takes and that stay on the stack if the branch is not taken.
    fn keep(&mut self, depth: u32) -> Vec<Expression> {
        let index = self.frames.len() - 1 - depth as usize;
        let first = self.stack.len() - self.frames[index].types.len();
        for index in first..self.stack.len() {
            if !matches!(self.stack[index], Expression::Constant(..) | Expression::Variable(_)) {
                self.settle_at(index);
            }
        }
        self.stack[first..].to_vec()
    }

    fn store_for_branch(&mut self, value: &Expression) -> Variable {
        let of = self.type_of(value);
        self.temporary(of)
    }

    /// Ends the part of a block that falls through: puts its values where branches put them.
    fn fall_through(&mut self) {
        let frame = self.frames.last().expect("a block is open");
        let targets = frame.targets.clone();
        let first = self.stack.len() - targets.len();
        let values: Vec<_> = self.stack.split_off(first).into_iter().map(as_number).collect();
        let statements = assignments(&targets, &values, |value| self.store_for_branch(value));
        self.statements.extend(statements);
    }

    fn otherwise(&mut self) {
        if self.unreachable.is_none() {
            self.fall_through();
        }
        let reaches_end = self.unreachable.take().is_none();
        let frame = self.frames.last_mut().expect("a block is open");
        frame.is_targeted |= reaches_end;
        self.stack.truncate(frame.height);
        self.stack.extend(frame.parameters.clone());
        let then = std::mem::take(&mut self.statements);
        let kind = std::mem::replace(&mut frame.kind, Kind::Block);
        let Kind::If(condition) = kind else { unreachable!("the module was validated") };
        frame.kind = Kind::Else(condition, then);
    }

    fn end(&mut self) -> Result<()> {
        if matches!(self.frames.last().map(|frame| &frame.kind), Some(Kind::If(_))) {
            // Without `else` the results are the parameters.
            let has_results = self.frames.last().is_some_and(|frame| !frame.types.is_empty());
            if has_results {
                self.otherwise();
            }
        }
        let falls_through = self.unreachable.take().is_none();
        let frame = self.frames.last().expect("a block is open");
        let is_loop = matches!(frame.kind, Kind::Loop);
        if matches!(frame.kind, Kind::Function) {
            if falls_through {
                let branch = self.branch(0);
                self.statements.extend(branch);
            }
            self.frames.pop();
            return Ok(());
        }
        // The values of a block that nothing branches to may stay on the stack.
        let stays = is_loop || (matches!(frame.kind, Kind::Block) && !frame.is_targeted);
        if falls_through && !stays {
            self.fall_through();
        }
        let frame = self.frames.pop().context("a block is open")?;
        let body = std::mem::replace(&mut self.statements, frame.outer);
        let mut reaches_end = falls_through;
        match frame.kind {
            Kind::Block | Kind::Loop if !frame.is_targeted => self.statements.extend(body),
            Kind::Block => {
                reaches_end = true;
                self.statements.push(Statement::Block { label: frame.label, body });
            }
            Kind::Loop => self.statements.push(Statement::Loop { label: frame.label, body }),
            Kind::If(condition) => {
                reaches_end = true;
                let statement = Statement::If { condition, then: body, otherwise: Vec::new() };
                self.statements
                    .push(Statement::Block { label: frame.label, body: vec![statement] });
            }
            Kind::Else(condition, then) => {
                reaches_end |= frame.is_targeted;
                let statement = Statement::If { condition, then, otherwise: body };
                self.statements
                    .push(Statement::Block { label: frame.label, body: vec![statement] });
            }
            Kind::Function => {}
        }
        if !reaches_end {
            self.unreachable = Some(0);
            self.stack.truncate(frame.height);
            return Ok(());
        }
        if !stays {
            self.stack.truncate(frame.height);
            self.stack.extend(frame.targets.into_iter().map(Expression::Variable));
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

    fn select(&mut self) {
        let condition = self.truth();
        let (otherwise, then) = (self.number(), self.number());
        let of = self.type_of(&then);
        if let Expression::Compare(comparison, _, left, right) = &condition {
            use Comparison::{
                GreaterEqualUnsigned, GreaterUnsigned, LessEqualUnsigned, LessUnsigned,
            };
            let straight = **left == then && **right == otherwise;
            let crossed = **left == otherwise && **right == then;
            let operation = match comparison {
                LessUnsigned | LessEqualUnsigned if straight => Some(Binary::Minimum),
                GreaterUnsigned | GreaterEqualUnsigned if straight => Some(Binary::Maximum),
                LessUnsigned | LessEqualUnsigned if crossed => Some(Binary::Maximum),
                GreaterUnsigned | GreaterEqualUnsigned if crossed => Some(Binary::Minimum),
                _ => None,
            };
            if let Some(operation) = operation {
                self.stack.push(then);
                self.stack.push(otherwise);
                self.binary(operation, of);
                return;
            }
        }
        // What may trap is computed in any case.
        let mut settled = |value: Expression| {
            if value.traps() { self.store_in_temporary(value) } else { value }
        };
        let (then, otherwise, condition) = {
            let then = settled(then);
            let otherwise = settled(otherwise);
            (then, otherwise, condition)
        };
        let result = self.temporary(of);
        let is_simple = |value: &Expression| {
            matches!(value, Expression::Constant(..) | Expression::Variable(_))
        };
        // The simpler value is the one that is set under the condition: a conditional move.
        let (first, condition, second) = if is_simple(&otherwise) && !is_simple(&then) {
            (then, condition.negated(), otherwise)
        } else {
            (otherwise, condition, then)
        };
        self.statements.push(Statement::Set(result, first));
        let then = vec![Statement::Set(result, second)];
        self.statements.push(Statement::If { condition, then, otherwise: Vec::new() });
        self.stack.push(Expression::Variable(result));
    }

    fn load(&mut self, (bits, signed, to, access): Load) {
        let address = Box::new(self.number());
        self.stack.push(Expression::Load { bits, signed, to, address, offset: access.offset });
    }

    fn store(&mut self, (bits, of, access): Store) {
        let (value, address) = (self.number(), self.number());
        self.settle(|_| false);
        let offset = access.offset;
        self.statements.push(Statement::Store { bits, of, address, offset, value });
    }

    fn equals_zero(&mut self, of: Type) {
        let value = self.pop();
        self.stack.push(if value.is_truth() {
            value.negated()
        } else {
            as_truth_of(value, of).negated()
        });
    }

    fn unary(&mut self, operation: Unary) {
        let value = self.pop();
        let value = match (operation, value) {
            (Unary::ZeroExtend, value) if value.is_truth() => {
                Expression::Number(Type::I64, Box::new(value))
            }
            (operation, value) => {
                let value = self.variable_if_constant(as_number(value));
                Expression::Unary(operation, Box::new(value))
            }
        };
        self.stack.push(value);
    }

    /// Go computes with constants as with whole numbers: a sum that is too large is an error.
    fn variable_if_constant(&mut self, value: Expression) -> Expression {
        if value.is_constant() { self.store_in_temporary(value) } else { value }
    }

    fn compare(&mut self, comparison: Comparison, of: Type) {
        let (right, left) = (self.number(), self.number());
        let left = if right.is_constant() { self.variable_if_constant(left) } else { left };
        self.stack.push(Expression::Compare(comparison, of, Box::new(left), Box::new(right)));
    }

    fn binary(&mut self, operation: Binary, of: Type) {
        let (right, left) = (self.pop(), self.pop());
        if left.is_truth() && right.is_truth() {
            let joined = match operation {
                Binary::And if !right.traps() => Some(left.clone().and(right.clone())),
                Binary::Or if !right.traps() => Some(left.clone().or(right.clone())),
                _ => None,
            };
            if let Some(joined) = joined {
                self.stack.push(joined);
                return;
            }
        }
        let (mut left, mut right) = (as_number(left), as_number(right));
        if right.is_constant() {
            left = self.variable_if_constant(left);
        }
        let divides = matches!(
            operation,
            Binary::DivideSigned
                | Binary::DivideUnsigned
                | Binary::RemainderSigned
                | Binary::RemainderUnsigned
        );
        if divides && matches!(right, Expression::Constant(_, 0)) {
            right = self.store_in_temporary(right);
        }
        self.stack.push(Expression::Binary(operation, of, Box::new(left), Box::new(right)));
    }
}

fn as_number(value: Expression) -> Expression {
    if value.is_truth() { Expression::Number(Type::I32, Box::new(value)) } else { value }
}

fn as_truth(value: Expression) -> Expression {
    as_truth_of(value, Type::I32)
}

fn as_truth_of(value: Expression, of: Type) -> Expression {
    if value.is_truth() {
        return value;
    }
    let zero = Expression::zero(of);
    Expression::Compare(Comparison::NotEqual, of, Box::new(value), Box::new(zero))
}

/// Statements that set variables at once: none is read after it is set.
fn assignments(
    targets: &[Variable],
    values: &[Expression],
    mut temporary: impl FnMut(&Expression) -> Variable,
) -> Vec<Statement> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (index, value) in values.iter().enumerate() {
        let is_overwritten = targets[..index].iter().any(|&target| value.reads(target));
        let value = if is_overwritten {
            let variable = temporary(value);
            before.push(Statement::Set(variable, value.clone()));
            Expression::Variable(variable)
        } else {
            value.clone()
        };
        if value != Expression::Variable(targets[index]) {
            after.push(Statement::Set(targets[index], value));
        }
    }
    before.append(&mut after);
    before
}
