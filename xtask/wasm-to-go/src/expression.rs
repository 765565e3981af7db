//! Go expressions, spaced as gofmt does.
//!
//! gofmt leaves out the spaces around the operators that bind tighter, depending on how deep an
//! expression is. The rules here are those of `go/printer`.

/// A Go expression.
#[derive(Clone, Debug)]
pub(crate) enum Go {
    /// A name or a number.
    Atom(String),
    Call(String, Vec<Go>),
    Binary(&'static str, Box<Go>, Box<Go>),
}

impl Go {
    pub(crate) fn atom(text: impl Into<String>) -> Self {
        Go::Atom(text.into())
    }

    pub(crate) fn call(function: impl Into<String>, arguments: impl Into<Vec<Go>>) -> Self {
        Go::Call(function.into(), arguments.into())
    }

    pub(crate) fn binary(operator: &'static str, left: Go, right: Go) -> Self {
        Go::Binary(operator, Box::new(left), Box::new(right))
    }

    /// The text of the expression in a statement.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.print(1, &mut text);
        text
    }

    fn print(&self, depth: u32, text: &mut String) {
        match self {
            Go::Atom(atom) => text.push_str(atom),
            Go::Call(function, arguments) => {
                let depth = depth + u32::from(arguments.len() > 1);
                text.push_str(function);
                text.push('(');
                for (index, argument) in arguments.iter().enumerate() {
                    if index > 0 {
                        text.push_str(", ");
                    }
                    argument.print(depth, text);
                }
                text.push(')');
            }
            Go::Binary(operator, left, right) => {
                let own = precedence(operator);
                let spaced = own < self.cutoff(depth);
                left.operand(own, depth + u32::from(left.precedence() != Some(own)), text);
                text.push_str(if spaced { " " } else { "" });
                text.push_str(operator);
                text.push_str(if spaced { " " } else { "" });
                right.operand(own + 1, depth + 1, text);
            }
        }
    }

    /// Prints an operand of an operator that needs at least a precedence.
    fn operand(&self, least: u32, depth: u32, text: &mut String) {
        if self.precedence().is_some_and(|own| own < least) {
            text.push('(');
            self.print(depth.saturating_sub(1).max(1), text);
            text.push(')');
        } else {
            self.print(depth, text);
        }
    }

    fn precedence(&self) -> Option<u32> {
        match self {
            Go::Binary(operator, ..) => Some(precedence(operator)),
            _ => None,
        }
    }

    /// Operators with a smaller precedence have spaces.
    fn cutoff(&self, depth: u32) -> u32 {
        let mut seen = [false; 6];
        self.operators(&mut seen);
        match (seen[4] && seen[5], depth) {
            (true, 1) => 5,
            (false, 1) => 6,
            _ => 4,
        }
    }

    /// Notes the precedences of the operators outside of parentheses.
    fn operators(&self, seen: &mut [bool; 6]) {
        let Go::Binary(operator, left, right) = self else { return };
        let own = precedence(operator);
        seen[own as usize] = true;
        if left.precedence().is_some_and(|left| left >= own) {
            left.operators(seen);
        }
        if right.precedence().is_some_and(|right| right > own) {
            right.operators(seen);
        }
    }
}

fn precedence(operator: &str) -> u32 {
    match operator {
        "||" => 1,
        "&&" => 2,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => 3,
        "+" | "-" | "|" | "^" => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::Go;

    #[test]
    fn spaces_are_those_of_gofmt() {
        let atom = |name: &str| Go::atom(name);
        let sum = || Go::binary("+", atom("a"), atom("b"));
        let product = || Go::binary("*", atom("a"), atom("b"));
        for (expression, text) in [
            (sum(), "a + b"),
            (Go::binary("*", sum(), atom("c")), "(a + b) * c"),
            (Go::binary("+", product(), atom("c")), "a*b + c"),
            (Go::binary("+", atom("c"), product()), "c + a*b"),
            (Go::call("f", [sum()]), "f(a + b)"),
            (Go::call("f", [sum(), atom("c")]), "f(a+b, c)"),
            (Go::binary("==", sum(), atom("c")), "a+b == c"),
            (Go::binary("-", atom("c"), sum()), "c - (a + b)"),
            (Go::binary("*", Go::call("f", [sum()]), atom("c")), "f(a+b) * c"),
        ] {
            assert_eq!(expression.text(), text);
        }
    }
}
