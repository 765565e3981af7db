//! What is to be exported: the fields of a policy, and a refusal for each that a format has no
//! equivalent of.

use backoff_core::ffi::{
    POLICY_FIELDS, Params, kind_name, policy_params, ratio_from_value, ratio_value, value_text,
};
use backoff_core::{Budget, Field, MAX_NS, Policy, Ratio};

use crate::error::Refusal;
use crate::format::Format;
use crate::text::{MS, decimal};

/// No limit of `max_retries`.
pub(crate) const NO_RETRY_LIMIT: u64 = 1 << 32;
/// The default of `retry_after_max`.
const HOUR: u64 = 3_600_000_000_000;

/// What an engine does with a wait that the server asks for.
pub(crate) enum Hints {
    /// It waits exactly as long, without a limit. The text names where it reads that.
    Exact(&'static str),
    /// It could read one, but does not.
    Ignored,
    /// No server answers it.
    Never,
}

/// A policy to be exported.
pub(crate) struct Source<'a> {
    pub(crate) policy: &'a Policy,
    params: Params,
    pub(crate) format: Format,
    pub(crate) refusals: Vec<Refusal>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(policy: &'a Policy, format: Format) -> Self {
        Self { policy, params: policy_params(policy), format, refusals: Vec::new() }
    }

    /// The value of a field: nanoseconds, a count, or a ratio or a kind as a number.
    pub(crate) fn get(&self, field: Field) -> u64 {
        self.params.get(field).unwrap_or_default()
    }

