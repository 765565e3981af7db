//! What an unknown head or key stands for: "did you mean" (SPEC 11.7).

use crate::text::buffer::TextBuf;
use crate::text::kind::TextKind;

/// Heads and keys, each with what other libraries call it, without the `_` between words. It is one text, because a
/// table of texts takes more of the WebAssembly.
const PEERS: &str = "\
constant fixed const|\
exponential exp expo|\
full fulljitter|\
equal equaljitter|\
decorrelated decorrelatedjitter|\
base delay min mindelay mintimeout initial initialdelay initialinterval initialbackoff startingdelay interval retrydelay|\
increment step|\
multiplier factor expbase backofffactor backoffmultiplier timemultiple exponent|\
cap max maxdelay maxwait maxtimeout maxinterval maxbackoff backofflimit|\
jitter randomize randomizationfactor|\
max_retries retries maxretry limit numretries maxtimes backofflimit|\
max_attempts attempts tries maxtries stop stopafterattempt numofattempts times|\
max_elapsed maxtime maxelapsedtime deadline maxretrytime stopafterdelay|\
waits delays steps|\
attempt_timeout timeout pertrytimeout|\
max_tokens tokens capacity burst|\
ratio tokenratio retryratio budgetpercent percentcanretry|\
min_concurrent minretryconcurrency";

/// Appends the heads or the keys of a text, or those that an unknown one stands for, after a lead and with a
/// separator. Returns whether there are any.
pub(crate) fn push_names(
    names: (TextKind, bool),
    unknown: Option<&[u8]>,
    [lead, separator]: [&str; 2],
    text: &mut TextBuf,
) -> bool {
    let (kind, of_heads) = names;
    let mut place = 0_usize;
    let mut is_found = false;
    while let Some(name) = kind.name_at(of_heads, place) {
        if unknown.is_none_or(|unknown| is_meant(name, unknown)) {
            text.push(if is_found { separator } else { lead }).push(name);
            is_found = true;
        }
        place = place.saturating_add(1);
    }
    is_found
}

fn is_meant(name: &str, unknown: &[u8]) -> bool {
    let is_peer = |row: &[u8]| {
        let mut words = row.split(|&byte| byte == b' ');
        words.next() == Some(name.as_bytes()) && words.any(|peer| is_same(peer, unknown))
    };
    let mut rows = PEERS.as_bytes().split(|&byte| byte == b'|');
    is_same(name.as_bytes(), unknown) || rows.any(is_peer)
}

// Out of line: its code is long, and two places ask it.
#[inline(never)]
fn is_same(name: &[u8], found: &[u8]) -> bool {
    letters(name).eq(letters(found))
}

fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    let letters = name.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(u8::to_ascii_lowercase)
}
