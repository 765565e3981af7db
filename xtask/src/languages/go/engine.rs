//! The generated files of Go's engine: the constants of the core, and the core itself, which wasm2go
//! translates from its WebAssembly.

use crate::shell::*;
use header::{Declared, Header};

/// The generated files and their contents. The constants are those of the C header.
pub(crate) fn files(header: &Header) -> Result<[(PathBuf, String); 4]> {
    let folder = Path::new("bindings-go/internal/engine");
    let core = on_an_array(translated(&wasm()?, "-pkg=engine -tags=!backoff_cgo")?)?;
    let core = only_used(&core, &written_by_hand(folder)?)
        // The registers of WebAssembly become variables, some of which are set once too often.
        .replacen("\npackage ", "\n//lint:file-ignore SA4006 translated\n\npackage ", 1)
        // One goroutine at a time uses an instance. Watching that doubles the time of tests under -race.
        .replace("\nfunc ", "\n//go:norace\nfunc ");
    let flag = "-Ctarget-feature=+wide-arithmetic";
    let plain = build("go-plain --profile go-plain", "go-plain/go_plain.wasm", flag)?;
    let plain = translated(&plain, "-pkg=plain")?;
    ensure!(plain.contains(CARRY), "wasm2go adds in another way");
    let plain = plain.replace(CARRY, CARRY_BY_COMPARING);
    let needs_instance = ["data0", "table_init"].iter().any(|name| plain.contains(name));
    ensure!(!needs_instance, "go-plain has data or a table, for which its memories have no place");
    Ok([
        (folder.join("cgo_functions.go"), functions_over_c(header, &core)?),
        (folder.join("constants.go"), constants(header)?),
        (folder.join("core.go"), formatted(&core)?),
        (folder.join("plain/plain.go"), plain),
    ])
}

/// The core on a memory whose size is known to the compiler (`memory.go`). So an access at an address of 16 bits needs no
/// check, and the code is compiled in two thirds of the time.
fn on_an_array(core: String) -> Result<String> {
    let mut core = core;
    let first = ["func load16[", "func store16["].into_iter().find(|name| core.contains(name));
    for (from, to) in [
        ("type Memory = interface {", "func (m *Module) fn0("), // with the type of a memory that grows
        ("func (m *Module) Xmemory(", "func i32("),
        (first.unwrap_or_default(), "func memory_init["), // the accesses, and memory_grow
    ] {
        let part = core.find(from).zip(core.find(to)).filter(|(from, to)| from < to);
        let (from, to) = part.context("wasm2go writes the memory in another way")?;
        core.replace_range(from..to, "");
    }
    let core = core
        .replacen("\n\twasmMemory\n", "\n\tmemory *memory\n", 1)
        .replacen("m.memory = make([]byte, 65536)", "m.memory = new(memory)", 1)
        .replace("\t\"encoding/binary\"\n\t\"math\"\n", "")
        .replace("memory_init(m.memory,", "memory_init(m.memory[:],")
        .replace("memory_copy(m.memory,", "memory_copy(m.memory[:],")
        .replace("memory_zero(m.memory,", "memory_zero(m.memory[:],");
    ensure!(core.contains("new(memory)"), "wasm2go makes the memory in another way");
    Ok(core)
}

/// The files of the engine that are not translated.
fn written_by_hand(folder: &Path) -> Result<String> {
    let mut text = String::new();
    for path in entries(&root().join(folder))? {
        let is_made = path.ends_with("core.go") || path.ends_with("cgo_functions.go");
        if path.is_file() && !is_made {
            text += &read(path)?;
        }
    }
    Ok(text)
}

/// The core without the functions that nothing calls, which users would compile for nothing: Go
/// has no counterpart of some functions of C.
fn only_used(core: &str, callers: &str) -> String {
    let mut functions = core.split("\nfunc ");
    let start = functions.next().unwrap_or_default();
    let functions: Vec<&str> = functions.collect();
    let name = |function: &&str| {
        let function = function.strip_prefix("(m *Module) ").unwrap_or(function);
        function.split(['(', '[']).next().unwrap_or_default().to_owned()
    };
    let names: Vec<String> = functions.iter().map(name).collect();
    let (mut is_used, mut unread) = (vec![false; names.len()], vec![start, callers]);
    while let Some(text) = unread.pop() {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let words: std::collections::HashSet<&str> = words.collect();
        for (at, name) in names.iter().enumerate() {
            if !is_used[at] && words.contains(&**name) {
                is_used[at] = true;
                unread.push(functions[at]);
            }
        }
    }
    let used = functions.iter().zip(is_used).filter(|&(_, is_used)| is_used);
    used.fold(start.to_owned(), |core, (function, _)| core + "\nfunc " + function)
}

/// How wasm2go computes a sum and its carry. Go 1.24 to 1.26 cannot compile a choice by that carry for
/// arm64 ("illegal combination .. CSEL").
const CARRY: &str = "	lo, carry := bits.Add64(uint64(x), uint64(y), 0)
	return int64(lo), int64(carry)
";
const CARRY_BY_COMPARING: &str = "	lo, carry := uint64(x)+uint64(y), int64(0)
	if lo < uint64(x) {
		carry = 1
	}
	return int64(lo), carry
";

/// The module of which `core.go` is the translation.
fn wasm() -> Result<PathBuf> {
    build("bindings-c --features go --profile go", "go/backoff.wasm", "")
}

