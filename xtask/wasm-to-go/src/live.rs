//! Removes assignments whose value nothing reads: Go's linters report them.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{Expression, Label, Statement, Type, Variable};

/// Variables whose values are read later.
type Live = BTreeSet<Variable>;

/// Removes the assignments. Whether there were such.
pub(crate) fn remove_dead(body: &mut Vec<Statement>) -> bool {
    let mut sweep = Sweep { labels: BTreeMap::new(), is_final: true, changed: false };
    sweep.list(body, Live::new());
    sweep.changed
}

/// A walk over the statements from the last to the first.
struct Sweep {
    /// What is live where a branch continues.
    labels: BTreeMap<Label, Live>,
    /// Whether the walk removes. Loops are walked until what is live at their start is known.
    is_final: bool,
    changed: bool,
}

impl Sweep {
    /// What is live before the statements, given what is live behind them.
    fn list(&mut self, statements: &mut Vec<Statement>, mut live: Live) -> Live {
        let mut is_removed = vec![false; statements.len()];
        for (index, statement) in statements.iter_mut().enumerate().rev() {
            (live, is_removed[index]) = self.statement(statement, live);
        }
        if self.is_final && is_removed.contains(&true) {
            self.changed = true;
            let mut is_removed = is_removed.into_iter();
            statements.retain(|_| is_removed.next() == Some(false));
        }
        live
    }

    /// What is live before a statement, and whether it is to be removed.
    fn statement(&mut self, statement: &mut Statement, mut live: Live) -> (Live, bool) {
        match statement {
            Statement::Set(variable, value) => {
                if !live.remove(variable) {
                    if !value.traps() {
                        return (live, true);
                    }
                    if self.is_final {
                        let value = std::mem::replace(value, Expression::zero(Type::I32));
                        *statement = Statement::Discard(value);
                        self.changed = true;
                    }
                }
            }
            Statement::Grow { result, .. } => {
                if !live.remove(result) {
                    return (live, true);
                }
            }
            Statement::Call { results, .. } => {
                let before = live.len();
                for result in results.iter() {
                    live.remove(result);
                }
                if self.is_final && live.len() == before && !results.is_empty() {
                    results.clear();
                    self.changed = true;
                }
            }
            Statement::If { then, otherwise, .. } => {
                let mut other = self.list(otherwise, live.clone());
                live = self.list(then, live);
                live.append(&mut other);
            }
            Statement::Block { label, body } => {
                self.labels.insert(*label, live.clone());
                live = self.list(body, live);
            }
            Statement::Loop { label, body } => live = self.r#loop(*label, body, live),
            Statement::Switch { cases, default, .. } => {
                let behind = live.clone();
                live = self.list(default, live);
                for (_, case) in cases {
                    live.append(&mut self.list(case, behind.clone()));
                }
            }
            Statement::Branch(label) => live.clone_from(&self.labels[label]),
            Statement::Return(_) | Statement::ReturnCall { .. } | Statement::Trap => live.clear(),
            Statement::SetGlobal(..)
            | Statement::Discard(_)
            | Statement::Store { .. }
            | Statement::Copy { .. }
            | Statement::Fill { .. } => {}
        }
        for expression in statement.expressions() {
            expression.any(&mut |part| {
                if let Expression::Variable(variable) = part {
                    live.insert(*variable);
                }
                false
            });
        }
        (live, false)
    }

    fn r#loop(&mut self, label: Label, body: &mut Vec<Statement>, live: Live) -> Live {
        let is_final = std::mem::replace(&mut self.is_final, false);
        let mut start = Live::new();
        loop {
            self.labels.insert(label, start.clone());
            let again = self.list(body, live.clone());
            if again == start {
                break;
            }
            start = again;
        }
        self.is_final = is_final;
        self.list(body, live)
    }
}
