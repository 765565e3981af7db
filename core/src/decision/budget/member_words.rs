//! A member as plain numbers, for callers that keep it in memory of their own.

use core::array::from_fn;

use crate::decision::budget::counts::RETRIED;
use crate::decision::budget::member::BudgetMember;
use crate::decision::budget::state::BudgetState;

impl BudgetMember {
    /// The length of [`Self::to_words`].
    pub(crate) const WORDS: usize = 2 * BudgetState::WORDS + 19 + 2 * 6 + 6 * RETRIED.len();

    /// The member as plain numbers, in the order of the fields.
    #[expect(clippy::wrong_self_convention, reason = "it is too large to be passed by value")]
    pub(crate) fn to_words(&self) -> [u64; Self::WORDS] {
        let states = self.full.to_words().into_iter().chain(self.local.to_words());
        let scalars = [
            self.max_leased,
            self.fallback,
            self.seen,
            self.counted,
            self.counting,
            self.local_grants,
            self.timeout_ns,
            self.seed,
            self.away_until_ns,
            self.is_exchanging,
            self.began_ns,
            self.exchanges,
            self.lost,
            self.failed_exchanges,
            self.lost_swaps,
            self.local_decisions,
            self.pause_ns,
            self.rest_until_ns,
            self.unsent_since_ns,
        ];
        let events = [self.unsent, self.sent];
        let by_outcome = [
            self.waiting,
            self.asked,
            self.granted,
            self.asked_more,
            self.granted_more,
            self.leased,
        ];
        let rows = events.into_iter().flatten().chain(by_outcome.into_iter().flatten());
        let mut words = states.chain(scalars).chain(rows);
        from_fn(|_| words.next().unwrap_or_default())
    }

    /// The member of such numbers.
    pub(crate) fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        Self {
            full: BudgetState::from_words(&from_fn(|_| next())),
            local: BudgetState::from_words(&from_fn(|_| next())),
            max_leased: next(),
            fallback: next(),
            seen: next(),
            counted: next(),
            counting: next(),
            local_grants: next(),
            timeout_ns: next(),
            seed: next(),
            away_until_ns: next(),
            is_exchanging: next(),
            began_ns: next(),
            exchanges: next(),
            lost: next(),
            failed_exchanges: next(),
            lost_swaps: next(),
            local_decisions: next(),
            pause_ns: next(),
            rest_until_ns: next(),
            unsent_since_ns: next(),
            unsent: from_fn(|_| next()),
            sent: from_fn(|_| next()),
            waiting: from_fn(|_| next()),
            asked: from_fn(|_| next()),
            granted: from_fn(|_| next()),
            asked_more: from_fn(|_| next()),
            granted_more: from_fn(|_| next()),
            leased: from_fn(|_| next()),
        }
    }
}
