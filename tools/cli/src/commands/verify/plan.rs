//! What is asked, and what cannot be asked.

use serde::Serialize;

use super::case::Case;
use super::clauses;

/// Vectors that have no request.
#[derive(Serialize)]
pub(crate) struct Unchecked {
    pub(crate) clause: &'static str,
    pub(crate) count: usize,
    pub(crate) what: &'static str,
    pub(crate) why: &'static str,
}

/// All requests, by clause, and the vectors that have none.
pub(crate) struct Plan {
    pub(crate) cases: Vec<Case>,
    pub(crate) unchecked: Vec<Unchecked>,
}

impl Plan {
    pub(crate) const EMPTY: Self = Self { cases: Vec::new(), unchecked: Vec::new() };

    /// Leaves the requests of some clauses.
    pub(crate) fn only(&mut self, clauses: &[String]) {
        let is_kept = |clause| clauses.iter().any(|outer| clauses::is_within(clause, outer));
        self.cases.retain(|case| is_kept(case.clause));
        self.unchecked.retain(|unchecked| is_kept(unchecked.clause));
    }

    /// Leaves the requests whose answers have some of these members, and compares only those.
    pub(crate) fn only_members(&mut self, members: &[String]) {
        let cases = std::mem::take(&mut self.cases);
        self.cases = cases.into_iter().filter_map(|case| case.part(members)).collect();
        self.unchecked.clear();
    }

    /// Counts vectors that have no request.
    pub(crate) fn skip(
        &mut self,
        clause: &'static str,
        count: usize,
        what: &'static str,
        why: &'static str,
    ) {
        let known = self.unchecked.iter_mut().find(|other| (other.what, other.why) == (what, why));
        match known {
            Some(known) => known.count += count,
            None if count == 0 => {}
            None => self.unchecked.push(Unchecked { clause, count, what, why }),
        }
    }
}
