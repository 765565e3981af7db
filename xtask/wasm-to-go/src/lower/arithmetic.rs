//! Operators that compute: numbers, truth values, choices, loads and stores.

use anyhow::{Result, bail};
use wasmparser::Operator;

use super::Lowering;
use super::stack::{as_number, as_truth_of};
use crate::operators::{Load, Store, binary, comparison, memory_access, unary};
use crate::tree::{Binary, Comparison, Expression, Statement, Type, Unary};

impl Lowering<'_> {
    pub(super) fn arithmetic(&mut self, operator: &Operator) -> Result<()> {
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

    pub(super) fn select(&mut self) {
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
    pub(super) fn variable_if_constant(&mut self, value: Expression) -> Expression {
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
