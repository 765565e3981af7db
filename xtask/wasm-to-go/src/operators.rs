//! The operators of WebAssembly that compute, compare, load and store.

use wasmparser::{MemArg, Operator};

use crate::tree::{Binary, Comparison, Type, Unary};

/// The bits that are loaded, whether they are signed, and the type that they are extended to.
pub(crate) type Load = (u32, bool, Type, MemArg);
/// The bits that are stored, of a value of a type.
pub(crate) type Store = (u32, Type, MemArg);

/// The load or the store that an operator is.
pub(crate) fn memory_access(operator: &Operator) -> Option<(Option<Load>, Option<Store>)> {
    use Type::{I32, I64};
    let load = |bits, signed, to, memarg| Some((Some((bits, signed, to, memarg)), None));
    let store = |bits, of, memarg| Some((None, Some((bits, of, memarg))));
    match *operator {
        Operator::I32Load { memarg } => load(32, false, I32, memarg),
        Operator::I32Load8S { memarg } => load(8, true, I32, memarg),
        Operator::I32Load8U { memarg } => load(8, false, I32, memarg),
        Operator::I32Load16S { memarg } => load(16, true, I32, memarg),
        Operator::I32Load16U { memarg } => load(16, false, I32, memarg),
        Operator::I64Load { memarg } => load(64, false, I64, memarg),
        Operator::I64Load8S { memarg } => load(8, true, I64, memarg),
        Operator::I64Load8U { memarg } => load(8, false, I64, memarg),
        Operator::I64Load16S { memarg } => load(16, true, I64, memarg),
        Operator::I64Load16U { memarg } => load(16, false, I64, memarg),
        Operator::I64Load32S { memarg } => load(32, true, I64, memarg),
        Operator::I64Load32U { memarg } => load(32, false, I64, memarg),
        Operator::I32Store8 { memarg } => store(8, I32, memarg),
        Operator::I32Store16 { memarg } => store(16, I32, memarg),
        Operator::I32Store { memarg } => store(32, I32, memarg),
        Operator::I64Store8 { memarg } => store(8, I64, memarg),
        Operator::I64Store16 { memarg } => store(16, I64, memarg),
        Operator::I64Store32 { memarg } => store(32, I64, memarg),
        Operator::I64Store { memarg } => store(64, I64, memarg),
        _ => None,
    }
}

/// The comparison that an operator is, and the type of what it compares.
pub(crate) fn comparison(operator: &Operator) -> Option<(Comparison, Type)> {
    use Type::{I32, I64};
    Some(match operator {
        Operator::I32Eq => (Comparison::Equal, I32),
        Operator::I32Ne => (Comparison::NotEqual, I32),
        Operator::I32LtS => (Comparison::LessSigned, I32),
        Operator::I32LtU => (Comparison::LessUnsigned, I32),
        Operator::I32GtS => (Comparison::GreaterSigned, I32),
        Operator::I32GtU => (Comparison::GreaterUnsigned, I32),
        Operator::I32LeS => (Comparison::LessEqualSigned, I32),
        Operator::I32LeU => (Comparison::LessEqualUnsigned, I32),
        Operator::I32GeS => (Comparison::GreaterEqualSigned, I32),
        Operator::I32GeU => (Comparison::GreaterEqualUnsigned, I32),
        Operator::I64Eq => (Comparison::Equal, I64),
        Operator::I64Ne => (Comparison::NotEqual, I64),
        Operator::I64LtS => (Comparison::LessSigned, I64),
        Operator::I64LtU => (Comparison::LessUnsigned, I64),
        Operator::I64GtS => (Comparison::GreaterSigned, I64),
        Operator::I64GtU => (Comparison::GreaterUnsigned, I64),
        Operator::I64LeS => (Comparison::LessEqualSigned, I64),
        Operator::I64LeU => (Comparison::LessEqualUnsigned, I64),
        Operator::I64GeS => (Comparison::GreaterEqualSigned, I64),
        Operator::I64GeU => (Comparison::GreaterEqualUnsigned, I64),
        _ => return None,
    })
}

/// The operation on two numbers that an operator is, and their type.
pub(crate) fn binary(operator: &Operator) -> Option<(Binary, Type)> {
    use Type::{I32, I64};
    Some(match operator {
        Operator::I32Add => (Binary::Add, I32),
        Operator::I32Sub => (Binary::Subtract, I32),
        Operator::I32Mul => (Binary::Multiply, I32),
        Operator::I32DivS => (Binary::DivideSigned, I32),
        Operator::I32DivU => (Binary::DivideUnsigned, I32),
        Operator::I32RemS => (Binary::RemainderSigned, I32),
        Operator::I32RemU => (Binary::RemainderUnsigned, I32),
        Operator::I32And => (Binary::And, I32),
        Operator::I32Or => (Binary::Or, I32),
        Operator::I32Xor => (Binary::Xor, I32),
        Operator::I32Shl => (Binary::ShiftLeft, I32),
        Operator::I32ShrS => (Binary::ShiftRightSigned, I32),
        Operator::I32ShrU => (Binary::ShiftRightUnsigned, I32),
        Operator::I32Rotl => (Binary::RotateLeft, I32),
        Operator::I32Rotr => (Binary::RotateRight, I32),
        Operator::I64Add => (Binary::Add, I64),
        Operator::I64Sub => (Binary::Subtract, I64),
        Operator::I64Mul => (Binary::Multiply, I64),
        Operator::I64DivS => (Binary::DivideSigned, I64),
        Operator::I64DivU => (Binary::DivideUnsigned, I64),
        Operator::I64RemS => (Binary::RemainderSigned, I64),
        Operator::I64RemU => (Binary::RemainderUnsigned, I64),
        Operator::I64And => (Binary::And, I64),
        Operator::I64Or => (Binary::Or, I64),
        Operator::I64Xor => (Binary::Xor, I64),
        Operator::I64Shl => (Binary::ShiftLeft, I64),
        Operator::I64ShrS => (Binary::ShiftRightSigned, I64),
        Operator::I64ShrU => (Binary::ShiftRightUnsigned, I64),
        Operator::I64Rotl => (Binary::RotateLeft, I64),
        Operator::I64Rotr => (Binary::RotateRight, I64),
        _ => return None,
    })
}

/// The operation on one number that an operator is.
pub(crate) fn unary(operator: &Operator) -> Option<Unary> {
    use Type::{I32, I64};
    Some(match operator {
        Operator::I32Clz => Unary::LeadingZeros(I32),
        Operator::I64Clz => Unary::LeadingZeros(I64),
        Operator::I32Ctz => Unary::TrailingZeros(I32),
        Operator::I64Ctz => Unary::TrailingZeros(I64),
        Operator::I32Popcnt => Unary::Ones(I32),
        Operator::I64Popcnt => Unary::Ones(I64),
        Operator::I32Extend8S => Unary::SignExtend(8, I32),
        Operator::I32Extend16S => Unary::SignExtend(16, I32),
        Operator::I64Extend8S => Unary::SignExtend(8, I64),
        Operator::I64Extend16S => Unary::SignExtend(16, I64),
        // Both extend the low 32 bits.
        Operator::I64Extend32S | Operator::I64ExtendI32S => Unary::SignExtend(32, I64),
        Operator::I64ExtendI32U => Unary::ZeroExtend,
        Operator::I32WrapI64 => Unary::Wrap,
        _ => return None,
    })
}
