//! Every operator with numbers at the limits, from variables and from constants.

use std::fmt::Write;

use crate::compare::{Call, Case, Value, compare};

const BINARY: &[&str] = &[
    "add", "sub", "mul", "div_s", "div_u", "rem_s", "rem_u", "and", "or", "xor", "shl", "shr_s",
    "shr_u", "rotl", "rotr", "eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s",
    "ge_u",
];

const UNARY: &[(&str, u32, u32)] = &[
    ("i32.eqz", 32, 32),
    ("i64.eqz", 64, 32),
    ("i32.clz", 32, 32),
    ("i64.clz", 64, 64),
    ("i32.ctz", 32, 32),
    ("i64.ctz", 64, 64),
    ("i32.popcnt", 32, 32),
    ("i64.popcnt", 64, 64),
    ("i32.extend8_s", 32, 32),
    ("i32.extend16_s", 32, 32),
    ("i64.extend8_s", 64, 64),
    ("i64.extend16_s", 64, 64),
    ("i64.extend32_s", 64, 64),
    ("i64.extend_i32_s", 32, 64),
    ("i64.extend_i32_u", 32, 64),
    ("i32.wrap_i64", 64, 32),
];

const LOADS: &[(&str, u32)] = &[
    ("i32.load", 32),
    ("i32.load8_s", 32),
    ("i32.load8_u", 32),
    ("i32.load16_s", 32),
    ("i32.load16_u", 32),
    ("i64.load", 64),
    ("i64.load8_s", 64),
    ("i64.load8_u", 64),
    ("i64.load16_s", 64),
    ("i64.load16_u", 64),
    ("i64.load32_s", 64),
    ("i64.load32_u", 64),
];

const STORES: &[(&str, u32)] = &[
    ("i32.store", 32),
    ("i32.store8", 32),
    ("i32.store16", 32),
    ("i64.store", 64),
    ("i64.store8", 64),
    ("i64.store16", 64),
    ("i64.store32", 64),
];

/// Numbers at the limits of a width.
pub(crate) fn numbers(bits: u32) -> Vec<Value> {
    let values = [
        0,
        1,
        2,
        3,
        7,
        31,
        32,
        33,
        63,
        64,
        100,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_fffe,
        0xffff_ffff,
        0x1_0000_0000,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0000,
        0x8000_0000_0000_0001,
        0xffff_ffff_ffff_fffe,
        0xffff_ffff_ffff_ffff,
        0x9e37_79b9_7f4a_7c15,
    ];
    match bits {
        64 => values.into_iter().map(Value::I64).collect(),
        _ => values
            .into_iter()
            .filter_map(|value: u64| u32::try_from(value).ok())
            .map(Value::I32)
            .collect(),
    }
}

fn constant(value: Value) -> String {
    match value {
        Value::I32(value) => format!("(i32.const {value})"),
        Value::I64(value) => format!("(i64.const {value})"),
    }
}

/// A module with functions `f0`, `f1`, and calls of them.
struct Functions {
    text: String,
    count: usize,
    calls: Vec<Call>,
}

impl Functions {
    fn new() -> Self {
        let text = String::from("(module (memory (export \"memory\") 1)");
        Functions { text, count: 0, calls: Vec::new() }
    }

    fn add(&mut self, parameters: &str, result: u32, body: &str, arguments: &[Vec<Value>]) {
        let name = format!("f{}", self.count);
        let head = format!("(func (export \"{name}\") {parameters} (result i{result})");
        writeln!(self.text, "{head} {body})").unwrap();
        for arguments in arguments {
            self.calls.push(Call { function: name.clone(), arguments: arguments.clone() });
        }
        self.count += 1;
    }

    fn case(self) -> Case {
        Case { module: self.text + ")", calls: self.calls }
    }
}

