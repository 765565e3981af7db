//! The inputs that the fuzzers found worth keeping.

/// The inputs of a target: one a line, in hexadecimal. A line that begins with `#` is a comment.
pub(crate) fn inputs(hex: &str) -> Vec<Vec<u8>> {
    let byte = |hex: &str, at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let bytes = |hex: &str| (0..hex.len()).step_by(2).map(|at| byte(hex, at)).collect();
    let inputs: Vec<_> = hex.lines().filter(|line| !line.starts_with('#')).map(bytes).collect();
    assert!(inputs.len() > 50, "only {} inputs", inputs.len());
    inputs
}
