//! Makes statements simpler without changing what they do, and answers questions about them.

use std::collections::BTreeSet;

use crate::live;
use crate::tree::{Expression, Label, Statement, Type, Variable};

/// A chain of exits from a block becomes nested conditions if it is not longer.
const NESTED: usize = 3;

/// Simplifies the body of a function.
pub(crate) fn tidy(mut body: Vec<Statement>) -> Vec<Statement> {
    loop {
        body = list(body);
        if !live::remove_dead(&mut body) {
            return body;
        }
    }
}

/// Whether control reaches the end of the statements.
pub(crate) fn falls_through(statements: &[Statement]) -> bool {
    match statements.last() {
        None => true,
        Some(last) => match last {
            Statement::Branch(_)
            | Statement::Return(_)
            | Statement::ReturnCall { .. }
            | Statement::Trap => false,
            Statement::Switch { cases, default, .. } => {
                falls_through(default) || cases.iter().any(|(_, case)| falls_through(case))
            }
            Statement::If { then, otherwise, .. } => {
                falls_through(then) || falls_through(otherwise)
            }
            Statement::Block { label, body } => falls_through(body) || uses(body, *label) > 0,
            Statement::Loop { body, .. } => falls_through(body),
            _ => true,
        },
    }
}

/// Whether a branch to a loop stands in a loop inside of its body.
pub(crate) fn continues_from_inner_loop(body: &[Statement], label: Label) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Loop { body, .. } => uses(body, label) > 0,
        other => parts(other).into_iter().any(|part| continues_from_inner_loop(part, label)),
    })
}

/// The variables that are read.
pub(crate) fn read(body: &[Statement]) -> BTreeSet<Variable> {
    let mut variables = BTreeSet::new();
    for statement in body {
        for expression in statement.expressions() {
            expression.any(&mut |part| {
                if let Expression::Variable(variable) = part {
                    variables.insert(*variable);
                }
                false
            });
        }
        for part in parts(statement) {
            variables.append(&mut read(part));
        }
    }
    variables
}

/// How many branches have a target.
fn uses(statements: &[Statement], label: Label) -> usize {
    let count = |statement: &Statement| {
        let own = usize::from(*statement == Statement::Branch(label));
        own + parts(statement).into_iter().map(|part| uses(part, label)).sum::<usize>()
    };
    statements.iter().map(count).sum()
}

/// The statements in a statement.
fn parts(statement: &Statement) -> Vec<&[Statement]> {
    match statement {
        Statement::If { then, otherwise, .. } => vec![then, otherwise],
        Statement::Block { body, .. } | Statement::Loop { body, .. } => vec![body],
        Statement::Switch { cases, default, .. } => {
            cases.iter().map(|(_, case)| case.as_slice()).chain([default.as_slice()]).collect()
        }
        _ => Vec::new(),
    }
}

/// Simplifies statements that follow each other.
fn list(statements: Vec<Statement>) -> Vec<Statement> {
    let mut tidied = Vec::new();
    let mut statements = statements.into_iter();
    while let Some(statement) = statements.next() {
        match statement {
            Statement::Block { label, body } => {
                tidied.extend(block(label, list(body)));
                if let Some(Statement::Switch { cases, default, .. }) = tidied.last_mut()
                    && let Some(case) = only_case(cases, default)
                {
                    case.extend(statements.by_ref());
                    *case = list(std::mem::take(case));
                }
            }
            Statement::Set(variable, value) if value == Expression::Variable(variable) => {}
            Statement::SetGlobal(global, value) if value == Expression::Global(global) => {}
            Statement::Loop { label, body } => {
                tidied.push(Statement::Loop { label, body: list(body) });
            }
            Statement::If { condition, then, otherwise } => {
                tidied.extend(choice(condition, list(then), list(otherwise)));
            }
            Statement::Return(values) => {
                let call = match tidied.last() {
                    Some(Statement::Call { results, .. }) if !results.is_empty() => {
                        let results = results.iter().map(|&it| Expression::Variable(it));
                        results.eq(values.iter().cloned())
                    }
                    _ => false,
                };
                match tidied.pop_if(|_| call) {
                    Some(Statement::Call { function, arguments, .. }) => {
                        tidied.push(Statement::ReturnCall { function, arguments });
                    }
                    _ => tidied.push(Statement::Return(values)),
                }
            }
            Statement::Switch { value, cases, default } => {
                let cases = cases.into_iter().map(|(numbers, case)| (numbers, list(case)));
                let (cases, default) = (cases.collect(), list(default));
                tidied.push(Statement::Switch { value, cases, default });
            }
            other => tidied.push(other),
        }
    }
    tidied
}

