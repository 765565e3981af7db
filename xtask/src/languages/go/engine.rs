//! The generated files of Go's engine: the constants of the core, and the core itself, translated
//! from its WebAssembly.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wasm_to_go::{Intrinsic, Options};

use crate::shell::{WASM, add_target, cargo, command, run, scratch, stdout, target};

/// The command that writes the files.
const GENERATOR: &str = "cargo xtask generate";

/// The generated files and their contents. The constants are those of the C header.
pub(crate) fn files(header: &str) -> Result<[(PathBuf, String); 2]> {
    let folder = Path::new("bindings-go/internal/engine");
    Ok([(folder.join("constants.go"), constants(header)?), (folder.join("core.go"), core()?)])
}

/// The module that is translated.
pub(crate) fn wasm() -> Result<PathBuf> {
    add_target(WASM)?;
    let flags = [
        "--cfg=backoff_translated",
        // A stack that is too small meets the end of the memory, not the data.
        "-Clink-arg=--stack-first",
        "-Clink-arg=-zstack-size=10240",
        "-Clink-arg=--export=__heap_base",
    ];
    run(cargo()
        .args(["build", "--locked", "--package", "bindings-c", "--lib"])
        .args(["--profile", "go", "--target", WASM])
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))?;
    Ok(target().join(WASM).join("go/backoff.wasm"))
}

/// The core in Go.
fn core() -> Result<String> {
    let wasm = fs::read(wasm()?)?;
    let translated = wasm_to_go::translate(
        &wasm,
        &Options {
            package: "engine",
            build: Some("!backoff_cgo"),
            generator: GENERATOR,
            export_prefix: "backoff_",
            roots: &ROOTS,
            memory: Some(MEMORY),
            intrinsics: &[Intrinsic {
                function: "backoff_core::number::arithmetic::mulhi",
                signature: "(func (param i64 i64) (result i64))",
                body: &["high, _ := bits.Mul64(p0, p1)", "return high"],
            }],
        },
    )?;
    // The registers of WebAssembly become variables, some of which are set once too often.
    Ok(translated.replacen("\npackage ", "\n//lint:file-ignore SA4006 translated\n\npackage ", 1))
}

/// The size of an instance's memory, in which the core's stack and data and the engine's values just
/// fit. Go allocates what is larger than 32 KiB by the page, which is slow, above all under the race
/// detector, where a pool drops some of its instances.
const MEMORY: u32 = 32 * 1024 - 8;

/// The functions that the engine calls.
const ROOTS: [&str; 77] = [
    "backoff_budget_event_name",
    "backoff_budget_get",
    "backoff_budget_get_ratio",
    "backoff_budget_member_begin",
    "backoff_budget_member_cancel",
    "backoff_budget_member_exchange_step",
    "backoff_budget_member_failed",
    "backoff_budget_member_init",
    "backoff_budget_member_late",
    "backoff_budget_member_lost",
    "backoff_budget_member_note",
    "backoff_budget_member_request",
    "backoff_budget_member_state",
    "backoff_budget_member_stats",
    "backoff_budget_member_step",
    "backoff_budget_member_stored",
    "backoff_budget_parse",
    "backoff_budget_print",
    "backoff_budget_state_full",
    "backoff_budget_state_parse",
    "backoff_budget_state_print",
    "backoff_budget_state_step",
    "backoff_code_name",
    "backoff_decision_delay_ns",
    "backoff_decision_reason",
    "backoff_error_message",
    "backoff_field_name",
    "backoff_formula_delay_ns",
    "backoff_formula_is_plain",
    "backoff_formula_window_ns",
    "backoff_http_outcome",
    "backoff_http_retry_after",
    "backoff_is_idempotent_method",
    "backoff_key_append",
    "backoff_key_begin",
    "backoff_key_stream",
    "backoff_kind_name",
    "backoff_operation_begin",
    "backoff_operation_cancel",
    "backoff_operation_decide",
    "backoff_operation_refuse_retry",
    "backoff_operation_resume",
    "backoff_operation_state",
    "backoff_outcome_name",
    "backoff_params_set",
    "backoff_params_set_ratio",
    "backoff_parse_retry_after",
    "backoff_plain_delay_ns",
    "backoff_plain_next_window_ns",
    "backoff_plain_window_ns",
    "backoff_policy_fill_ns",
    "backoff_policy_fit_base",
    "backoff_policy_fit_cap",
    "backoff_policy_from_numbers",
    "backoff_policy_get",
    "backoff_policy_get_ratio",
    "backoff_policy_init",
    "backoff_policy_max_retries",
    "backoff_policy_parse",
    "backoff_policy_print",
    "backoff_policy_to_numbers",
    "backoff_preview_init",
    "backoff_preview_next",
    "backoff_ratio_parse",
    "backoff_reason_name",
    "backoff_sequence_current",
    "backoff_sequence_delay_ns",
    "backoff_sequence_next",
    "backoff_stats_init",
    "backoff_stats_merge",
    "backoff_stats_print",
    "backoff_stats_read",
    "backoff_stats_record",
    "backoff_stream_advance",
    "backoff_stream_draw",
    "backoff_stream_of_number",
    "backoff_version",
];

/// The constants and the sizes of the structs in `backoff.h`. The fields of budgets keep their prefix.
fn constants(header: &str) -> Result<String> {
    let mut text = format!(
        "// Code generated by {GENERATOR}; DO NOT EDIT.\n\npackage engine\n\n\
         // The constants of backoff.h.\nconst (\n"
    );
    for line in header.lines() {
        if let Some((name, bits, value)) = constant(line) {
            let field = name.strip_prefix("FIELD_");
            let kind = match (field, bits) {
                (Some(_), _) => " Field",
                (None, "64") => " uint64",
                (None, _) => "",
            };
            let name = field.filter(|_| value < FIRST_OF_BUDGETS).unwrap_or(name);
            writeln!(text, "\t{}{kind} = {value}", capitalized(name))?;
        }
    }
    text += ")\n\n// The sizes of the structs of backoff.h, in words.\nconst (\n";
    let mut words = None;
    for line in header.lines() {
        if let Some((_, number)) = line.split_once("  uint64_t opaque[") {
            words = number.strip_suffix("];");
        } else if let (Some(number), Some(name)) = (words, line.strip_prefix("} backoff_")) {
            let name = capitalized(name.trim_end_matches(';'));
            writeln!(text, "\t{name}Words = {number}")?;
            words = None;
        }
    }
    text += ")\n";
    formatted(&text)
}

/// The number of the first field of a budget.
const FIRST_OF_BUDGETS: u64 = 33;

/// The name, the bits and the value of a constant, from its line in the header.
fn constant(line: &str) -> Option<(&str, &str, u64)> {
    let (name, value) = line.strip_prefix("#define BACKOFF_")?.split_once(" UINT")?;
    let (bits, value) = value.split_once("_C(")?;
    Some((name, bits, value.strip_suffix(')')?.parse().ok()?))
}

/// `CAP_BELOW_BASE` as Go writes it: `CapBelowBase`.
fn capitalized(name: &str) -> String {
    if name == "OK" {
        return name.to_owned();
    }
    let capitalized = |word: &str| {
        let (first, rest) = word.split_at_checked(1).unwrap_or_default();
        first.to_uppercase() + &rest.to_lowercase()
    };
    name.split('_').map(capitalized).collect()
}

/// A Go file as gofmt writes it.
fn formatted(text: &str) -> Result<String> {
    let path = scratch().join("unformatted.go");
    fs::create_dir_all(scratch())?;
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    stdout(command("gofmt").arg(path))
}
