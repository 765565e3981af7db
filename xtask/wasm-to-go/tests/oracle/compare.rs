//! Runs modules in Node and in Go.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wasm_to_go::{Options, translate};

/// A module as text, which exports its memory, if it has one, as `memory`.
pub(crate) struct Case {
    pub(crate) module: String,
    pub(crate) calls: Vec<Call>,
}

/// A call of an export, whose name is a Go name too, with the bits of its arguments.
pub(crate) struct Call {
    pub(crate) function: String,
    pub(crate) arguments: Vec<Value>,
}

#[derive(Clone, Copy)]
pub(crate) enum Value {
    I32(u32),
    I64(u64),
}

const NODE: &str = r"
const fs = require('node:fs');
const bits = (value) => typeof value === 'bigint' ? BigInt.asUintN(64, value) : value >>> 0;
for (const [wasm, ...calls] of JSON.parse(fs.readFileSync(process.argv[2]))) {
  const module = new WebAssembly.Module(fs.readFileSync(wasm));
  const { exports } = new WebAssembly.Instance(module);
  for (const [name, ...values] of calls) {
    let line;
    try {
      const result = exports[name](...values.map(([width, text]) => width === 64 ? BigInt(text) : Number(text)));
      line = result === undefined ? [] : Array.isArray(result) ? result : [result];
      line = line.map(bits).join(' ');
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      line = 'trap';
    }
    console.log(line);
  }
  if (exports.memory) {
    let sum = 0xcbf29ce484222325n;
    for (const byte of new Uint8Array(exports.memory.buffer)) {
      if (byte !== 0) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
    }
    console.log(`memory ${sum}`);
  }
}
";

const GO: &str = r#"
import "fmt"

func call(function func()) {
	defer func() {
		if recover() != nil {
			fmt.Println("trap")
		}
	}()
	function()
}

func memorySum(memory []byte) {
	sum := uint64(0xcbf29ce484222325)
	for _, value := range memory {
		if value != 0 {
			sum = (sum ^ uint64(value)) * 0x100000001b3
		}
	}
	fmt.Println("memory", sum)
}

"#;

/// Asserts that Node and Go agree on all calls, and that gofmt and go vet have nothing to say.
pub(crate) fn compare(name: &str, cases: &[Case]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("go.mod"), "module example.com/oracle\n\ngo 1.24\n").unwrap();
    let mut for_node = Vec::new();
    let mut main = String::from("package main\n\nimport (\n");
    for (index, case) in cases.iter().enumerate() {
        let wasm =
            wat::parse_str(&case.module).unwrap_or_else(|error| panic!("{error}\n{}", case.module));
        let path = folder.join(format!("case{index}.wasm"));
        fs::write(&path, &wasm).unwrap();
        for_node.push(for_node_of(case, &path));
        let package = format!("case{index}");
        let options = Options { package: &package, generator: "a test", ..Options::default() };
        let go =
            translate(&wasm, &options).unwrap_or_else(|error| panic!("{error:?}\n{}", case.module));
        fs::create_dir_all(folder.join(&package)).unwrap();
        fs::write(folder.join(&package).join("run.go"), run(&package, case, &go)).unwrap();
        fs::write(folder.join(&package).join("module.go"), go).unwrap();
        writeln!(main, "\t\"example.com/oracle/{package}\"").unwrap();
    }
    main.push_str(")\n\nfunc main() {\n");
    for index in 0..cases.len() {
        writeln!(main, "\tcase{index}.Run()").unwrap();
    }
    main.push_str("}\n");
    fs::write(folder.join("main.go"), main).unwrap();
    fs::write(folder.join("cases.json"), serde_json::to_string(&for_node).unwrap()).unwrap();
    fs::write(folder.join("oracle.cjs"), NODE).unwrap();

    let modules: Vec<PathBuf> =
        (0..cases.len()).map(|index| folder.join(format!("case{index}/module.go"))).collect();
    assert_eq!(output(Command::new("gofmt").arg("-d").args(modules)), "");
    output(go(&folder).args(["vet", "./..."]));
    let actual = output(go(&folder).args(["run", "."]));
    let expected =
        output(Command::new("node").arg("oracle.cjs").arg("cases.json").current_dir(&folder));
    let calls = cases.iter().enumerate().flat_map(|(index, case)| {
        let calls = case.calls.iter().map(move |call| {
            let values: Vec<_> = call.arguments.iter().map(|value| value.text()).collect();
            format!("case{index}: {}({})", call.function, values.join(", "))
        });
        let memory = case.module.contains("(export \"memory\")");
        calls.chain(memory.then(|| format!("the memory of case{index}")))
    });
    let (actual, expected): (Vec<_>, Vec<_>) =
        (actual.lines().collect(), expected.lines().collect());
    let calls: Vec<_> = calls.collect();
    assert_eq!((actual.len(), expected.len()), (calls.len(), calls.len()), "{}", folder.display());
    for ((call, actual), expected) in calls.iter().zip(actual).zip(expected) {
        assert_eq!(actual, expected, "{call}, in {}", folder.display());
    }
}

