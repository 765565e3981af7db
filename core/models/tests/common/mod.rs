//! What must hold in every order of the threads.

use loom::sync::Arc;
use loom::thread;

use crate::lock::Locked;

/// Adds one to both words, which the holder of the lock always finds equal. Returns false if the lock is damaged.
fn add(locked: &Locked<2>) -> bool {
    let Some([first, second]) = locked.lock() else { return false };
    assert_eq!(first, second, "a torn state");
    locked.unlock(&[first + 1, second + 1]);
    true
}

/// A thread loses a change only if the lock told it so, and a lock that is damaged says so to every later call.
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
