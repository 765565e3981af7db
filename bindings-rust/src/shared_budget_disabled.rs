//! Stands in for `shared_budget` without that feature: there is no shared budget.

use std::pin::Pin;
use std::task::{Context, Poll};

use backoff_core::{BudgetEvent, Outcome};

#[derive(Debug, Clone, Copy)]
pub(crate) enum SharedBudget {}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reservation(());

#[derive(Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) granted: Option<Reservation>,
    pub(crate) is_local: bool,
}

pub(crate) struct Ticket(SharedBudget);

impl SharedBudget {
    pub(crate) fn note(self, _: BudgetEvent) {
        match self {}
    }

    pub(crate) fn operation_succeeded(self, _: Reservation) {
        match self {}
    }

    pub(crate) fn request(self, _: Outcome) -> Result<Answer, Ticket> {
        match self {}
    }
}

impl Ticket {
    pub(crate) fn wait(self) -> Answer {
        match self.0 {}
    }
}

impl Future for Ticket {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Answer> {
        match self.0 {}
    }
}
