//! A member as plain numbers, for callers that keep it in memory of their own.

use crate::decision::budget::counts::{ByOutcome, Events, RETRIED};
use crate::decision::budget::member::BudgetMember;
use crate::decision::budget::state::BudgetState;

impl BudgetMember {
    pub(super) fn empty(full: BudgetState, local: BudgetState) -> Self {
        Self {
            full,
            local,
            max_leased: 0,
            fallback: 0,
            seen: 0,
            counted: 0,
            counting: 0,
            local_grants: 0,
            timeout_ns: 0,
            seed: 0,
            away_until_ns: 0,
            is_exchanging: 0,
            began_ns: 0,
            exchanges: 0,
            lost: 0,
            failed_exchanges: 0,
            lost_swaps: 0,
            local_decisions: 0,
            pause_ns: 0,
            rest_until_ns: 0,
            unsent_since_ns: 0,
            unsent: Events::default(),
            sent: Events::default(),
            waiting: ByOutcome::default(),
            asked: ByOutcome::default(),
            granted: ByOutcome::default(),
            asked_more: ByOutcome::default(),
            granted_more: ByOutcome::default(),
            leased: ByOutcome::default(),
        }
    }

    /// The length of [`Self::to_words`].
    pub(crate) const WORDS: usize = 2 * BudgetState::WORDS + 19 + 2 * 6 + 6 * RETRIED.len();

    /// The member as plain numbers.
    #[expect(clippy::wrong_self_convention, reason = "it is too large to be passed by value")]
    pub(crate) fn to_words(&self) -> [u64; Self::WORDS] {
        let states = self.full.to_words().into_iter().chain(self.local.to_words());
        let mut words = [0; Self::WORDS];
        let mut rest = words.iter_mut();
        rest.by_ref().zip(states).for_each(|(word, number)| *word = number);
        let mut member = *self;
        member.each_number(&mut |number| {
            if let Some(word) = rest.next() {
                *word = *number;
            }
        });
        words
    }

    /// The member of such numbers.
    pub(crate) fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        let full = BudgetState::from_words(&core::array::from_fn(|_| next()));
        let local = BudgetState::from_words(&core::array::from_fn(|_| next()));
        let mut member = Self::empty(full, local);
        member.each_number(&mut |number| *number = next());
        member
    }

    /// The numbers beside those of the budgets.
    fn each_number(&mut self, apply: &mut dyn FnMut(&mut u64)) {
        let scalars = [
            &mut self.max_leased,
            &mut self.fallback,
            &mut self.seen,
            &mut self.counted,
            &mut self.counting,
            &mut self.local_grants,
            &mut self.timeout_ns,
            &mut self.seed,
            &mut self.away_until_ns,
            &mut self.is_exchanging,
            &mut self.began_ns,
            &mut self.exchanges,
            &mut self.lost,
            &mut self.failed_exchanges,
            &mut self.lost_swaps,
            &mut self.local_decisions,
            &mut self.pause_ns,
            &mut self.rest_until_ns,
            &mut self.unsent_since_ns,
        ];
        scalars.into_iter().for_each(&mut *apply);
        let rows: [&mut [u64]; 8] = [
            &mut self.unsent,
            &mut self.sent,
            &mut self.waiting,
            &mut self.asked,
            &mut self.granted,
            &mut self.asked_more,
            &mut self.granted_more,
            &mut self.leased,
        ];
        rows.into_iter().flatten().for_each(apply);
    }
}
