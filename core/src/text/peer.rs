//! What an unknown head or key stands for: "did you mean" (SPEC 11.7).

use crate::text::buffer::TextBuf;

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

/// More than the edits of a slip.
const TOO_MANY: u8 = 3;

/// Appends what an unknown name of these stands for, and returns whether it stands for one.
pub(crate) fn push_meant(
    names: impl Iterator<Item = &'static str> + Clone,
    unknown: &[u8],
    text: &mut TextBuf,
) -> bool {
    let is_same = |name: &[u8]| letters(name).eq(letters(unknown));
    let is_peer = |name: &str| {
        let mut rows = PEERS.iter().filter(|row| row.0 == name);
        rows.any(|row| row.1.as_bytes().split(|&byte| byte == b' ').any(is_same))
    };
    let (open, mut lead) = (" (did you mean ", " (did you mean ");
    for name in names.clone().filter(|name| is_same(name.as_bytes()) || is_peer(name)) {
        text.push(lead).push(name);
        lead = " or ";
    }
    if lead == open {
        let nearest = names.map(|name| (edits(name, unknown), name)).min_by_key(|slip| slip.0);
        match nearest {
            Some((count, name)) if count < TOO_MANY => text.push(open).push(name),
            _ => return false,
        };
    }
    text.push("?)");
    true
}

/// How many letters of an unknown name are to be added, left out or changed, if it may be a slip.
fn edits(name: &str, unknown: &[u8]) -> u8 {
    let known = || letters(name.as_bytes());
    if known().next() != letters(unknown).next() {
        return TOO_MANY;
    }
    // Of the beginnings of the unknown name, for one more letter of the known one each time.
    let mut row = [0; 32];
    for (cell, length) in row.iter_mut().zip(1..) {
        *cell = length;
    }
    let (mut empty, mut last) = (0_u8, TOO_MANY);
    for letter in known() {
        let mut diagonal = empty;
        empty = empty.saturating_add(1);
        last = empty;
        for (cell, other) in row.iter_mut().zip(letters(unknown)) {
            let changed = diagonal.saturating_add(u8::from(letter != other));
            diagonal = *cell;
            last = changed.min(diagonal.min(last).saturating_add(1));
            *cell = last;
        }
    }
    let is_long = known().count() > 4;
    if is_long || last < 2 { last } else { TOO_MANY }
}

fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    let letters = name.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(u8::to_ascii_lowercase)
}