/// A condition, of which neither or one part may be empty.
fn choice(
    condition: Expression,
    then: Vec<Statement>,
    otherwise: Vec<Statement>,
) -> Option<Statement> {
    match (then.is_empty(), otherwise.is_empty()) {
        (true, true) if condition.traps() => {
            Some(Statement::Discard(Expression::Number(Type::I32, Box::new(condition))))
        }
        (true, true) => None,
        (true, false) => Some(Statement::If {
            condition: condition.negated(),
            then: otherwise,
            otherwise: Vec::new(),
        }),
        (false, true) => match <[Statement; 1]>::try_from(then) {
            // A condition in a condition: one that needs both.
            Ok([Statement::If { condition: second, then, otherwise }]) if otherwise.is_empty() => {
                Some(Statement::If { condition: condition.and(second), then, otherwise })
            }
            Ok(then) => Some(Statement::If { condition, then: then.into(), otherwise }),
            Err(then) => Some(Statement::If { condition, then, otherwise }),
        },
        (false, false) => Some(Statement::If { condition, then, otherwise }),
    }
}

/// A block whose body is simplified: without its label if that is possible.
fn block(label: Label, mut body: Vec<Statement>) -> Vec<Statement> {
    strip_tail(&mut body, label);
    let is_exit = |statement: &Statement| match statement {
        Statement::If { then, otherwise, .. } => {
            otherwise.is_empty() && then.last() == Some(&Statement::Branch(label))
        }
        _ => false,
    };
    let exits: Vec<_> = (0..body.len()).filter(|&index| is_exit(&body[index])).collect();
    if exits.len() <= NESTED {
        for index in exits.into_iter().rev() {
            let rest = body.split_off(index + 1);
            let Some(Statement::If { condition, mut then, .. }) = body.pop() else { continue };
            then.pop();
            body.extend(choice(condition, then, rest));
        }
        strip_tail(&mut body, label);
    }
    if uses(&body, label) == 0 { body } else { vec![Statement::Block { label, body }] }
}

/// The case of a switch that control leaves at its end, if there is one such. What follows the switch
/// is done in that case alone.
fn only_case<'a>(
    cases: &'a mut [(Vec<u32>, Vec<Statement>)],
    default: &'a mut Vec<Statement>,
) -> Option<&'a mut Vec<Statement>> {
    let cases = cases.iter_mut().map(|(_, case)| case);
    let mut ending = cases.chain([default]).filter(|case| falls_through(case));
    ending.next().filter(|_| ending.next().is_none())
}

/// Removes branches to the end of a block where control reaches its end anyway.
fn strip_tail(body: &mut Vec<Statement>, label: Label) {
    body.pop_if(|last| *last == Statement::Branch(label));
    match body.pop() {
        Some(Statement::If { condition, mut then, mut otherwise }) => {
            strip_tail(&mut then, label);
            strip_tail(&mut otherwise, label);
            body.extend(choice(condition, then, otherwise));
        }
        Some(Statement::Block { label: inner, body: mut inside }) => {
            strip_tail(&mut inside, label);
            body.push(Statement::Block { label: inner, body: inside });
        }
        Some(Statement::Switch { value, mut cases, mut default }) => {
            for (_, case) in &mut cases {
                strip_tail(case, label);
            }
            strip_tail(&mut default, label);
            body.push(Statement::Switch { value, cases, default });
        }
        last => body.extend(last),
    }
}
