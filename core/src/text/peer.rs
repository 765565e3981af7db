//! What an unknown head or key stands for: "did you mean" (SPEC 11.7).

use crate::text::buffer::TextBuf;
use crate::text::kind::TextKind;

/// What other libraries call heads and keys, without the `_` between words.
#[rustfmt::skip]
const PEERS: &[(&str, &str)] = &[
    ("constant", "fixed const"),
    ("exponential", "exp expo"),
    ("full", "fulljitter"),
    ("equal", "equaljitter"),
    ("decorrelated", "decorrelatedjitter"),
    ("base", "delay min mindelay mintimeout initial initialdelay initialinterval initialbackoff startingdelay interval retrydelay"),
    ("increment", "step"),
    ("multiplier", "factor expbase backofffactor backoffmultiplier timemultiple exponent"),
    ("cap", "max maxdelay maxwait maxtimeout maxinterval maxbackoff backofflimit"),
    ("jitter", "randomize randomizationfactor"),
    ("max_retries", "retries maxretry limit numretries maxtimes backofflimit"),
    ("max_attempts", "attempts tries maxtries stop stopafterattempt numofattempts times"),
    ("max_elapsed", "maxtime maxelapsedtime deadline maxretrytime stopafterdelay"),
    ("waits", "delays steps"),
    ("attempt_timeout", "timeout pertrytimeout"),
    ("max_tokens", "tokens capacity burst"),
    ("ratio", "tokenratio retryratio budgetpercent percentcanretry"),
    ("min_concurrent", "minretryconcurrency"),
];

/// The longest name that is compared, in bytes.
pub(crate) const LONGEST: usize = 32;

/// Appends what an unknown head or key of a text stands for, and returns whether it stands for one.
pub(crate) fn push_meant(kind: TextKind, of_heads: bool, found: &[u8], text: &mut TextBuf) -> bool {
    let (mut unknown, mut length) = ([0; LONGEST], 0_usize);
    for (slot, letter) in unknown.iter_mut().zip(letters(found)) {
        *slot = letter;
        length = length.saturating_add(1);
    }
    let unknown = unknown.get(..length).unwrap_or_default();
    let mut lead = " (did you mean ";
    for name in kind.names(of_heads).filter(|name| is_meant(name, unknown)) {
        text.push(lead).push(name);
        // Only a name of another library stands for several.
        lead = " or ";
    }
    let is_found = lead == " or ";
    if is_found {
        text.push("?)");
    }
    is_found
}

fn is_meant(name: &str, unknown: &[u8]) -> bool {
    let mut rows = PEERS.iter().filter(|row| row.0 == name);
    letters(name.as_bytes()).eq(unknown.iter().copied())
        || rows.any(|row| row.1.as_bytes().split(|&byte| byte == b' ').any(|peer| peer == unknown))
}

fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    let letters = name.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(u8::to_ascii_lowercase)
}
