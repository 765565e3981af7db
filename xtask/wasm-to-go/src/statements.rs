//! Printing the body of a function.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::expression::Go;
use crate::lower::Lowered;
use crate::shape;
use crate::tree::{Binary, Comparison, Expression, Label, Statement, Type, Unary, Variable};

/// What the functions of a file share.
pub(crate) struct Shared<'a> {
    pub(crate) functions: &'a BTreeMap<u32, String>,
    pub(crate) pure: &'a BTreeSet<u32>,
    pub(crate) globals: &'a BTreeMap<u32, String>,
    /// The pages of the memory.
    pub(crate) pages: u64,
    /// The helpers and the packages that were used.
    pub(crate) used: BTreeSet<&'static str>,
}

/// The statements of a function with its declarations, indented by one tab.
pub(crate) fn print(shared: &mut Shared, function: &Lowered) -> String {
    let mut printer = Printer {
        shared,
        function,
        read: shape::read(&function.body),
        text: String::new(),
        indent: 1,
        loops: Vec::new(),
    };
    printer.declarations();
    let body = match function.body.split_last() {
        Some((Statement::Return(values), rest)) if values.is_empty() => rest,
        _ => &function.body,
    };
    printer.statements(body);
    printer.text
}

/// The name of a variable.
pub(crate) fn name(function: &Lowered, variable: Variable) -> String {
    let index = variable.0 as usize;
    let letter = match index {
        _ if index < function.parameters => 'p',
        _ if index < function.locals => 'x',
        _ => 't',
    };
    format!("{letter}{index}")
}

/// The name of a type in Go.
pub(crate) fn type_name(of: Type) -> &'static str {
    match of {
        Type::I32 => "uint32",
        Type::I64 => "uint64",
    }
}

struct Printer<'a, 's> {
    shared: &'s mut Shared<'a>,
    function: &'s Lowered,
    /// The variables that are read.
    read: BTreeSet<Variable>,
    text: String,
    indent: usize,
    /// The loops around the statement.
    loops: Vec<Label>,
}