#[test]
fn operators_of_two_numbers() {
    let mut cases = Vec::new();
    for bits in [32, 64] {
        let numbers = numbers(bits);
        let mut functions = Functions::new();
        for (index, name) in BINARY.iter().enumerate() {
            let result = if index >= 15 { 32 } else { bits };
            let pairs: Vec<Vec<Value>> = numbers
                .iter()
                .flat_map(|&left| numbers.iter().map(move |&right| vec![left, right]))
                .collect();
            let operator = format!("i{bits}.{name}");
            let body = format!("({operator} (local.get 0) (local.get 1))");
            functions.add(&format!("(param i{bits} i{bits})"), result, &body, &pairs);
            // Every fifth is enough of constants, at other places for each operator.
            for &number in numbers.iter().skip(index % 5).step_by(5) {
                let single: Vec<Vec<Value>> = numbers.iter().map(|&it| vec![it]).collect();
                let parameter = format!("(param i{bits})");
                let number = constant(number);
                let body = format!("({operator} (local.get 0) {number})");
                functions.add(&parameter, result, &body, &single);
                let body = format!("({operator} {number} (local.get 0))");
                functions.add(&parameter, result, &body, &single);
                let other = constant(numbers[index % numbers.len()]);
                let body = format!("({operator} {number} {other})");
                functions.add("", result, &body, &[vec![]]);
            }
        }
        cases.push(functions.case());
    }
    compare("operators_of_two_numbers", &cases);
}

#[test]
fn operators_of_one_number() {
    let mut functions = Functions::new();
    for &(operator, bits, result) in UNARY {
        let numbers = numbers(bits);
        let single: Vec<Vec<Value>> = numbers.iter().map(|&it| vec![it]).collect();
        let body = format!("({operator} (local.get 0))");
        functions.add(&format!("(param i{bits})"), result, &body, &single);
        for number in numbers {
            let body = format!("({operator} {})", constant(number));
            functions.add("", result, &body, &[vec![]]);
        }
    }
    compare("operators_of_one_number", &[functions.case()]);
}

#[test]
fn memory() {
    let addresses = [0, 1, 2, 3, 5, 65520, 65528, 65529, 65533, 65535, 65536, 0xffff_ffff];
    let mut functions = Functions::new();
    for (step, &(store, bits)) in STORES.iter().enumerate() {
        for offset in [0, 16 + step, 65536, 0xffff_ffff] {
            let body =
                format!("({store} offset={offset} (local.get 0) (local.get 1)) (i32.const 0)");
            let arguments: Vec<Vec<Value>> = addresses
                .iter()
                .zip(numbers(bits).into_iter().rev())
                .map(|(&address, number)| vec![Value::I32(address), number])
                .collect();
            functions.add(&format!("(param i32 i{bits})"), 32, &body, &arguments);
            let number = constant(numbers(bits)[step + 10]);
            let body = format!("({store} (i32.const {}) {number}) (i32.const 0)", 100 + 8 * step);
            functions.add("", 32, &body, &[vec![]]);
        }
    }
    for &(load, bits) in LOADS {
        for offset in [0, 3, 65536, 0xffff_ffff_u32] {
            let body = format!("({load} offset={offset} (local.get 0))");
            let arguments: Vec<_> = addresses.iter().map(|&it| vec![Value::I32(it)]).collect();
            functions.add("(param i32)", bits, &body, &arguments);
        }
    }
    let blocks: Vec<Vec<Value>> = [
        [0, 8, 16],
        [8, 0, 16],
        [65520, 0, 16],
        [65521, 0, 16],
        [0, 65521, 16],
        [65536, 0, 0],
        [65537, 0, 0],
        [0, 65537, 0],
        [0, 0, 65536],
        [1, 0, 65535],
        [300, 513, 70],
        [0, 0, 0xffff_ffff],
    ]
    .iter()
    .map(|block| block.iter().map(|&it| Value::I32(it)).collect())
    .collect();
    for operator in ["copy", "fill"] {
        let body =
            format!("(memory.{operator} (local.get 0) (local.get 1) (local.get 2)) (i32.const 0)");
        functions.add("(param i32 i32 i32)", 32, &body, &blocks);
    }
    functions.add("", 32, "(memory.size)", &[vec![]]);
    compare("memory", &[functions.case()]);
}
