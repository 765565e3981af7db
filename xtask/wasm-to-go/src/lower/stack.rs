//! The stack of expressions that wait, and the variables into which they are put.

use wasmparser::ValType;

use super::Lowering;
use crate::tree::{Comparison, Expression, Statement, Type, Unary, Variable};

impl Lowering<'_> {
    pub(super) fn pop(&mut self) -> Expression {
        self.stack.pop().expect("the module was validated")
    }

    /// Takes a number from the stack.
    pub(super) fn number(&mut self) -> Expression {
        as_number(self.pop())
    }

    /// Takes a truth value from the stack.
    pub(super) fn truth(&mut self) -> Expression {
        as_truth(self.pop())
    }

    pub(super) fn temporary(&mut self, of: Type) -> Variable {
        self.variables.push(of);
        Variable(u32::try_from(self.variables.len() - 1).expect("less variables than operators"))
    }

    /// The type of a number or a truth value.
    pub(super) fn type_of(&self, expression: &Expression) -> Type {
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
    pub(super) fn store_in_temporary(&mut self, value: Expression) -> Expression {
        let value = as_number(value);
        let variable = self.temporary(self.type_of(&value));
        self.statements.push(Statement::Set(variable, value));
        Expression::Variable(variable)
    }

    /// Puts what waits on the stack into variables if it may trap or has a property.
    pub(super) fn settle(&mut self, property: impl Fn(&Expression) -> bool) {
        for index in 0..self.stack.len() {
            if self.stack[index].traps() || property(&self.stack[index]) {
                self.settle_at(index);
            }
        }
    }

    /// Sets a variable. The last statement sets it itself if it is what computed the value.
    pub(super) fn set(&mut self, variable: Variable, value: Expression) {
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
    pub(super) fn settle_at(&mut self, index: usize) {
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

    pub(super) fn discard(&mut self, value: Expression) {
        if value.traps() {
            self.statements.push(Statement::Discard(as_number(value)));
        }
    }
}

pub(super) fn as_number(value: Expression) -> Expression {
    if value.is_truth() { Expression::Number(Type::I32, Box::new(value)) } else { value }
}

fn as_truth(value: Expression) -> Expression {
    as_truth_of(value, Type::I32)
}

pub(super) fn as_truth_of(value: Expression, of: Type) -> Expression {
    if value.is_truth() {
        return value;
    }
    let zero = Expression::zero(of);
    Expression::Compare(Comparison::NotEqual, of, Box::new(value), Box::new(zero))
}
