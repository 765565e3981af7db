//! What a function is between WebAssembly and Go: statements over trees of expressions.

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    I32,
    I64,
}

impl Type {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Type::I32 => 32,
            Type::I64 => 64,
        }
    }
}

/// A parameter, a local or a temporary variable of a function, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variable(pub(crate) u32);

/// The target of branches, by its number in the function.
pub(crate) type Label = u32;

/// An expression. It changes nothing, but it may trap.
///
/// Two kinds exist: numbers, and the truth values that comparisons return.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Constant(Type, u64),
    Variable(Variable),
    Global(u32),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Type, Box<Expression>, Box<Expression>),
    /// A load of the given number of bits, extended to the type.
    Load {
        bits: u32,
        signed: bool,
        to: Type,
        address: Box<Expression>,
        offset: u64,
    },
    /// A call of a pure function.
    Call(u32, Vec<Expression>),
    /// 1 or 0 from a truth value.
    Number(Type, Box<Expression>),
    /// A truth value.
    Compare(Comparison, Type, Box<Expression>, Box<Expression>),
    /// A truth value from two.
    Both(Box<Expression>, Box<Expression>),
    /// A truth value from two.
    Either(Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    LeadingZeros(Type),
    TrailingZeros(Type),
    Ones(Type),
    /// The low bits of a number, extended with their sign to the type.
    SignExtend(u32, Type),
    /// A 32-bit number as one of 64 bits.
    ZeroExtend,
    /// The low 32 bits.
    Wrap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    DivideSigned,
    DivideUnsigned,
    RemainderSigned,
    RemainderUnsigned,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightSigned,
    ShiftRightUnsigned,
    RotateLeft,
    RotateRight,
    Minimum,
    Maximum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    LessSigned,
    LessUnsigned,
    GreaterSigned,
    GreaterUnsigned,
    LessEqualSigned,
    LessEqualUnsigned,
    GreaterEqualSigned,
    GreaterEqualUnsigned,
}

impl Comparison {
    /// The comparison that is true where this is false.
    pub(crate) fn negated(self) -> Self {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::LessSigned => Comparison::GreaterEqualSigned,
            Comparison::LessUnsigned => Comparison::GreaterEqualUnsigned,
            Comparison::GreaterSigned => Comparison::LessEqualSigned,
            Comparison::GreaterUnsigned => Comparison::LessEqualUnsigned,
            Comparison::LessEqualSigned => Comparison::GreaterSigned,
            Comparison::LessEqualUnsigned => Comparison::GreaterUnsigned,
            Comparison::GreaterEqualSigned => Comparison::LessSigned,
            Comparison::GreaterEqualUnsigned => Comparison::LessUnsigned,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(
            self,
            Comparison::LessSigned
                | Comparison::GreaterSigned
                | Comparison::LessEqualSigned
                | Comparison::GreaterEqualSigned
        )
    }
}

