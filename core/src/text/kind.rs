//! What a text describes: a policy or a budget (SPEC 11, 15.1).

use crate::field::kind::{BUDGETS, GROWTHS};
use crate::field::{BUDGET_FIELDS, Field, POLICY_FIELDS};
use crate::text::preset::{BUDGET_PRESETS, POLICY_PRESETS, Preset};

/// What a text describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum TextKind {
    /// A [`Policy`](crate::Policy).
    Policy = 1,
    /// A [`Budget`](crate::Budget).
    Budget = 2,
}

impl TextKind {
    /// The fields of a text: the head sets the first, keys set the others.
    pub(crate) const fn fields(self) -> &'static [Field] {
        match self {
            Self::Policy => &POLICY_FIELDS,
            Self::Budget => &BUDGET_FIELDS,
        }
    }

    /// The field that the head sets.
    pub(crate) const fn head_field(self) -> Field {
        match self {
            Self::Policy => Field::Growth,
            Self::Budget => Field::Budget,
        }
    }

    /// The fields that keys set.
    pub(crate) fn keys(self) -> &'static [Field] {
        self.fields().get(1..).unwrap_or_default()
    }

    /// The kinds that a head can name: growths, or kinds of budgets.
    pub(crate) const fn head_kinds(self) -> &'static [&'static str] {
        match self {
            Self::Policy => GROWTHS,
            Self::Budget => BUDGETS,
        }
    }

    /// The presets that a head can name.
    pub(crate) const fn presets(self) -> &'static [Preset] {
        match self {
            Self::Policy => POLICY_PRESETS,
            Self::Budget => BUDGET_PRESETS,
        }
    }

    /// One of the heads, or of the keys; `None` after the last.
    pub(crate) fn name_at(self, of_heads: bool, place: usize) -> Option<&'static str> {
        if !of_heads {
            return self.keys().get(place).map(|key| key.name());
        }
        let kinds = self.head_kinds();
        match place.checked_sub(kinds.len()) {
            Some(place) => self.presets().get(place).map(|preset| preset.name),
            None => kinds.get(place).copied(),
        }
    }
}
