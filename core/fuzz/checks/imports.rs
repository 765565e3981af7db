//! Any text as a configuration of any engine: it gives a policy or an error, and a policy that can be exported is
//! read again from what was exported.

use backoff_core::Policy;
use backoff_export::{ExportOptions, Format, ImportOptions, export_with, import_with};

/// Checks one input of the fuzzer: the number of a format, and the text.
pub(crate) fn check(bytes: &[u8]) {
    let Some((&number, text)) = bytes.split_first() else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    let format = Format::ALL[usize::from(number) % Format::ALL.len()];
    let servers = (number > 127).then_some(3);
    let imported = match import_with(text, format, ImportOptions { at: None, servers }) {
        Ok(imported) => imported,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let (policy, budget) = (imported.policy, imported.budget);
    assert_eq!(Policy::parse(policy.text().as_str()), Ok(policy));
    for nearest in [false, true] {
        let options = ExportOptions { nearest, servers, yaml: number % 2 == 0 };
        let Ok(exported) = export_with(&policy, budget.as_ref(), format, options) else { continue };
        let again = import_with(&exported.text, format, ImportOptions { at: None, servers });
        let again = again.unwrap_or_else(|error| panic!("{error}: {}", exported.text));
        let waits = |policy: Policy| {
            let retries = u32::try_from(policy.max_retries()).unwrap_or(u32::MAX);
            let windows = (0..retries.min(20)).map(move |retry| policy.window_ns(retry));
            (retries, windows.collect::<Vec<_>>())
        };
        assert_eq!(waits(again.policy), waits(exported.policy), "{policy} as {}", exported.text);
    }
}
