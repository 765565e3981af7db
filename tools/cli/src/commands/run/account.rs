//! The content of a budget file: a line with the budget, and one with the text of the account.

/// The longest content that is read. No account is longer.
pub(crate) const MAX_BYTES: u64 = 4096;

pub(crate) const DAMAGED: &str = "damaged; remove it to begin with a full budget";

/// The key of an account without a name.
const KEY: &str = "backoff:";

#[cfg(unix)]
pub(super) fn content(budget: &str, account: &str) -> String {
    format!("{KEY}{budget}\n{account}\n")
}

/// The budget and the account in the content of a file, if it is one.
pub(crate) fn parts(content: &[u8]) -> Option<(&str, &str)> {
    let content = str::from_utf8(content).ok()?.strip_prefix(KEY)?;
    let (budget, account) = content.split_once('\n').unwrap_or((content, ""));
    Some((budget, account.strip_suffix('\n').unwrap_or_default()))
}
