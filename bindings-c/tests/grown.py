"""A later version of libbackoff, as the ABI may grow: one more reason, callback, member of an event, function, and number
in a policy. It is made from today's sources by replacements of text, each of which applies once.
"""

import shutil
from pathlib import Path

from installation import run, symbol_nodes

ROOT = Path(__file__).parents[2]
#: The replacements in each file. The reason `exhausted` stops operations with max_retries=7, which a policy notes in the
#: last of its new words.
REPLACEMENTS = {
    "core/src/decision/outcome.rs": {
        '    Cancelled = 7, "cancelled";\n': '    Cancelled = 7, "cancelled";\n'
        '    /// All seven retries were made.\n    Exhausted = 8, "exhausted";\n',
    },
    "core/src/decision/progress.rs": {
        "            return self.stop(StopReason::MaxRetries, 0, budget);\n": """
            let is_exhausted = policy.later == [0, 0, 0, 7];
            let reason = if is_exhausted { StopReason::Exhausted } else { StopReason::MaxRetries };
            return self.stop(reason, 0, budget);
""",
    },
    "core/src/schedule/mod.rs": {
        "            $(pub(crate) $name: $word,)*\n": "            $(pub(crate) $name: $word,)*\n"
        "            pub(crate) later: [u64; 4],\n",
        " == size_of::<u64>() $(+": " == size_of::<[u64; 4]>() + size_of::<u64>() $(+",
        "let mut numbers = Self {\n": "let mut numbers = Self {\n"
        "                    later: [0, 0, 0, values.get(Field::MaxRetries)],\n",
    },
    "core/src/ffi/mod.rs": {
        "    growth: EXPONENTIAL,\n": "    later: [0, 0, 0, 3],\n    growth: EXPONENTIAL,\n",
    },
    "bindings-c/src/retry.rs": {
        "    /// For functions and limits of later versions: 0.\n    pub reserved: [u64; 4],\n": """
    /// Called first.
    pub on_begin: Option<unsafe extern "C" fn(context: *mut c_void)>,
    /// 0.
    pub reserved: [u64; 3],
""",
        "on_stop, delay, .. } =": "on_stop, delay, on_begin, .. } =",
        "on_retry, on_stop })\n": "on_retry, on_stop, on_begin })\n",
        "    on_stop: Hook,\n": "    on_stop: Hook,\n"
        '    on_begin: Option<unsafe extern "C" fn(*mut c_void)>,\n',
        "        let began = callbacks.now();\n": """
        if let Some(on_begin) = callbacks.on_begin {
            // SAFETY: `new` requires that the function may be called.
            unsafe { on_begin(callbacks.context) }
        }
        let began = callbacks.now();
""",
        "    pub reason: backoff_reason,\n    /// Written as 0.\n    pub reserved: [u64; 4],\n": """
    pub reason: backoff_reason,
    /// When the loop began.
    pub began_ns: u64,
    /// 0.
    pub reserved: [u64; 3],
""",
        "            let reserved = [0; 4];\n": "            let (reserved, began_ns) = ([0; 3], began);\n",
        "elapsed_ns, outcome, reason, reserved };": "elapsed_ns, outcome, reason, began_ns, reserved };",
        "reason, reserved: [0; 4] }": "reason, began_ns: 0, reserved: [0; 3] }",
    },
    "bindings-c/src/version.rs": {
        'pub extern "C" fn backoff_version() -> u32 {': """pub extern "C" fn backoff_later() -> u32 {
    42
}

/// Of today.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_version() -> u32 {""",
    },
    "include/backoff.h": {
        "  BACKOFF_REASON_CANCELLED = 7\n": "  BACKOFF_REASON_CANCELLED = 7,\n  BACKOFF_REASON_EXHAUSTED = 8\n",
        "  // For functions and limits of later versions: 0.\n  uint64_t reserved[4];\n": """
  void (*on_begin)(void *context);
  uint64_t reserved[3];
""",
        "  backoff_reason reason;\n  // Written as 0.\n  uint64_t reserved[4];\n": """  backoff_reason reason;
  uint64_t began_ns;
  uint64_t reserved[3];
""",
        "uint32_t backoff_version(void);\n": "uint32_t backoff_version(void);\nuint32_t backoff_later(void);\n",
    },
}


def replaced(file):
    """The text of a file of the later version."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for old, new in REPLACEMENTS[file].items():
        assert text.count(old) == 1, f"{file} has {text.count(old)} times: {old}"
        text = text.replace(old, new)
    return text


def node(symbols):
    """The node of the later version."""
    last = symbol_nodes(symbols)[-1][0]
    return f"\nBACKOFF_{last}.9 {{\n  global:\n    backoff_later;\n}} BACKOFF_{last};\n"


def build(folder, target):
    """Makes the folders `include` and `lib` of the later version in a folder. cargo builds in another."""
    sources = folder / "sources"
    sources.mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name in ("core", "bindings-c"):
            shutil.copytree(path, sources / path.name)
        else:
            (sources / path.name).symlink_to(path)
    (folder / "include").mkdir()
    for file in REPLACEMENTS:
        path = folder if file.startswith("include/") else sources
        (path / file).write_text(replaced(file), encoding="utf-8")
    script = sources / "bindings-c/symbols.map"
    symbols = script.read_text(encoding="utf-8")
    symbols += node(symbols)
    script.write_text(symbols, encoding="utf-8")
    # A debug build is made in seconds. It has the standard library, for its panics.
    build = "cargo rustc --quiet --locked --package bindings-c --crate-type staticlib --target-dir"
    run(*build.split(), target, cwd=sources)
    (folder / "lib").mkdir()
    nodes = symbol_nodes(symbols)
    soname = f"libbackoff.so.{nodes[0][0]}"
    options = ["--gc-sections", f"--version-script={script}", f"-soname={soname}"]
    options += [f"-u={name}" for _, functions, _ in nodes for name in functions]
    libraries = (target / "debug/libbackoff.a", "-lgcc_s", "-lpthread", "-ldl", "-lm")
    linker = [f"-Wl,{option.replace('=', ',', 1)}" for option in options]
    run("cc", "-shared", *linker, *libraries, "-o", folder / "lib" / soname)
    (folder / "lib/libbackoff.so").symlink_to(soname)
