//! What all kinds of budgets share: the configuration, the state, and how levels change.

use crate::field::values::FieldValues;
use crate::field::{BUDGET_FIELDS, Field};
use crate::number::ratio::Ratio;

/// The state of a budget: the levels of the ten slices of a `ttl` and the number of the latest
/// slice. Other kinds use fewer numbers.
pub(super) type State = [u64; STATE];
pub(super) const STATE: usize = 11;

/// The values of a budget's fields: 0 for a field that its kind does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct BudgetConfig(pub(super) [u64; BUDGET_FIELDS.len()]);

impl BudgetConfig {
    pub(super) fn from_values(values: &FieldValues) -> Self {
        Self(BUDGET_FIELDS.map(|field| values.get(field)))
    }

    pub(super) fn values(&self) -> FieldValues {
        let mut values = FieldValues::default();
        for field in BUDGET_FIELDS {
            values.set(field, self.get(field));
        }
        values
    }

    pub(super) fn get(&self, field: Field) -> u64 {
        self.0.get(field.position()).copied().unwrap_or_default()
    }

    /// The ratio, which is in lowest terms.
    pub(super) fn ratio(&self) -> Ratio {
        Ratio::from_reduced(self.get(Field::Ratio))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "kinds are small; memory from C may hold anything, and every value is handled"
    )]
    pub(super) fn kind(&self) -> u32 {
        self.get(Field::Budget) as u32
    }
}

/// Spends a cost from a level as often as it is high enough, and returns how often.
pub(super) fn spend(level: &mut u64, cost: u64, times: u64) -> u64 {
    let spent = level.checked_div(cost).map_or(times, |affordable| affordable.min(times));
    *level = level.saturating_sub(spent.saturating_mul(cost));
    spent
}

/// Adds to a level, up to a capacity.
pub(super) fn earn(level: &mut u64, amount: u64, capacity: u64) {
    *level = level.saturating_add(amount).min(capacity);
}
