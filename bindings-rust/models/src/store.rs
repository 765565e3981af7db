//! A store in memory, for several processes.

use std::sync::Arc;

use shuttle::rand::Rng;
use shuttle::sync::{Condvar, Mutex};

use crate::shared_budget::{BudgetStore, StoreError, Stored};
use crate::sync::Instant;

#[derive(Clone, Default)]
pub struct Memory(Arc<World>);

#[derive(Default)]
struct World {
    fails: bool,
    text: Mutex<Option<String>>,
    /// How many connections are open.
    open: Mutex<u32>,
    closed: Condvar,
}

pub struct Connection(Memory);

impl Memory {
    /// A store whose calls fail now and then, perhaps after they did what they should.
    pub fn that_fails() -> Self {
        Self(Arc::new(World { fails: true, ..World::default() }))
    }

    pub fn connect(&self) -> Connection {
        *self.0.open.lock().unwrap() += 1;
        Connection(self.clone())
    }

    /// The tokens of a quota that are left.
    pub fn left(&self) -> Option<u64> {
        let text = self.0.text.lock().unwrap().clone()?;
        text.split(' ').nth(1)?.parse().ok()
    }

    /// Waits until no worker has its connection, for ever if one does not end.
    pub fn wait_until_closed(&self) {
        let mut open = self.0.open.lock().unwrap();
        while *open > 0 {
            open = self.0.closed.wait(open).unwrap();
        }
    }

    fn perhaps_fail(&self) -> Result<(), StoreError> {
        match self.0.fails && shuttle::rand::thread_rng().gen_range(0..4) == 0 {
            true => Err("the connection is lost".into()),
            false => Ok(()),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        *self.0.0.open.lock().unwrap() -= 1;
        self.0.0.closed.notify_all();
    }
}

impl BudgetStore for Connection {
    fn load(&mut self, _: &str) -> Result<Stored, StoreError> {
        self.0.perhaps_fail()?;
        let text = self.0.0.text.lock().unwrap().clone();
        Ok(Stored { text, now_ns: Instant::now().0 })
    }

    fn compare_and_swap(
        &mut self,
        _: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError> {
        self.0.perhaps_fail()?;
        let mut text = self.0.0.text.lock().unwrap();
        let is_expected = text.as_deref() == expected;
        if is_expected {
            *text = Some(new.to_owned());
        }
        drop(text);
        self.0.perhaps_fail()?;
        Ok(is_expected)
    }
}
