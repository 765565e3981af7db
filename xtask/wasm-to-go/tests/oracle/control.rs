//! Blocks, loops, branches, calls and the order in which things happen.

use crate::compare::{Call, Case, Value, compare};

/// Functions that take one `i32`, with the name of what they are about.
const MODULES: &[(&str, &str)] = &[
    (
        "branches with values",
        r#"(module
          (func (export "f0") (param i32) (result i32)
            (block $a (result i32) (i32.const 7) (br_if $a (local.get 0)) (drop) (i32.const 9)))
          (func (export "f1") (param i32) (result i64)
            (block $a (result i64)
              (block $b (result i64)
                (br $a (i64.add (i64.const 5) (br_if $b (i64.const 3) (local.get 0)))))
              (i64.mul (i64.const 100))))
          (func (export "f2") (param i32) (result i32)
            (i32.add (local.get 0)
              (block $a (result i32)
                (local.set 0 (i32.const 50))
                (br_if $a (i32.const 1) (i32.eqz (local.get 0)))
                (i32.add (local.get 0)))))
          (func (export "f3") (param i32) (result i32) (local i32)
            (local.get 0)
            (block $a (br_if $a (local.get 0)) (local.set 0 (i32.const 77)))
            (i32.add (local.get 0)))
          (func (export "f4") (param i32) (result i32)
            (block $a (block $b (block $c
              (br_if $c (i32.eq (local.get 0) (i32.const 1)))
              (br_if $b (i32.eq (local.get 0) (i32.const 2)))
              (return (i32.const 10)))
              (return (i32.const 11))))
            (i32.const 12)))"#,
    ),
    (
        "br_table",
        r#"(module
          (func (export "f0") (param i32) (result i32)
            (block $a (block $b (block $c (br_table $c $b $c $a (local.get 0)))
              (return (i32.const 1))) (return (i32.const 2)))
            (i32.const 3))
          (func (export "f1") (param i32) (result i32)
            (block $a (result i32)
              (i32.mul (i32.const 2) (block $b (result i32)
                (br_table $a $b (i32.add (local.get 0) (i32.const 40)) (local.get 0))))))
          (func (export "f2") (param i32) (result i32)
            (block $a (br_table $a (i32.const 0))) (i32.const 4))
          (func (export "f3") (param i32) (result i32) (local i32)
            (loop $l
              (block $out
                (local.set 1 (i32.add (local.get 1) (i32.const 3)))
                (br_table $out $l $out (i32.sub (i32.const 4) (local.get 1)))))
            (local.get 1))
          (func (export "f4") (param i32) (result i32)
            (i32.const 5) (br_table 0 0 (local.get 0))))"#,
    ),
    (
        "loops",
        r#"(module
          (func (export "f0") (param i32) (result i32) (local i32)
            (loop $l
              (br_if $l (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (i32.const 9))))
            (local.get 1))
          (func (export "f1") (param i32) (result i32) (local i32 i32)
            (block $out (loop $a (loop $b
              (br_if $out (i32.gt_u (local.get 1) (i32.const 60)))
              (local.set 1 (i32.add (local.get 1) (i32.const 7)))
              (br_if $b (i32.and (local.get 1) (i32.const 1)))
              (local.set 2 (i32.add (local.get 2) (local.get 1)))
              (br_if $a (i32.and (local.get 1) (i32.const 4)))
              (local.set 2 (i32.xor (local.get 2) (i32.const 0x55))))
              (local.set 1 (i32.add (local.get 1) (i32.const 2)))
              (br $a)))
            (i32.add (local.get 1) (i32.shl (local.get 2) (i32.const 8))))
          (func (export "f2") (param i32) (result i32)
            (loop $l (result i32)
              (local.set 0 (i32.shr_u (local.get 0) (i32.const 1)))
              (br_if $l (i32.gt_u (local.get 0) (i32.const 3)))
              (local.get 0)))
          (func (export "f3") (param i32) (result i64) (local i64)
            (i64.const 1) (i64.const 1)
            (loop $l (param i64 i64) (result i64 i64)
              (local.set 1)
              (i64.add (local.get 1)) (local.get 1)
              (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
              (br_if $l (i32.lt_u (local.get 0) (i32.const 200))))
            (i64.mul))
          (func (export "f4") (param i32) (result i32) (local i32)
            (i32.const 3) (i32.const 4) (i32.const 0)
            (loop $l (param i32 i32 i32) (result i32)
              (local.set 0) (local.set 1)
              (br_if $l (local.get 1) (i32.add (local.get 1)) (i32.const 1)
                (i32.eqz (local.get 0)))
              (drop) (i32.add)))
          (func (export "f5") (param i32) (result i32)
            (loop $l (br_if $l (i32.const 0))) (loop $l (result i32) (i32.const 8))))"#,
    ),
    (
        "conditions",
        r#"(module
          (func (export "f0") (param i32) (result i32)
            (if (result i32) (local.get 0) (then (i32.const 1)) (else (i32.const 2))))
          (func (export "f1") (param i32) (result i32)
            (if (i32.gt_s (local.get 0) (i32.const 5)) (then (local.set 0 (i32.const 5))))
            (local.get 0))
          (func (export "f2") (param i32) (result i32)
            (local.get 0)
            (if (param i32) (result i32) (i32.eqz (local.get 0))
              (then (local.set 0 (i32.const 3)) (i32.add (local.get 0)))
              (else (i32.mul (i32.const 3)))))
          (func (export "f3") (param i32) (result i32)
            (if (local.get 0) (then (return (i32.const 1))) (else (return (i32.const 2))))
            (unreachable))
          (func (export "f4") (param i32) (result i32)
            (if (local.get 0) (then) (else (local.set 0 (i32.const 6)))) (local.get 0))
          (func (export "f5") (param i32) (result i32)
            (if $a (result i32) (local.get 0)
              (then (br_if $a (i32.const 3) (i32.eq (local.get 0) (i32.const 1))) (drop) (i32.const 4))
              (else (br $a (i32.const 5)))))
          (func (export "f6") (param i32) (result i32)
            (if (i32.eqz (i32.eqz (local.get 0))) (then (unreachable))) (i32.const 1))
          (func (export "f7") (param i32) (result i32)
            (i32.const 1) (i32.const 2)
            (if (param i32 i32) (result i32 i32) (local.get 0) (then (i32.add) (i32.const 9)))
            (i32.sub)))"#,
    ),
    (
        "choices",
        r#"(module
          (func (export "f0") (param i32) (result i32)
            (select (i32.const 4) (i32.const 5) (local.get 0)))
          (func (export "f1") (param i32) (result i32) (local i32)
            (local.set 1 (i32.const 2))
            (local.set 1 (select (local.get 0) (local.get 1) (i32.lt_u (local.get 0) (local.get 1))))
            (local.get 1))
          (func (export "f2") (param i32) (result i32) (local i32)
            (local.set 1 (i32.const 2))
            (local.set 1 (select (local.get 1) (local.get 0) (i32.lt_s (local.get 0) (local.get 1))))
            (local.get 1))
          (func (export "f3") (param i32) (result i32)
            (local.set 0 (select (local.get 0) (i32.const 8) (i32.and (local.get 0) (i32.const 1))))
            (local.set 0 (select (i32.const 9) (local.get 0) (i32.and (local.get 0) (i32.const 2))))
            (local.set 0 (select (i32.add (local.get 0) (i32.const 1))
                                 (i32.mul (local.get 0) (i32.const 3)) (local.get 0)))
            (local.get 0))
          (func (export "f4") (param i32) (result i32)
            (select (i32.div_u (i32.const 100) (local.get 0)) (i32.const 5) (local.get 0)))
          (func (export "f5") (param i32) (result i32)
            (select (i32.lt_s (local.get 0) (i32.const 3)) (i32.gt_s (local.get 0) (i32.const -9))
              (i32.or (i32.eq (local.get 0) (i32.const 2)) (i32.ne (local.get 0) (i32.const 1)))))
          (func (export "f6") (param i32) (result i64)
            (i64.extend_i32_u (i32.and (i32.lt_s (local.get 0) (i32.const 3))
                                       (i32.gt_s (local.get 0) (i32.const -9)))))
          (func (export "f7") (param i32) (result i32)
            (select (local.get 0) (i32.const 40) (i32.gt_u (local.get 0) (i32.const 40)))))"#,
    ),
    (
        "calls",
        r#"(module
          (func $two (param i32) (result i32 i32)
            (i32.add (local.get 0) (i32.const 1)) (i32.mul (local.get 0) (i32.const 3)))
          (func $nothing (param i32))
          (func $traps (param i32) (result i32) (i32.div_u (i32.const 9) (local.get 0)))
          (func $factorial (export "f0") (param i32) (result i32)
            (if (result i32) (i32.gt_u (i32.and (local.get 0) (i32.const 15)) (i32.const 1))
              (then (i32.mul (local.get 0)
                (call $factorial (i32.sub (i32.and (local.get 0) (i32.const 15)) (i32.const 1)))))
              (else (i32.const 1))))
          (func (export "f1") (param i32) (result i32) (call $two (local.get 0)) (i32.sub))
          (func (export "f2") (param i32) (result i32 i32) (call $two (local.get 0)))
          (func (export "f3") (param i32) (call $nothing (local.get 0)))
          (func (export "f4") (param i32) (result i32)
            (drop (call $traps (local.get 0))) (i32.const 1))
          (func (export "f5") (param i32) (result i32) (call $two (local.get 0)) (drop))
          (func (export "f6") (param i32) (result i32)
            (local.set 0 (call $traps (local.get 0))) (drop (local.get 0)) (i32.const 2)))"#,
    ),
    (
        "order",
        r#"(module
          (memory (export "memory") 1)
          (global $g (mut i32) (i32.const 3))
          (func $bump (param i32) (result i32)
            (global.set $g (i32.add (global.get $g) (local.get 0)))
            (i32.store (i32.const 8) (global.get $g))
            (global.get $g))
          (func (export "f0") (param i32) (result i32)
            (i32.sub (global.get $g) (call $bump (i32.const 2))))
          (func (export "f1") (param i32) (result i32)
            (i32.load (i32.const 8))
            (i32.store (i32.const 8) (i32.const 100))
            (i32.sub (i32.load (i32.const 8))))
          (func (export "f2") (param i32) (result i32)
            (local.get 0) (local.set 0 (i32.const 5)) (i32.mul (local.get 0) (i32.const 10)) (i32.add))
          (func (export "f3") (param i32) (result i32)
            (i32.sub (call $bump (i32.const 1)) (call $bump (local.get 0))))
          (func (export "f4") (param i32) (result i32)
            (i32.div_u (i32.const 1) (local.get 0))
            (i32.store (i32.const 16) (i32.add (i32.load (i32.const 16)) (i32.const 1))))
          (func (export "f5") (param i32) (result i32)
            (i32.load (i32.const 70000)) (global.set $g (i32.const 1)))
          (func (export "f6") (param i32) (result i32)
            (drop (i32.load (i32.const 70000)))
            (global.set $g (i32.const 1)) (i32.const 1))
          (func (export "f7") (param i32) (result i32) (local i32)
            (local.set 1 (i32.load (i32.const 70000))) (i32.const 1))
          (func (export "f8") (param i32) (result i32) (local i32)
            (local.set 1 (call $bump (i32.const 2))) (i32.const 1))
          (func (export "f9") (param i32) (result i32)
            (local.get 0) (local.set 0 (call $bump (local.get 0))) (i32.sub (local.get 0)))
          (func (export "f10") (param i32) (result i32)
            (i32.load (i32.const 8)) (memory.fill (i32.const 8) (i32.const 1) (i32.const 2)))
          (func (export "f11") (param i32) (result i32)
            (block (result i32) (i32.div_u (i32.const 1) (local.get 0))
              (br_if 0 (i32.const 6) (i32.eqz (local.get 0))) (drop))))"#,
    ),
    (
        "the start",
        r#"(module
          (memory (export "memory") 2 2)
          (data (i32.const 1024) "text with \"quotes\", a \\ and \00\01\ff bytes")
          (data (i32.const 131070) "\01\02")
          (global (mut i64) (i64.const -5))
          (global i32 (i32.const 77))
          (func (export "f0") (param i32) (result i64) (global.get 0))
          (func (export "f1") (param i32) (result i32) (global.get 1))
          (func (export "f2") (param i32) (result i32) (i32.load8_u (i32.and (local.get 0) (i32.const 1))
            (drop) (i32.const 131070)))
          (func (export "f3") (param i32) (result i32) (memory.grow (local.get 0)))
          (func (export "f4") (param i32) (result i32) (drop (memory.grow (i32.const 1))) (memory.size)))"#,
    ),
    (
        "code that is not reached",
        r#"(module
          (func (export "f0") (param i32) (result i32)
            (return (i32.const 1)) (i32.add) (block (result i32) (i32.const 3) (br 0)) (drop))
          (func (export "f1") (param i32) (result i32)
            (block $a (br $a) (loop (br 0)) (if (then) (else))) (i32.const 2))
          (func (export "f2") (param i32) (result i32) (unreachable))
          (func (export "f3") (param i32) (result i32)
            (block $a (loop $l (br $a) (br $l))) (nop) (i32.const 2))
          (func (export "f4") (param i32) (result i32)
            (block (result i32) (block $b (br $b)) (br 0 (i32.const 4)) (i32.const 9))
            (if (result i32) (then (i32.const 1)) (else (unreachable)))))"#,
    ),
];

#[test]
fn control() {
    let arguments = [0, 1, 2, 3, 4, 5, 8, 17, 100, 0x8000_0000, 0xffff_fff0, 0xffff_ffff];
    let cases: Vec<Case> = MODULES
        .iter()
        .map(|(_, module)| {
            let count = module.matches("(export \"f").count();
            let calls = (0..count).flat_map(|index| {
                arguments.iter().map(move |&argument| Call {
                    function: format!("f{index}"),
                    arguments: vec![Value::I32(argument)],
                })
            });
            Case { module: (*module).to_owned(), calls: calls.collect() }
        })
        .collect();
    compare("control", &cases);
}