impl Printer<'_, '_> {
    fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.text.push('\t');
        }
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    fn label(&mut self, label: Label) {
        for _ in 1..self.indent {
            self.text.push('\t');
        }
        let _ = writeln!(self.text, "l{label}:");
    }

    /// All variables are declared first, because Go has no `goto` over a declaration.
    fn declarations(&mut self) {
        for of in [Type::I32, Type::I64] {
            let names: Vec<_> = self
                .read
                .iter()
                .filter(|it| it.0 as usize >= self.function.parameters)
                .filter(|it| self.function.variables[it.0 as usize] == of)
                .map(|&it| name(self.function, it))
                .collect();
            if !names.is_empty() {
                self.line(format!("var {} {}", names.join(", "), type_name(of)));
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn block(&mut self, statements: &[Statement]) {
        self.indent += 1;
        self.statements(statements);
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Set(variable, value) => self.set(*variable, value),
            Statement::SetGlobal(global, value) => {
                let value = self.value(value).text();
                let name = &self.shared.globals[global];
                self.line(format!("m.{name} = {value}"));
            }
            Statement::Discard(value) => {
                let value = self.value(value).text();
                self.line(format!("_ = {value}"));
            }
            Statement::Store { bits, of, address, offset, value } => {
                let helper = match bits {
                    8 => "store8",
                    16 => "store16",
                    32 => "store32",
                    _ => "store64",
                };
                let value = self.narrow(*bits, *of, value);
                let arguments = [self.value(address), Go::atom(offset.to_string()), value];
                self.helper_statement(helper, arguments);
            }
            Statement::Copy { to, from, length } => {
                let arguments = [self.value(to), self.value(from), self.value(length)];
                self.helper_statement("memoryCopy", arguments);
            }
            Statement::Fill { to, value, length } => {
                let arguments =
                    [self.value(to), self.narrow(8, Type::I32, value), self.value(length)];
                self.helper_statement("memoryFill", arguments);
            }
            Statement::Grow { result, pages } => {
                let (result, pages) = (name(self.function, *result), self.value(pages).text());
                let size = self.shared.pages;
                self.line(format!("{result} = {size}"));
                self.line(format!("if {pages} != 0 {{"));
                self.line(format!("\t{result} = 0xffffffff"));
                self.line("}");
            }
            Statement::Call { results, function, arguments } => {
                let call = self.call(*function, arguments).text();
                let name = |it: &Variable| {
                    let is_read = self.read.contains(it);
                    if is_read { name(self.function, *it) } else { "_".to_owned() }
                };
                let names: Vec<_> = results.iter().map(name).collect();
                if names.iter().all(|name| name == "_") {
                    self.line(call);
                } else {
                    self.line(format!("{} = {call}", names.join(", ")));
                }
            }
            Statement::If { condition, then, otherwise } => {
                let condition = self.truth(condition).text();
                self.line(format!("if {condition} {{"));
                self.block(then);
                let mut rest = otherwise;
                while let [Statement::If { condition, then, otherwise }] = &rest[..] {
                    let condition = self.truth(condition).text();
                    self.line(format!("}} else if {condition} {{"));
                    self.block(then);
                    rest = otherwise;
                }
                if !rest.is_empty() {
                    self.line("} else {");
                    self.block(rest);
                }
                self.line("}");
            }
            Statement::Block { label, body } => {
                self.statements(body);
                self.label(*label);
            }
            Statement::Loop { label, body } => self.r#loop(*label, body),
            Statement::Branch(label) => match self.loops.last() {
                Some(innermost) if innermost == label => self.line("continue"),
                _ if self.loops.contains(label) => self.line(format!("continue l{label}")),
                _ => self.line(format!("goto l{label}")),
            },
            Statement::Switch { value, cases, default } => self.switch(value, cases, default),
            Statement::Return(values) => {
                let values: Vec<_> = values.iter().map(|value| self.value(value).text()).collect();
                self.line(format!("return {}", values.join(", ")).trim_end());
            }
            Statement::ReturnCall { function, arguments } => {
                let call = self.call(*function, arguments).text();
                self.line(format!("return {call}"));
            }
            Statement::Trap => self.line("panic(\"unreachable\")"),
        }
    }

    fn set(&mut self, variable: Variable, value: &Expression) {
        let name = name(self.function, variable);
        let value = self.value(value);
        self.line(format!("{name} = {}", value.text()));
    }

    fn r#loop(&mut self, label: Label, body: &[Statement]) {
        if shape::continues_from_inner_loop(body, label) {
            self.label(label);
        }
        self.line("for {");
        self.loops.push(label);
        let end = |statement: &Statement| *statement == Statement::Branch(label);
        match body.split_last() {
            Some((last, rest)) if end(last) => self.block(rest),
            Some((Statement::If { condition, then, otherwise }, rest))
                if otherwise.is_empty() && matches!(&then[..], [last] if end(last)) =>
            {
                self.block(rest);
                let condition = self.truth(&condition.clone().negated()).text();
                self.line(format!("\tif {condition} {{"));
                self.line("\t\tbreak");
                self.line("\t}");
            }
            _ => {
                self.block(body);
                if shape::falls_through(body) {
                    self.line("\tbreak");
                }
            }
        }
        self.loops.pop();
        self.line("}");
    }

    fn switch(
        &mut self,
        value: &Expression,
        cases: &[(Vec<u32>, Vec<Statement>)],
        default: &[Statement],
    ) {
        let value = self.value(value).text();
        self.line(format!("switch {value} {{"));
        for (numbers, case) in cases {
            let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
            self.line(format!("case {}:", numbers.join(", ")));
            self.block(case);
        }
        if !default.is_empty() {
            self.line("default:");
            self.block(default);
        }
        self.line("}");
    }

    /// The low bits of a number.
    fn narrow(&mut self, bits: u32, of: Type, value: &Expression) -> Go {
        let conversion = match (bits, value) {
            _ if bits == of.bits() => return self.value(value),
            (_, Expression::Constant(_, value)) => {
                return Go::atom(number(value & ((1 << bits) - 1)));
            }
            (8, _) => "byte",
            (16, _) => "uint16",
            _ => "uint32",
        };
        Go::call(conversion, [self.value(value)])
    }

    fn helper_statement(&mut self, helper: &'static str, arguments: impl Into<Vec<Go>>) {
        self.shared.used.insert(helper);
        self.line(Go::call(format!("m.{helper}"), arguments).text());
    }

    fn helper(&mut self, helper: &'static str, arguments: impl Into<Vec<Go>>) -> Go {
        self.shared.used.insert(helper);
        Go::call(helper, arguments)
    }

    fn bits(&mut self, function: &str, arguments: impl Into<Vec<Go>>) -> Go {
        self.shared.used.insert("math/bits");
        Go::call(format!("bits.{function}"), arguments)
    }

    fn call(&mut self, function: u32, arguments: &[Expression]) -> Go {
        let name = &self.shared.functions[&function];
        let is_pure = self.shared.pure.contains(&function);
        let name = if is_pure { name.clone() } else { format!("m.{name}") };
        let arguments: Vec<_> = arguments.iter().map(|argument| self.value(argument)).collect();
        Go::call(name, arguments)
    }

    /// A truth value.
    fn truth(&mut self, expression: &Expression) -> Go {
        match expression {
            Expression::Compare(comparison, of, left, right) => {
                self.compare(*comparison, *of, left, right)
            }
            Expression::Both(left, right) => Go::binary("&&", self.truth(left), self.truth(right)),
            Expression::Either(left, right) => {
                Go::binary("||", self.truth(left), self.truth(right))
            }
            number => unreachable!("{number:?} is a number"),
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        of: Type,
        left: &Expression,
        right: &Expression,
    ) -> Go {
        let operator = match comparison {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::LessSigned | Comparison::LessUnsigned => "<",
            Comparison::GreaterSigned | Comparison::GreaterUnsigned => ">",
            Comparison::LessEqualSigned | Comparison::LessEqualUnsigned => "<=",
            Comparison::GreaterEqualSigned | Comparison::GreaterEqualUnsigned => ">=",
        };
        let (left, right) = if comparison.is_signed() {
            (self.signed(of, left), self.signed(of, right))
        } else {
            (self.value(left), self.value(right))
        };
        Go::binary(operator, left, right)
    }

    /// A number as a signed one.
    fn signed(&mut self, of: Type, value: &Expression) -> Go {
        match (of, value) {
            #[expect(clippy::cast_possible_truncation, reason = "the low bits, signed")]
            (Type::I32, Expression::Constant(_, value)) => Go::atom((*value as i32).to_string()),
            #[expect(clippy::cast_possible_wrap, reason = "the signed number")]
            (Type::I64, Expression::Constant(_, value)) => Go::atom((*value as i64).to_string()),
            (Type::I32, _) => Go::call("int32", [self.value(value)]),
            (Type::I64, _) => Go::call("int64", [self.value(value)]),
        }
    }

    /// A number.
    fn value(&mut self, expression: &Expression) -> Go {
        match expression {
            Expression::Constant(_, value) => Go::atom(number(*value)),
            Expression::Variable(variable) => Go::atom(name(self.function, *variable)),
            Expression::Global(global) => Go::atom(format!("m.{}", self.shared.globals[global])),
            Expression::Unary(operation, operand) => self.unary(*operation, operand),
            Expression::Binary(operation, of, left, right) => {
                self.binary(*operation, *of, left, right)
            }
            Expression::Load { bits, signed, to, address, offset } => {
                let helper = match bits {
                    8 => "load8",
                    16 => "load16",
                    32 => "load32",
                    _ => "load64",
                };
                self.shared.used.insert(helper);
                let arguments = [self.value(address), Go::atom(offset.to_string())];
                let mut value = Go::call(format!("m.{helper}"), arguments);
                if *signed {
                    value = Go::call(format!("int{bits}"), [value]);
                }
                if *bits == to.bits() { value } else { Go::call(type_name(*to), [value]) }
            }
            Expression::Call(function, arguments) => self.call(*function, arguments),
            Expression::Number(of, truth) => {
                let truth = self.truth(truth);
                self.helper(if *of == Type::I32 { "b32" } else { "b64" }, [truth])
            }
            Expression::Compare(..) | Expression::Both(..) | Expression::Either(..) => {
                unreachable!("a truth value as a number")
            }
        }
    }

    fn unary(&mut self, operation: Unary, operand: &Expression) -> Go {
        let (to, value) = match operation {
            Unary::LeadingZeros(of) | Unary::TrailingZeros(of) | Unary::Ones(of) => {
                (of, self.count_of(operation, operand))
            }
            Unary::SignExtend(bits, to) => {
                (to, Go::call(format!("int{bits}"), [self.value(operand)]))
            }
            Unary::ZeroExtend | Unary::Wrap => {
                let value = match operand {
                    // The count is an `int` in Go and is converted once.
                    Expression::Unary(
                        count @ (Unary::LeadingZeros(_) | Unary::TrailingZeros(_) | Unary::Ones(_)),
                        operand,
                    ) => self.count_of(*count, operand),
                    _ => self.value(operand),
                };
                (if operation == Unary::Wrap { Type::I32 } else { Type::I64 }, value)
            }
        };
        Go::call(type_name(to), [value])
    }

    /// A count of bits, as an `int`.
    fn count_of(&mut self, operation: Unary, operand: &Expression) -> Go {
        let (name, of) = match operation {
            Unary::LeadingZeros(of) => ("LeadingZeros", of),
            Unary::TrailingZeros(of) => ("TrailingZeros", of),
            Unary::Ones(of) => ("OnesCount", of),
            other => unreachable!("{other:?} counts nothing"),
        };
        let value = self.value(operand);
        self.bits(&format!("{name}{}", of.bits()), [value])
    }

    fn binary(&mut self, operation: Binary, of: Type, left: &Expression, right: &Expression) -> Go {
        let operator = match operation {
            Binary::Add | Binary::Subtract => return self.sum(operation, of, left, right),
            Binary::Multiply => "*",
            Binary::DivideUnsigned => "/",
            Binary::RemainderUnsigned => "%",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::ShiftLeft => {
                // A constant would have the type of what surrounds the shift.
                let value = match left {
                    Expression::Constant(..) => Go::call(type_name(of), [self.value(left)]),
                    _ => self.value(left),
                };
                return Go::binary("<<", value, self.count(of, right));
            }
            Binary::ShiftRightUnsigned => {
                let value = match left {
                    Expression::Constant(..) => Go::call(type_name(of), [self.value(left)]),
                    _ => self.value(left),
                };
                return Go::binary(">>", value, self.count(of, right));
            }
            Binary::ShiftRightSigned => {
                let value = match self.signed(of, left) {
                    Go::Atom(constant) => {
                        Go::call(format!("int{}", of.bits()), [Go::Atom(constant)])
                    }
                    value => value,
                };
                let shift = Go::binary(">>", value, self.count(of, right));
                return Go::call(type_name(of), [shift]);
            }
            Binary::RotateLeft | Binary::RotateRight => {
                return self.rotate(operation == Binary::RotateLeft, of, left, right);
            }
            Binary::DivideSigned => {
                let arguments = [self.value(left), self.value(right)];
                return self.helper(if of == Type::I32 { "divS32" } else { "divS64" }, arguments);
            }
            Binary::RemainderSigned => {
                let remainder = Go::binary("%", self.signed(of, left), self.signed(of, right));
                return Go::call(type_name(of), [remainder]);
            }
            Binary::Minimum | Binary::Maximum => {
                let name = if operation == Binary::Minimum { "min" } else { "max" };
                let arguments = [self.value(left), self.value(right)];
                return Go::call(name, arguments);
            }
        };
        Go::binary(operator, self.value(left), self.value(right))
    }

    /// A sum or a difference. The sum with a large constant is the difference to a small one.
    fn sum(&mut self, operation: Binary, of: Type, left: &Expression, right: &Expression) -> Go {
        let (mut operator, opposite) =
            if operation == Binary::Add { ("+", "-") } else { ("-", "+") };
        let mut right_value = self.value(right);
        if let Expression::Constant(_, value) = right {
            let negated = value.wrapping_neg() & (u64::MAX >> (64 - of.bits()));
            if *value >> (of.bits() - 1) == 1 && negated != *value {
                operator = opposite;
                right_value = Go::atom(number(negated));
            }
        }
        Go::binary(operator, self.value(left), right_value)
    }

    /// The count of a shift: its low bits.
    fn count(&mut self, of: Type, count: &Expression) -> Go {
        let mask = u64::from(of.bits() - 1);
        match count {
            Expression::Constant(_, count) => Go::atom((count & mask).to_string()),
            // The count is masked already.
            Expression::Binary(Binary::And, _, _, right) if matches!(**right, Expression::Constant(_, value) if value <= mask) => {
                self.value(count)
            }
            _ => Go::binary("&", self.value(count), Go::atom(mask.to_string())),
        }
    }

    fn rotate(&mut self, is_left: bool, of: Type, left: &Expression, right: &Expression) -> Go {
        let count = if let Expression::Constant(_, count) = right {
            let count = count & u64::from(of.bits() - 1);
            Go::atom(format!("{}{count}", if is_left || count == 0 { "" } else { "-" }))
        } else {
            let count = self.value(right);
            Go::call(if is_left { "int" } else { "-int" }, [count])
        };
        let value = self.value(left);
        self.bits(&format!("RotateLeft{}", of.bits()), [value, count])
    }
}

/// A constant: in decimals where a person reads them more easily.
fn number(value: u64) -> String {
    if value < 1 << 16 || value.is_multiple_of(1000) {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}