impl Value {
    fn go_type(self) -> &'static str {
        match self {
            Value::I32(_) => "uint32",
            Value::I64(_) => "uint64",
        }
    }

    fn text(self) -> String {
        match self {
            Value::I32(value) => value.to_string(),
            Value::I64(value) => value.to_string(),
        }
    }
}

fn for_node_of(case: &Case, wasm: &Path) -> serde_json::Value {
    let call = |call: &Call| {
        let values = call.arguments.iter().map(|value| match value {
            Value::I32(_) => serde_json::json!([32, value.text()]),
            Value::I64(_) => serde_json::json!([64, value.text()]),
        });
        std::iter::once(serde_json::json!(call.function)).chain(values).collect()
    };
    std::iter::once(serde_json::json!(wasm)).chain(case.calls.iter().map(call)).collect()
}

/// The Go file that makes the calls.
fn run(package: &str, case: &Case, go: &str) -> String {
    let mut run = format!("package {package}\n{GO}func Run() {{\n");
    if go.contains("type module struct") {
        run.push_str("\tm := newModule()\n");
    }
    let methods = declared(go, "func (m *module) ");
    let functions = declared(go, "func ");
    for calls in case.calls.chunk_by(|one, next| one.function == next.function) {
        let name = calls[0].function.as_str();
        let (receiver, returns) = match methods.get(name) {
            Some(returns) => ("m.", returns),
            None => ("", &functions[name]),
        };
        let widths = calls[0].arguments.iter().enumerate();
        let values: Vec<_> =
            widths.map(|(index, value)| format!("{}(it[{index}])", value.go_type())).collect();
        let expression = format!("{receiver}{name}({})", values.join(", "));
        // Data and a loop, because Go takes a minute to compile thousands of calls.
        writeln!(run, "\tfor _, it := range [][]uint64{{").unwrap();
        for call in calls {
            let values: Vec<_> = call.arguments.iter().map(|value| value.text()).collect();
            writeln!(run, "\t\t{{{}}},", values.join(", ")).unwrap();
        }
        run.push_str("\t} {\n\t\t_ = it\n");
        if *returns {
            writeln!(run, "\t\tcall(func() {{ fmt.Println({expression}) }})\n\t}}").unwrap();
        } else {
            writeln!(run, "\t\tcall(func() {{ {expression}; fmt.Println() }})\n\t}}").unwrap();
        }
    }
    if case.module.contains("(export \"memory\")") {
        let memory = if go.contains("type module struct") { "m.memory[:]" } else { "nil" };
        writeln!(run, "\tmemorySum({memory})").unwrap();
    } else {
        run.push_str("\t_ = memorySum\n");
    }
    run.push_str("}\n");
    run
}

/// The functions of a Go file that are declared so, and whether they return something.
fn declared<'a>(go: &'a str, declaration: &str) -> BTreeMap<&'a str, bool> {
    let function = |line: &'a str| {
        let (name, signature) = line.strip_prefix(declaration)?.split_once('(')?;
        Some((name, !signature.ends_with(") {") || signature.contains(") (")))
    };
    go.lines().filter_map(function).collect()
}

fn go(folder: &Path) -> Command {
    let mut command = Command::new("go");
    command.current_dir(folder).env("GOPROXY", "off").env("GOWORK", "off").env("GOFLAGS", "");
    command
}

fn output(command: &mut Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| {
        panic!(
            "{program} is needed (Go from https://go.dev, Node from https://nodejs.org): {error}"
        )
    });
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{text}\n{errors}");
    text
}
