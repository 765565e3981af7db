//! What must hold in every order of the threads.

use loom::sync::Arc;
use loom::thread;

use crate::lock::Locked;

/// Adds one to both words, which are always equal for who holds the lock. Returns whether the lock was not damaged.
fn add(locked: &Locked<2>) -> bool {
    let Some([first, second]) = locked.lock() else { return false };
    assert_eq!(first, second, "a torn state");
    locked.unlock(&[first + 1, second + 1]);
    true
}

/// No change is lost, except by those who were told so; and who was told so is told so again.
pub fn no_change_is_lost(threads: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let locked = Arc::new(Locked::new([0, 0]));
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let locked = Arc::clone(&locked);
                thread::spawn(move || add(&locked))
            })
            .collect();
        let mut changes = u64::from(add(&locked));
        for other in others {
            changes += u64::from(other.join().unwrap());
        }
        match locked.lock() {
            Some(words) => assert_eq!((words, changes), ([changes; 2], threads as u64)),
            None => assert!(changes < threads as u64, "damaged, although nobody gave up"),
        }
    });
}
