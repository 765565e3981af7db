//! The clock of a shared budget: monotonic, the same for all processes, and it survives a reboot.

use std::fs;
use std::time::SystemTime;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The system's clocks.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// Names the boot of the system since which `monotonic_ns` counts; empty if it has no name.
    boot: String,
    monotonic_ns: i64,
    /// Since 1970.
    wall_ns: u64,
}

/// The clock. It goes with the monotonic clock of the system, from 0 when the file was created.
/// When that clock begins again, the time between the last use and now is that of the wall clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Clock {
    boot: String,
    /// This clock less the monotonic one.
    offset_ns: i64,
    /// The last time of this clock, and of the wall clock.
    last_ns: i64,
    wall_ns: u64,
}

impl Reading {
    pub(super) fn now() -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let time = clock_gettime(ClockId::Monotonic);
        let monotonic_ns = time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec);
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let wall_ns = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
        Self { boot: boot.trim().to_owned(), monotonic_ns, wall_ns }
    }
}

impl Clock {
    pub(super) fn new(reading: &Reading) -> Self {
        let Reading { boot, monotonic_ns, wall_ns } = reading.clone();
        Self { boot, offset_ns: 0_i64.saturating_sub(monotonic_ns), last_ns: 0, wall_ns }
    }

    /// The time now in nanoseconds.
    pub(super) fn advance(&mut self, reading: &Reading) -> u64 {
        let Reading { boot, monotonic_ns, wall_ns } = reading;
        let now_ns = monotonic_ns.saturating_add(self.offset_ns);
        if *boot != self.boot || now_ns < self.last_ns {
            let passed_ns = wall_ns.saturating_sub(self.wall_ns).try_into().unwrap_or(i64::MAX);
            self.last_ns = self.last_ns.saturating_add(passed_ns);
            self.offset_ns = self.last_ns.saturating_sub(*monotonic_ns);
            self.boot.clone_from(boot);
        } else {
            self.last_ns = now_ns;
        }
        self.wall_ns = *wall_ns;
        u64::try_from(self.last_ns).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Reading};

    fn reading(boot: &str, monotonic_ns: i64, wall_ns: u64) -> Reading {
        Reading { boot: boot.to_owned(), monotonic_ns, wall_ns }
    }

    #[test]
    fn it_goes_with_the_monotonic_clock() {
        let mut clock = Clock::new(&reading("a", 1_000, 50));
        assert_eq!(clock.advance(&reading("a", 1_000, 50)), 0);
        assert_eq!(clock.advance(&reading("a", 1_007, 99)), 7);
        // The wall clock is set back.
        assert_eq!(clock.advance(&reading("a", 1_010, 3)), 10);
    }

    #[test]
    fn after_a_reboot_it_goes_on_with_the_wall_clock() {
        for boot in ["b", ""] {
            let mut clock = Clock::new(&reading("", 1_000, 50));
            assert_eq!(clock.advance(&reading("", 1_100, 150)), 100);
            assert_eq!(clock.advance(&reading(boot, 4, 190)), 140);
            assert_eq!(clock.advance(&reading(boot, 9, 191)), 145);
        }
    }

    #[test]
    fn it_never_goes_back() {
        let mut clock = Clock::new(&reading("a", 1_000, 50));
        assert_eq!(clock.advance(&reading("a", 1_100, 150)), 100);
        assert_eq!(clock.advance(&reading("b", 5, 20)), 100);
        assert_eq!(clock.advance(&reading("b", 6, 21)), 101);
    }
}