    /// The name of a kind.
    pub(crate) fn kind(&self, field: Field) -> &'static str {
        kind_name(field, self.get(field)).unwrap_or_default()
    }

    /// The maximum number of retries, if there is one.
    pub(crate) fn max_retries(&self) -> Option<u64> {
        Some(self.policy.max_retries()).filter(|&retries| retries < NO_RETRY_LIMIT)
    }

    /// Refuses a field.
    pub(crate) fn refuse(&mut self, field: Field, reason: impl Into<String>) {
        let value = shown(&self.params, field);
        self.refuse_value(field, value, reason);
    }

    /// Refuses a budget.
    pub(crate) fn refuse_budget(&mut self, budget: &Budget, reason: impl Into<String>) {
        self.refuse_value(Field::Budget, budget.text().to_string(), reason);
    }

    /// Refuses any budget, for a format that has none.
    pub(crate) fn no_budget(&mut self, budget: Option<&Budget>) {
        if let Some(budget) = budget {
            self.refuse_budget(budget, "it does not limit the retries of many operations together");
        }
    }

    fn refuse_value(&mut self, field: Field, value: String, reason: impl Into<String>) {
        let (format, reason) = (self.format, reason.into());
        self.refusals.push(Refusal { format, field, value, reason });
    }

    /// Whether all windows are the base.
    pub(crate) fn is_constant(&self) -> bool {
        let is_one = self.get(Field::Multiplier) == ratio_value(1, 1);
        match self.kind(Field::Growth) {
            "constant" => true,
            "exponential" => is_one || self.get(Field::Cap) == self.get(Field::Base),
            _ => false,
        }
    }

    /// The multiplier, which is 1 if all windows are the base; a growth that does not multiply is
    /// refused.
    pub(crate) fn multiplier(&mut self) -> Ratio {
        match self.kind(Field::Growth) {
            _ if self.is_constant() => Ratio::new(1, 1),
            "exponential" => ratio_from_value(self.get(Field::Multiplier)),
            _ => {
                self.refuse(Field::Growth, "its windows are constant or multiply");
                Ratio::new(1, 1)
            }
        }
    }

    /// The multiplier as a decimal, which is 1 for constant growth.
    pub(crate) fn decimal_multiplier(&mut self) -> String {
        let multiplier = self.multiplier();
        decimal(multiplier).unwrap_or_else(|| {
            self.refuse(Field::Multiplier, "it takes a decimal");
            String::new()
        })
    }

    /// Refuses the fields that no format has an equivalent of, if they have an effect.
    pub(crate) fn only_common_fields(&mut self) {
        let is_decorrelated = self.kind(Field::Jitter) == "decorrelated";
        if self.get(Field::Offset) != 0 {
            self.refuse(Field::Offset, "it adds nothing to a window; set offset=0s");
        }
        if self.kind(Field::CapOn) == "delay" && !is_decorrelated && self.get(Field::Cap) != MAX_NS
        {
            self.refuse(
                Field::CapOn,
                "its cap is that of the window before jitter; set cap_on=window",
            );
        }
        if self.get(Field::Floor) != 0 {
            self.refuse(Field::Floor, "it has no shortest delay; set floor=0s");
        }
        if self.get(Field::ThrottledBase) != self.get(Field::Base) {
            self.refuse(
                Field::ThrottledBase,
                "it waits equally after all failures; remove throttled_base",
            );
        }
    }

    /// Refuses a `max_elapsed`, for an engine that can only limit the time of all attempts by `other`.
    pub(crate) fn no_max_elapsed(&mut self, other: &str) {
        if self.get(Field::MaxElapsed) != MAX_NS {
            self.refuse(
                Field::MaxElapsed,
                format!("{other} also ends an attempt that is under way; set max_elapsed=none"),
            );
        }
    }

    /// Refuses a jitter other than `none`.
    pub(crate) fn no_jitter(&mut self) {
        if self.kind(Field::Jitter) != "none" {
            self.refuse(Field::Jitter, "it draws nothing at random; set jitter=none");
        }
    }

    /// Refuses fields of `retry_after` that are not what the engine does.
    pub(crate) fn hints(&mut self, hints: &Hints) {
        let (mode, max, extra) = match hints {
            Hints::Exact(_) => ("exact", MAX_NS, MAX_NS),
            Hints::Ignored => ("at_least", 0, MAX_NS),
            Hints::Never => ("at_least", HOUR, MAX_NS),
        };
        let (what, wanted) = match hints {
            Hints::Exact(place) => (format!("it waits exactly as long as {place} says"), "none"),
            Hints::Ignored => ("it does not read Retry-After".to_owned(), "0s"),
            Hints::Never => ("no server can ask it to wait".to_owned(), "1h"),
        };
        if self.kind(Field::RetryAfter) != mode {
            self.refuse(Field::RetryAfter, format!("{what}; set retry_after={mode}"));
        }
        if self.get(Field::RetryAfterMax) != max {
            self.refuse(Field::RetryAfterMax, format!("{what}; set retry_after_max={wanted}"));
        }
        if self.get(Field::RetryAfterMaxExtra) != extra {
            self.refuse(
                Field::RetryAfterMaxExtra,
                format!("{what}; set retry_after_max_extra=none"),
            );
        }
    }

    /// Refuses a number of retries outside this range, or no limit.
    pub(crate) fn retries_within(&mut self, min: u64, max: u64, reason: &str) {
        if !self.max_retries().is_some_and(|retries| (min..=max).contains(&retries)) {
            self.refuse(Field::MaxRetries, reason);
        }
    }

    /// The cap, or if there is none, the longest window: a cap that changes no delay.
    pub(crate) fn cap_or_last_window(&mut self, setting: &str) -> u64 {
        let cap = self.get(Field::Cap);
        if self.is_constant() {
            return self.get(Field::Base);
        }
        if cap != MAX_NS {
            return cap;
        }
        let Some(retries) = self.max_retries() else {
            self.refuse(Field::Cap, format!("it needs {setting}; set a cap"));
            return cap;
        };
        let last = u32::try_from(retries.saturating_sub(1)).unwrap_or(u32::MAX);
        let window = self.policy.window_ns(last);
        // Some engines count milliseconds, and a longer cap has no effect either.
        window.checked_next_multiple_of(MS).filter(|&ns| ns < MAX_NS).unwrap_or(window)
    }

    /// Refuses a duration that is not a whole number of milliseconds from 1.
    pub(crate) fn whole_ms(&mut self, field: Field) {
        let ns = self.get(field);
        let is_set = field != Field::Cap || (ns != MAX_NS && !self.is_constant());
        if is_set && (ns == 0 || ns.rem_euclid(MS) != 0) {
            self.refuse(field, "it counts whole milliseconds, from 1ms");
        }
    }
}

/// The value of a field as policy strings write it.
fn shown(params: &Params, field: Field) -> String {
    let get = |field| params.get(field).unwrap_or_default();
    let value = get(field);
    let below = get(Field::JitterBelow);
    if field == Field::Jitter && below != 0 && below == get(Field::JitterAbove) {
        return value_text(Field::JitterBelow, below).to_string();
    }
    let no_limit = match field {
        Field::MaxRetries => NO_RETRY_LIMIT,
        Field::Cap | Field::MaxElapsed | Field::RetryAfterMax | Field::RetryAfterMaxExtra => MAX_NS,
        _ => u64::MAX,
    };
    if value >= no_limit { "none".to_owned() } else { value_text(field, value).to_string() }
}

/// The first field that differs between policies, with its value in the other one. A jitter, cap or
/// limit that has no effect differs as well.
pub(crate) fn difference(policy: &Policy, other: &Policy) -> Option<(Field, String)> {
    let (params, others) = (policy_params(policy), policy_params(other));
    let field = POLICY_FIELDS.into_iter().find(|&field| params.get(field) != others.get(field))?;
    Some((field, shown(&others, field)))
}
