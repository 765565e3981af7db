//! What other libraries call the keys of a policy string, for "did you mean" (SPEC 11.7).

use crate::field::Field;
use crate::text::kind::TextKind;

/// Without the `_` between words.
#[rustfmt::skip]
const PEERS: &[(Field, &str)] = &[
    (Field::Base, "delay min mindelay mintimeout initial initialdelay initialinterval initialbackoff startingdelay interval retrydelay"),
    (Field::Increment, "step"),
    (Field::Multiplier, "factor expbase backofffactor backoffmultiplier timemultiple exponent"),
    (Field::Cap, "max maxdelay maxwait maxtimeout maxinterval maxbackoff backofflimit"),
    (Field::Jitter, "randomize randomizationfactor"),
    (Field::MaxRetries, "retries maxretry limit numretries"),
    (Field::MaxAttempts, "attempts tries maxtries stop numofattempts times"),
    (Field::MaxElapsed, "maxtime maxelapsedtime deadline maxretrytime"),
    (Field::Waits, "delays steps"),
    (Field::AttemptTimeout, "timeout pertrytimeout"),
];

/// The key of a text that is meant by an unknown one.
pub(crate) fn meant_key(kind: TextKind, unknown: &[u8]) -> Option<Field> {
    let is_meant = |name: &[u8]| letters(name).eq(letters(unknown));
    let by_name = |field: Field| is_meant(field.name().as_bytes());
    let by_peer = |field: Field| {
        let mut names = PEERS.iter().filter(|row| row.0 == field).map(|row| row.1.as_bytes());
        names.any(|names| names.split(|&byte| byte == b' ').any(is_meant))
    };
    kind.keys().iter().copied().find(|&key| by_name(key) || by_peer(key))
}

fn letters(name: &[u8]) -> impl Iterator<Item = &u8> {
    name.iter().filter(|byte| !matches!(byte, b'_' | b'-'))
}
