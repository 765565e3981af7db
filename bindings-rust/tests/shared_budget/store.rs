//! A store in memory that does what a test says.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard};

use backoff_retry::{BudgetStore, StoreError, Stored};

/// What goes wrong in one call of the store.
pub(crate) enum Fault {
    /// The load fails.
    Load,
    /// The swap fails, before or after the store made it.
    Swap { is_made: bool },
    /// Another process stores this before the swap.
    Race(String),
    /// The load ends when the sender goes.
    Hang(Receiver<()>),
    /// The load panics.
    Panic,
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) now_ns: u64,
    /// The next ones first. Those of loads and those of swaps wait for each other.
    pub(crate) faults: VecDeque<Fault>,
    pub(crate) loads: usize,
    pub(crate) swaps: usize,
}

#[derive(Clone, Default)]
pub(crate) struct Memory(pub(crate) Arc<Mutex<World>>);

impl Memory {
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    pub(crate) fn with_faults(faults: impl IntoIterator<Item = Fault>) -> Self {
        let memory = Self::default();
        memory.world().faults.extend(faults);
        memory
    }

    /// The loads and the swaps so far.
    pub(crate) fn calls(&self) -> (usize, usize) {
        let world = self.world();
        (world.loads, world.swaps)
    }
}

impl BudgetStore for Memory {
    fn load(&mut self, key: &str) -> Result<Stored, StoreError> {
        let mut world = self.world();
        world.loads += 1;
        match world.faults.front() {
            Some(Fault::Load) => {
                world.faults.pop_front();
                return Err("the load failed".into());
            }
            Some(Fault::Panic) => {
                world.faults.pop_front();
                drop(world);
                panic!("the store is broken");
            }
            Some(Fault::Hang(_)) => {
                let Some(Fault::Hang(end)) = world.faults.pop_front() else { unreachable!() };
                drop(world);
                let _ = end.recv();
                world = self.world();
            }
            _ => {}
        }
        Ok(Stored { text: world.texts.get(key).cloned(), now_ns: world.now_ns })
    }

    fn compare_and_swap(
        &mut self,
        key: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError> {
        let mut world = self.world();
        world.swaps += 1;
        let is_swap = matches!(world.faults.front(), Some(Fault::Swap { .. } | Fault::Race(_)));
        let fault = if is_swap { world.faults.pop_front() } else { None };
        if let Some(Fault::Race(text)) = &fault {
            world.texts.insert(key.to_owned(), text.clone());
        }
        let is_expected = world.texts.get(key).map(String::as_str) == expected;
        if is_expected && !matches!(fault, Some(Fault::Swap { is_made: false })) {
            world.texts.insert(key.to_owned(), new.to_owned());
        }
        match fault {
            Some(Fault::Swap { .. }) => Err("no answer to the swap".into()),
            _ => Ok(is_expected),
        }
    }
}
