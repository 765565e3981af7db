//! Random functions: statements and expressions of every kind, with seeds that do not change.

use crate::compare::{Call, Case, Value, compare};
use crate::operators::numbers;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const ARITHMETIC: &[&str] = &[
    "add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr", "add", "sub",
    "and", "or",
];
const DIVISIONS: &[&str] = &["div_s", "div_u", "rem_s", "rem_u"];
const COMPARISONS: &[&str] =
    &["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"];

/// The types of the parameters and locals that random code sets; the locals behind count loops.
const LOCALS: [u32; 8] = [32, 64, 32, 64, 32, 64, 32, 64];
const PARAMETERS: usize = 4;
const COUNTERS: usize = 6;

struct Generator {
    random: Random,
    /// The results of the functions so far, and whether they use the memory.
    functions: Vec<(u32, bool)>,
    /// Whether the function may use the memory and globals.
    is_impure: bool,
    /// The names of blocks around the place, with what a branch to them takes.
    blocks: Vec<(String, Option<u32>)>,
    /// The loops around the place, with their counters.
    loops: Vec<(String, usize)>,
    counters: usize,
    names: usize,
    result: u32,
}

impl Generator {
    fn local(&mut self, bits: u32) -> usize {
        let indices: Vec<_> = (0..LOCALS.len()).filter(|&it| LOCALS[it] == bits).collect();
        *self.random.choose(&indices)
    }

    fn address(&mut self, depth: u32) -> String {
        let address = self.expression(32, depth);
        match self.random.below(12) {
            0 => address,
            _ => format!("(i32.and {address} (i32.const 255))"),
        }
    }

    fn bits(&mut self) -> u32 {
        if self.random.below(2) == 0 { 32 } else { 64 }
    }

