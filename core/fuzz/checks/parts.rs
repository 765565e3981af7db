//! Any lines as the parts that `backoff merge` reads: each is a part or an error, a part is written as it was read,
//! and parts that add up have a summary.

use backoff_sim::Part;

/// Checks one input of the fuzzer: JSON of parts, one a line, without a checksum, which no fuzzer finds.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let mut parts = Vec::new();
    for line in text.lines().take(8) {
        assert!(Part::from_line(line).is_err() || line.contains("checksum"));
        let Ok(part) = serde_json::from_str::<Part>(line) else { continue };
        let written = part.to_line();
        let again = Part::from_line(&written).expect(&written);
        assert_eq!(again.to_line(), written);
        parts.push(part);
    }
    if let Ok((experiment, totals)) = Part::merge(&parts) {
        let _ = experiment.summary(&totals);
    }
}
