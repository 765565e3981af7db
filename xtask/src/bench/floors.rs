//! How fast is fast enough: the largest ratio of our time to that of a peer.

/// The largest time.
#[derive(Clone, Copy)]
enum Bound {
    /// As a part of the peer's.
    Ratio(f64),
    /// The peer's, plus this many nanoseconds.
    MoreNs(f64),
}

use Bound::{MoreNs, Ratio};

struct Floor {
    language: &'static str,
    work: &'static str,
    /// The beginning of the peer's name.
    peer: &'static str,
    bound: Bound,
}

const fn floor(
    language: &'static str,
    work: &'static str,
    peer: &'static str,
    bound: Bound,
) -> Floor {
    Floor { language, work, peer, bound }
}

const AS_FAST: Bound = Ratio(1.0);

/// The first that matches counts.
const FLOORS: &[Floor] = &[
    floor("rust", "next", "by hand (fastrand)", Ratio(0.75)),
    floor("rust", "next, proportional", "backon", Ratio(0.5)),
    floor("rust", "next", "tokio-retry", Ratio(0.1)),
    floor("rust", "batch of 1000000", "memset", Ratio(2.5)),
    floor("rust", "loop, success at once", "backon", MoreNs(30.0)),
    floor("rust", "1000 loops", "", AS_FAST),
    floor("c", "next", "an empty call", Ratio(2.2)),
    floor("c", "random access", "by hand", Ratio(3.0)),
    floor("c", "batch of 1000000", "by hand", Ratio(1.2)),
    floor("python", "next", "a C extension", Ratio(1.25)),
    floor("python", "next", "by hand (random.uniform)", Ratio(1.0 / 7.0)),
    floor("python", "next", "backoff (litl)", Ratio(1.0 / 8.0)),
    floor("python", "batch of 1000000", "numpy", Ratio(0.6)),
    floor("python", "list of 1000", "numpy", Ratio(1.2)),
    floor("python", "loop, success at once", "backoff (litl)", AS_FAST),
    floor("python", "loop, success at once", "tenacity", Ratio(1.0 / 5.0)),
    floor("python", "loop, one failure", "backoff (litl)", Ratio(1.0 / 2.0)),
    floor("python", "loop, one failure", "tenacity", Ratio(1.0 / 2.0)),
    floor("python", "1000 loops", "", AS_FAST),
    floor("python", "import", "bare", MoreNs(5e6)),
    floor("js", "next", "by hand (1<<a)", Ratio(1.25)),
    floor("js", "next", "by hand (2**a)", Ratio(0.5)),
    floor("js", "next", "", Ratio(1.0 / 4.0)),
    floor("js", "loop, success at once", "p-retry", AS_FAST),
    floor("js", "loop, success at once", "cockatiel", AS_FAST),
    floor("js", "1000 loops", "", AS_FAST),
    floor("go", "next", "by hand (SplitMix64)", Ratio(1.5)),
    floor("go", "next", "by hand (math/rand)", Ratio(0.6)),
    floor("go", "next, proportional", "cenkalti v7", AS_FAST),
    floor("go", "next, proportional", "cenkalti v4", Ratio(1.0 / 2.0)),
    floor("go", "loop, success at once", "cenkalti v5", AS_FAST),
    floor("go", "new and 3 delays, proportional", "cenkalti v5", AS_FAST),
    floor("go", "1000 loops", "", AS_FAST),
];

/// The largest ratio that is fast enough for a row.
pub(super) fn of(language: &str, work: &str, peer: &str, peer_ns: f64) -> Option<f64> {
    let is_for = |floor: &&Floor| {
        floor.language == language && floor.work == work && peer.starts_with(floor.peer)
    };
    FLOORS.iter().find(is_for).map(|floor| match floor.bound {
        Ratio(ratio) => ratio,
        MoreNs(more) => (peer_ns + more) / peer_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::{FLOORS, of};
    use crate::bench::page;
    use crate::bench::results::Results;

    #[test]
    fn every_floor_is_measured() {
        let results = Results::read(&page::results()).unwrap();
        for floor in FLOORS {
            let is_for = |language: &str, work: &str, peer: &str| {
                floor.language == language && floor.work == work && peer.starts_with(floor.peer)
            };
            let measured =
                results.rows.iter().any(|row| is_for(&row.language, &row.work, &row.peer));
            assert!(measured, "{} {} {}", floor.language, floor.work, floor.peer);
        }
    }

    #[test]
    fn a_floor_is_a_ratio() {
        assert_eq!(of("js", "next", "by hand (2**a)", 9.0), Some(0.5));
        assert_eq!(of("js", "next", "p-retry 7.1.1", 9.0), Some(0.25));
        assert_eq!(of("rust", "loop, success at once", "backon 1.6.0", 10.0), Some(4.0));
        assert_eq!(of("rust", "parse", "backon 1.6.0", 10.0), None);
    }
}
