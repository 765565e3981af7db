//! Blocks, loops and conditions, and the branches to them.

use anyhow::{Context, Result};
use wasmparser::{BlockType, FuncType};

use super::stack::as_number;
use super::{Frame, Kind, Lowering, r#type, types};
use crate::tree::{Expression, Statement, Variable};

impl Lowering<'_> {
    pub(super) fn begin(&mut self, kind: Kind, of: BlockType) -> Result<()> {
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
    pub(super) fn branch(&mut self, depth: u32) -> Vec<Statement> {
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
    pub(super) fn keep(&mut self, depth: u32) -> Vec<Expression> {
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

    pub(super) fn otherwise(&mut self) {
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

    pub(super) fn end(&mut self) -> Result<()> {
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
