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

/// More than the edits of a slip.
const TOO_MANY: u8 = 3;

/// Appends what an unknown head or key of a text stands for, and returns whether it stands for one.
pub(crate) fn push_meant(kind: TextKind, of_heads: bool, found: &[u8], text: &mut TextBuf) -> bool {
    let (mut unknown, mut length) = ([0; LONGEST], 0_usize);
    for (slot, letter) in unknown.iter_mut().zip(letters(found)) {
        *slot = letter;
        length = length.saturating_add(1);
    }
    let unknown = unknown.get(..length).unwrap_or_default();
    let names = || kind.names(of_heads).map(|name| (edits_or_peer(name, unknown), name));
    let least = names().map(|(count, _)| count).min().unwrap_or(TOO_MANY);
    if least >= TOO_MANY {
        return false;
    }
    let mut lead = " (did you mean ";
    for (_, name) in names().filter(|(count, _)| *count == least) {
        text.push(lead).push(name);
        lead = " or ";
        // Only a name of another library stands for several.
        if least > 0 {
            break;
        }
    }
    text.push("?)");
    true
}

/// The edits to a name, none if it has the unknown one for a peer.
fn edits_or_peer(name: &str, unknown: &[u8]) -> u8 {
    let mut rows = PEERS.iter().filter(|row| row.0 == name);
    let is_peer = rows.any(|row| {
        let mut peers = row.1.as_bytes().split(|&byte| byte == b' ');
        peers.any(|peer| peer == unknown)
    });
    if is_peer { 0 } else { edits(name.as_bytes(), unknown) }
}

/// How many letters of an unknown name are to be added, left out or changed, if it may be a slip.
fn edits(known: &[u8], unknown: &[u8]) -> u8 {
    // Of the beginnings of the unknown name, for one more letter of the known one each time.
    let mut row = [0; LONGEST];
    for (cell, length) in row.iter_mut().zip(1..) {
        *cell = length;
    }
    let (mut length, mut last) = (0_u8, TOO_MANY);
    for letter in letters(known) {
        if length == 0 && unknown.first() != Some(&letter) {
            return TOO_MANY;
        }
        let mut diagonal = length;
        length = length.saturating_add(1);
        last = length;
        for (cell, &other) in row.iter_mut().zip(unknown) {
            let changed = diagonal.saturating_add(u8::from(letter != other));
            diagonal = *cell;
            last = changed.min(diagonal.min(last).saturating_add(1));
            *cell = last;
        }
    }
    if length > 4 || last < 2 { last } else { TOO_MANY }
}

fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    let letters = name.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(u8::to_ascii_lowercase)
}