impl Expression {
    pub(crate) fn zero(r#type: Type) -> Self {
        Expression::Constant(r#type, 0)
    }

    pub(crate) fn is_constant(&self) -> bool {
        matches!(self, Expression::Constant(..))
    }

    /// Whether this is a truth value and no number.
    pub(crate) fn is_truth(&self) -> bool {
        matches!(self, Expression::Compare(..) | Expression::Both(..) | Expression::Either(..))
    }

    /// The truth value that is true where this one is false.
    pub(crate) fn negated(self) -> Self {
        match self {
            Expression::Compare(comparison, r#type, left, right) => {
                Expression::Compare(comparison.negated(), r#type, left, right)
            }
            Expression::Both(left, right) => left.negated().or(right.negated()),
            Expression::Either(left, right) => left.negated().and(right.negated()),
            number => unreachable!("{number:?} is a number"),
        }
    }

    /// Whether both truth values are true. Each part occurs once, as `go vet` wants it.
    pub(crate) fn and(self, other: Self) -> Self {
        match other {
            Expression::Both(left, right) => self.and(*left).and(*right),
            other if self.has_term(&other, true) => self,
            other => Expression::Both(Box::new(self), Box::new(other)),
        }
    }

    /// Whether one of the truth values is true. Each part occurs once.
    pub(crate) fn or(self, other: Self) -> Self {
        match other {
            Expression::Either(left, right) => self.or(*left).or(*right),
            other if self.has_term(&other, false) => self,
            other => Expression::Either(Box::new(self), Box::new(other)),
        }
    }

    /// Whether the value is one of those that are joined by `&&`, or by `||`.
    fn has_term(&self, term: &Self, is_and: bool) -> bool {
        match self {
            Expression::Both(left, right) if is_and => {
                left.has_term(term, is_and) || right.has_term(term, is_and)
            }
            Expression::Either(left, right) if !is_and => {
                left.has_term(term, is_and) || right.has_term(term, is_and)
            }
            other => other == term,
        }
    }

    /// Whether a part of the expression has the property.
    pub(crate) fn any(&self, property: &mut impl FnMut(&Expression) -> bool) -> bool {
        if property(self) {
            return true;
        }
        match self {
            Expression::Constant(..) | Expression::Variable(_) | Expression::Global(_) => false,
            Expression::Unary(_, operand)
            | Expression::Number(_, operand)
            | Expression::Load { address: operand, .. } => operand.any(property),
            Expression::Binary(_, _, left, right)
            | Expression::Compare(_, _, left, right)
            | Expression::Both(left, right)
            | Expression::Either(left, right) => left.any(property) || right.any(property),
            Expression::Call(_, arguments) => {
                arguments.iter().any(|argument| argument.any(property))
            }
        }
    }

    pub(crate) fn reads(&self, variable: Variable) -> bool {
        self.any(&mut |part| *part == Expression::Variable(variable))
    }

    pub(crate) fn reads_global(&self, global: u32) -> bool {
        self.any(&mut |part| *part == Expression::Global(global))
    }

    pub(crate) fn reads_a_global(&self) -> bool {
        self.any(&mut |part| matches!(part, Expression::Global(_)))
    }

    /// Whether the expression can trap. Loads and calls are among these.
    pub(crate) fn traps(&self) -> bool {
        self.any(&mut |part| match part {
            Expression::Load { .. } | Expression::Call(..) => true,
            Expression::Binary(operation, _, _, divisor) => match operation {
                Binary::DivideUnsigned | Binary::RemainderUnsigned | Binary::RemainderSigned => {
                    !matches!(**divisor, Expression::Constant(_, 1..))
                }
                Binary::DivideSigned => true,
                _ => false,
            },
            _ => false,
        })
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Statement {
    Set(Variable, Expression),
    SetGlobal(u32, Expression),
    /// A value that is computed because it may trap.
    Discard(Expression),
    /// Stores the given number of low bits of a value of the type.
    Store {
        bits: u32,
        of: Type,
        address: Expression,
        offset: u64,
        value: Expression,
    },
    Copy {
        to: Expression,
        from: Expression,
        length: Expression,
    },
    Fill {
        to: Expression,
        value: Expression,
        length: Expression,
    },
    Grow {
        result: Variable,
        pages: Expression,
    },
    Call {
        results: Vec<Variable>,
        function: u32,
        arguments: Vec<Expression>,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// A branch to the label continues behind the block.
    Block {
        label: Label,
        body: Vec<Statement>,
    },
    /// A branch to the label continues at the start of the loop. The end of its body leaves it.
    Loop {
        label: Label,
        body: Vec<Statement>,
    },
    Branch(Label),
    /// Does the statements of the case that has the value, else those of the default.
    Switch {
        value: Expression,
        cases: Vec<(Vec<u32>, Vec<Statement>)>,
        default: Vec<Statement>,
    },
    Return(Vec<Expression>),
    /// A call of a function whose results are those of this one.
    ReturnCall {
        function: u32,
        arguments: Vec<Expression>,
    },
    Trap,
}

impl Statement {
    /// The expressions in a statement, but not in the statements in it.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match self {
            Statement::Set(_, value)
            | Statement::SetGlobal(_, value)
            | Statement::Discard(value)
            | Statement::Grow { pages: value, .. }
            | Statement::If { condition: value, .. }
            | Statement::Switch { value, .. } => vec![value],
            Statement::Store { address, value, .. } => vec![address, value],
            Statement::Copy { to, from, length } => vec![to, from, length],
            Statement::Fill { to, value, length } => vec![to, value, length],
            Statement::Call { arguments: values, .. }
            | Statement::Return(values)
            | Statement::ReturnCall { arguments: values, .. } => values.iter().collect(),
            Statement::Block { .. }
            | Statement::Loop { .. }
            | Statement::Branch(_)
            | Statement::Trap => Vec::new(),
        }
    }
}