    fn expression(&mut self, bits: u32, depth: u32) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => match *self.random.choose(&numbers(bits)) {
                    Value::I32(value) => format!("(i32.const {value})"),
                    Value::I64(value) => format!("(i64.const {value})"),
                },
                _ => format!("(local.get {})", self.local(bits)),
            };
        }
        let depth = depth - 1;
        match self.random.below(if self.is_impure { 22 } else { 18 }) {
            0..=4 => self.two(bits, bits, ARITHMETIC, depth),
            5 => self.two(bits, bits, DIVISIONS, depth),
            6 | 7 if bits == 32 => {
                let of = self.bits();
                self.two(of, of, COMPARISONS, depth)
            }
            6 => format!("(i64.extend_i32_u {})", self.expression(32, depth)),
            7 => format!("(i64.extend_i32_s {})", self.expression(32, depth)),
            8 if bits == 32 => format!("(i32.wrap_i64 {})", self.expression(64, depth)),
            8 => format!("(i64.extend32_s {})", self.expression(64, depth)),
            9 => {
                let operator =
                    *self.random.choose(&["clz", "ctz", "popcnt", "extend8_s", "extend16_s"]);
                format!("(i{bits}.{operator} {})", self.expression(bits, depth))
            }
            10 => {
                let of = self.bits();
                let value = self.expression(of, depth);
                let test = format!("(i{of}.eqz {value})");
                if bits == 32 { test } else { format!("(i64.extend_i32_u {test})") }
            }
            11 | 12 => {
                let (then, otherwise) =
                    (self.expression(bits, depth), self.expression(bits, depth));
                format!("(select {then} {otherwise} {})", self.expression(32, depth))
            }
            13 => {
                let local = self.local(bits);
                format!("(local.tee {local} {})", self.expression(bits, depth))
            }
            14 => {
                let (condition, height) = (self.expression(32, depth), self.blocks.len());
                let name = self.name();
                self.blocks.push((name.clone(), Some(bits)));
                let then = self.sequence(bits, depth);
                let otherwise = self.sequence(bits, depth);
                self.blocks.truncate(height);
                format!("(if {name} (result i{bits}) {condition} (then {then}) (else {otherwise}))")
            }
            15 => {
                let name = self.name();
                self.blocks.push((name.clone(), Some(bits)));
                let body = self.sequence(bits, depth);
                let value = self.expression(bits, depth);
                let condition = self.expression(32, depth);
                self.blocks.pop();
                format!(
                    "(block {name} (result i{bits}) {body} (drop) (br_if {name} {value} {condition}))"
                )
            }
            16 => {
                let (left, right) = (self.expression(32, depth), self.expression(32, depth));
                let operator = *self.random.choose(&["and", "or", "xor"]);
                let test = format!("(i32.{operator} (i32.eqz {left}) (i32.eqz {right}))");
                if bits == 32 { test } else { format!("(i64.extend_i32_u {test})") }
            }
            17 => {
                let callable: Vec<_> = (0..self.functions.len())
                    .filter(|&it| self.functions[it].0 == bits)
                    .filter(|&it| self.is_impure || !self.functions[it].1)
                    .collect();
                if callable.is_empty() || self.random.below(2) == 0 {
                    return self.expression(bits, depth);
                }
                let function = *self.random.choose(&callable);
                let arguments: Vec<_> =
                    LOCALS[..PARAMETERS].iter().map(|&bits| self.expression(bits, 0)).collect();
                format!("(call $f{function} {})", arguments.join(" "))
            }
            18 => format!("(global.get {})", if bits == 32 { "$a" } else { "$b" }),
            _ => {
                let loads: &[&str] = match bits {
                    32 => &["load", "load8_s", "load8_u", "load16_s", "load16_u"],
                    _ => &[
                        "load", "load8_s", "load8_u", "load16_s", "load16_u", "load32_s",
                        "load32_u",
                    ],
                };
                let load = *self.random.choose(loads);
                let offset = self.random.below(40);
                format!("(i{bits}.{load} offset={offset} {})", self.address(depth))
            }
        }
    }

    fn two(&mut self, of: u32, bits: u32, operators: &[&str], depth: u32) -> String {
        let operator = *self.random.choose(operators);
        let (left, right) = (self.expression(of, depth), self.expression(bits, depth));
        format!("(i{of}.{operator} {left} {right})")
    }

    /// Statements and a value.
    fn sequence(&mut self, bits: u32, depth: u32) -> String {
        let statements = self.statements(depth);
        format!("{statements} {}", self.expression(bits, depth))
    }

    fn statements(&mut self, depth: u32) -> String {
        let count = self.random.below(3);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("$b{}", self.names)
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth == 0 {
            let bits = self.bits();
            let local = self.local(bits);
            return format!("(local.set {local} {})", self.expression(bits, 1));
        }
        let depth = depth - 1;
        match self.random.below(if self.is_impure { 17 } else { 12 }) {
            0..=2 => {
                let bits = self.bits();
                let local = self.local(bits);
                format!("(local.set {local} {})", self.expression(bits, depth + 1))
            }
            3 => {
                let condition = self.expression(32, depth);
                let (then, otherwise) = (self.statements(depth), self.statements(depth));
                format!("(if {condition} (then {then}) (else {otherwise}))")
            }
            4 => format!("(if {} (then {}))", self.expression(32, depth), self.statements(depth)),
            5 | 6 => {
                let name = self.name();
                self.blocks.push((name.clone(), None));
                let body: Vec<_> = (0..3).map(|_| self.statement(depth)).collect();
                self.blocks.pop();
                format!("(block {name} {})", body.join(" "))
            }
            7 | 8 => self.branch(depth),
            9 if self.counters < COUNTERS => {
                let name = self.name();
                let counter = LOCALS.len() + self.counters;
                self.counters += 1;
                self.loops.push((name.clone(), counter));
                let body: Vec<_> = (0..2).map(|_| self.statement(depth)).collect();
                self.loops.pop();
                format!(
                    "(local.set {counter} (i32.const 3)) (loop {name} {} (br_if {name} \
                     (i32.gt_s (local.tee {counter} (i32.sub (local.get {counter}) (i32.const 1))) \
                     (i32.const 0))))",
                    body.join(" ")
                )
            }
            10 => {
                let Some((name, counter)) = self.loops.last().cloned() else {
                    return self.statement(0);
                };
                // An early start of the next turn.
                let condition = self.expression(32, depth);
                format!(
                    "(if (i32.gt_s (local.tee {counter} (i32.sub (local.get {counter}) \
                     (i32.const 1))) (i32.const 0)) (then (br_if {name} {condition})))"
                )
            }
            9 | 11 => {
                let bits = self.bits();
                format!("(drop {})", self.expression(bits, depth))
            }
            12 | 13 => {
                let bits = self.bits();
                let stores: &[&str] = match bits {
                    32 => &["store", "store8", "store16"],
                    _ => &["store", "store8", "store16", "store32"],
                };
                let store = *self.random.choose(stores);
                let offset = self.random.below(40);
                let address = self.address(depth);
                format!(
                    "(i{bits}.{store} offset={offset} {address} {})",
                    self.expression(bits, depth)
                )
            }
            14 => {
                let bits = self.bits();
                let global = if bits == 32 { "$a" } else { "$b" };
                format!("(global.set {global} {})", self.expression(bits, depth))
            }
            _ => {
                let operator = *self.random.choose(&["copy", "fill"]);
                let (first, second) = (self.address(depth), self.address(depth));
                format!(
                    "(memory.{operator} {first} {second} (i32.and {} (i32.const 63)))",
                    self.expression(32, depth)
                )
            }
        }
    }

    /// A branch out of one of the blocks around, or out of the function.
    fn branch(&mut self, depth: u32) -> String {
        let condition = self.expression(32, depth);
        let plain: Vec<String> = self
            .blocks
            .iter()
            .filter(|(_, takes)| takes.is_none())
            .map(|(name, _)| name.clone())
            .collect();
        match self.random.below(4) {
            0 if !plain.is_empty() => {
                let targets: Vec<_> = (0..4).map(|_| self.random.choose(&plain).clone()).collect();
                format!(
                    "(if {condition} (then (br_table {} {})))",
                    targets.join(" "),
                    self.expression(32, depth)
                )
            }
            1 if !self.blocks.is_empty() => {
                let blocks = self.blocks.clone();
                let (name, takes) = self.random.choose(&blocks).clone();
                let value = takes.map_or_else(String::new, |bits| self.expression(bits, depth));
                format!("(if {condition} (then (br {name} {value})))")
            }
            2 if self.random.below(3) == 0 => {
                let value = self.expression(self.result, depth);
                format!("(if {condition} (then (return {value})))")
            }
            _ if plain.is_empty() => self.statement(0),
            _ => format!("(br_if {} {condition})", self.random.choose(&plain)),
        }
    }

    fn function(&mut self, index: usize) -> String {
        self.is_impure = self.random.below(3) > 0;
        self.result = self.bits();
        self.counters = 0;
        let mut body: Vec<_> = (0..4).map(|_| self.statement(3)).collect();
        body.push(self.expression(self.result, 4));
        self.functions.push((self.result, self.is_impure));
        let types = |of: &[u32]| {
            of.iter().map(|bits| if *bits == 32 { "i32 " } else { "i64 " }).collect::<String>()
        };
        let (parameters, locals) = (types(&LOCALS[..PARAMETERS]), types(&LOCALS[PARAMETERS..]));
        format!(
            "(func $f{index} (export \"f{index}\") (param {parameters}) (result i{}) \
             (local {locals} {}) {})\n",
            self.result,
            "i32 ".repeat(COUNTERS),
            body.join("\n")
        )
    }
}

#[test]
fn random_functions() {
    let case = |seed| {
        let mut generator = Generator {
            random: Random(seed),
            functions: Vec::new(),
            is_impure: false,
            blocks: Vec::new(),
            loops: Vec::new(),
            counters: 0,
            names: 0,
            result: 32,
        };
        let functions: String = (0..30).map(|index| generator.function(index)).collect();
        let module = format!(
            "(module (memory (export \"memory\") 1 1) (global $a (mut i32) (i32.const 9))\n\
             (global $b (mut i64) (i64.const -1))\n{functions})"
        );
        let mut calls = Vec::new();
        for index in 0..30 {
            for _ in 0..12 {
                let arguments = LOCALS[..PARAMETERS]
                    .iter()
                    .map(|&bits| *generator.random.choose(&numbers(bits)))
                    .collect();
                calls.push(Call { function: format!("f{index}"), arguments });
            }
        }
        Case { module, calls }
    };
    let cases: Vec<_> = (1..=8).map(case).collect();
    compare("random_functions", &cases);
}
