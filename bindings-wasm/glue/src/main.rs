//! Runs wasm-bindgen on the compiled module: `bindings-wasm-glue MODULE.wasm FOLDER`.
//!
//! It writes `backoff_bg.wasm` and its JavaScript glue into the folder. `build.mjs` uses only
//! the module.

#![forbid(unsafe_code)]

use std::env::args_os;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let Ok([module, folder]) = <[_; 2]>::try_from(args_os().skip(1).collect::<Vec<_>>()) else {
        eprintln!("usage: bindings-wasm-glue MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let generated = bindgen.input_path(module).web(true).and_then(|bindgen| {
        bindgen
            .omit_default_module_path(true)
            .typescript(false)
            .out_name("backoff")
            .generate(folder)
    });
    match generated {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
