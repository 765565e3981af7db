//! The policy of a loop, in little memory.

use std::ops::Deref;
use std::sync::Arc;

use backoff_core::ffi::{self, PolicyNumbers, Schedule};
use backoff_core::{Policy, Waits};

/// A policy whose waits of growth in steps are on the heap. Loops and their futures are copied, so they must be
/// small: above 1,032 bytes the allocator of glibc is slow.
#[derive(Clone)]
pub(crate) struct StoredPolicy {
    numbers: PolicyNumbers,
    waits: Option<Arc<Waits>>,
}

impl StoredPolicy {
    #[inline]
    pub(crate) fn get(&self) -> Policy {
        ffi::policy_of_parts(&self.numbers, self.waits.as_deref())
    }

    /// Allows fewer retries than before, which breaks no rule.
    #[cold]
    pub(crate) fn allow_retries(&mut self, most: u64) {
        let policy = self.get();
        *self = policy.to_builder().max_retries(most).build().unwrap_or(policy).into();
    }
}

impl Deref for StoredPolicy {
    type Target = PolicyNumbers;

    #[inline]
    fn deref(&self) -> &PolicyNumbers {
        &self.numbers
    }
}

impl Schedule for StoredPolicy {
    #[inline]
    fn waits(&self) -> &Waits {
        self.waits.as_deref().unwrap_or(&ffi::NO_WAITS)
    }
}

impl From<Policy> for StoredPolicy {
    #[inline]
    fn from(policy: Policy) -> Self {
        let waits = ffi::policy_waits(&policy);
        let waits = (!waits.as_ns().is_empty()).then(|| Arc::new(*waits));
        Self { numbers: *PolicyNumbers::of(&policy), waits }
    }
}