/// A module of WebAssembly, made from a package with a profile and with a flag for rustc.
pub(crate) fn build(package: &str, file: &str, flag: &str) -> Result<PathBuf> {
    add_target(WASM)?;
    let build = cargo(&format!("build --locked --lib --target {WASM} --package {package}"));
    build.env("CARGO_ENCODED_RUSTFLAGS", flag).run()?;
    Ok(target().join(WASM).join(file))
}

fn translated(wasm: &Path, options: &str) -> Result<String> {
    pinned("tool wasm2go").words(options).arg(wasm).stdout()
}

pub(crate) fn license() -> Result<String> {
    let folder = pinned("list -m -f {{.Dir}} github.com/ncruces/wasm2go").stdout()?;
    Ok(read(Path::new(folder.trim()).join("LICENSE"))?.trim_end().to_owned())
}

fn pinned(line: &str) -> Program {
    program("go")
        .words(line)
        .env("GOFLAGS", "-mod=readonly")
        .within(root().join("bindings-go/internal/wasm2go"))
}

/// The constants and the sizes of the structs in `backoff.h`. The fields of budgets keep their prefix.
fn constants(header: &Header) -> Result<String> {
    let mut text = String::from(
        "// Code generated by cargo xtask generate; DO NOT EDIT.\n\npackage engine\n\n\
         // The constants of backoff.h.\nconst (\n",
    );
    for (name, bits, value) in header.constants() {
        let name = name.trim_start_matches("BACKOFF_").trim_start_matches("ERROR_");
        let field = name.strip_prefix("FIELD_");
        let kind = match (field, bits) {
            (Some(_), _) => " Field",
            (None, 64) => " uint64",
            (None, _) => "",
        };
        let name = field.filter(|_| value < FIRST_OF_BUDGETS).unwrap_or(name);
        text += &format!("\t{}{kind} = {value}\n", capitalized(name));
    }
    text += ")\n\n// The sizes of the structs of backoff.h, in words.\nconst (\n";
    for (name, bytes) in header.sizes() {
        let name = capitalized(name.trim_start_matches("backoff_"));
        text += &format!("\t{name}Words = {}\n", bytes / 8);
    }
    text += ")\n\n// How many of them the core uses.\nconst (\n";
    // The value, behind a word that says what it is; an operation also says whether it has a budget.
    let used = [
        ("Policy", size_of::<backoff_core::Policy>()),
        ("Operation", size_of::<backoff_core::Operation>() + 8),
        ("Budget", size_of::<backoff_core::Budget>()),
        ("BudgetState", size_of::<backoff_core::BudgetState>()),
        ("BudgetMember", size_of::<backoff_core::BudgetMember>()),
        ("Preview", size_of::<backoff_core::Preview>()),
        ("Stats", size_of::<backoff_core::RetryStats>()),
    ];
    for (name, bytes) in used {
        text += &format!("\tUsed{name}Words = {}\n", 1 + bytes.div_ceil(8));
    }
    text += ")\n";
    formatted(&text)
}

/// The functions of `core.go`, which call those of the C library on the same memory.
fn functions_over_c(header: &Header, core: &str) -> Result<String> {
    let (mut directives, mut functions) = (String::new(), String::new());
    let of_core = |name: &str| core.contains(&format!(") X{name}("));
    for (name, function) in header.functions().filter(|(name, _)| of_core(name)) {
        let (mut go, mut c) = (Vec::new(), Vec::new());
        for Declared { kind, name } in &function.parameters {
            let (number, value) = match kind.trim_start_matches("const ").split_once(" *") {
                Some(("void", _)) => ("int32", format!("m.at({name})")),
                Some((kind, _)) => ("int32", format!("(*C.{kind})(m.at({name}))")),
                None if kind == "uint64_t" => ("int64", format!("C.{kind}({name})")),
                None => ("int32", format!("C.{kind}({name})")),
            };
            go.push(format!("{name} {number}"));
            c.push(value);
        }
        let call = format!("C.{name}({})", c.join(", "));
        let (number, call) = match &*function.result {
            "const char *" => ("int32", format!("m.name({call})")),
            "uint64_t" => ("int64", format!("int64({call})")),
            _ => ("int32", format!("int32({call})")),
        };
        directives += &format!("// #cgo nocallback {name}\n");
        let go = go.join(", ");
        functions +=
            &format!("\nfunc (m *Module) X{name}({go}) {number} {{\n\treturn {call}\n}}\n");
    }
    formatted(&format!(
        "// Code generated by cargo xtask generate; DO NOT EDIT.\n\n//go:build backoff_cgo\n\npackage engine\n\n\
         {directives}// #include <backoff.h>\nimport \"C\"\n{functions}"
    ))
}

const FIRST_OF_BUDGETS: u64 = 33;

/// `CAP_BELOW_BASE` as Go writes it: `CapBelowBase`.
fn capitalized(name: &str) -> String {
    if name == "OK" { name.to_owned() } else { pascal(&name.to_lowercase()) }
}

/// A name in words that begin with a capital letter.
pub(crate) fn pascal(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(word).collect()
}

pub(crate) fn formatted(text: &str) -> Result<String> {
    let path = scratch().join("unformatted.go");
    write(&path, text)?;
    program("gofmt").arg(path).stdout()
}
