//! What is to be exported: the fields of a policy, and a refusal for each that a format has no
//! equivalent of.

use backoff_core::{Budget, Field, FieldValue, MAX_NS, Policy, Ratio, Waits};

use crate::error::{Instead, Refusal};
use crate::fields::shown;
use crate::format::Format;
use crate::text::{MS, decimal, ns};

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

pub(crate) struct Source<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) format: Format,
    /// How many servers nginx has, if that is known.
    pub(crate) servers: Option<u32>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) warnings: Vec<String>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(policy: &'a Policy, format: Format, servers: Option<u32>) -> Self {
        Self { policy, format, servers, refusals: Vec::new(), warnings: Vec::new() }
    }

    /// The nanoseconds of a field: 0 if it is not used, and the longest duration for no limit.
    pub(crate) fn ns(&self, field: Field) -> u64 {
        match self.policy.get(field) {
            Some(FieldValue::NoLimit) => MAX_NS,
            // The first of a list stands for the base, which it does not have.
            None if field == Field::Base => self.policy.window_ns(0),
            value => value.and_then(FieldValue::as_ns).unwrap_or_default(),
        }
    }

    pub(crate) fn kind(&self, field: Field) -> &'static str {
        self.policy.get(field).and_then(FieldValue::as_kind).unwrap_or_default()
    }

    /// The maximum number of retries, if there is one.
    pub(crate) fn max_retries(&self) -> Option<u64> {
        Some(self.policy.max_retries()).filter(|&retries| retries < NO_RETRY_LIMIT)
    }

    /// Tells what the user must know about a text that is exact.
    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Refuses a field, of which nothing is near.
    pub(crate) fn refuse(&mut self, field: Field, reason: impl Into<String>) {
        let value = shown(self.policy, field);
        self.refuse_value(field, value, reason, Instead::Nothing);
    }

    /// Refuses a field; the nearest export has another value of it.
    pub(crate) fn replace(&mut self, field: Field, value: FieldValue, reason: impl Into<String>) {
        self.replace_all(field, &[(field, Some(value))], reason);
    }

    /// Refuses a field; the nearest export has other values of these.
    pub(crate) fn replace_all(
        &mut self,
        field: Field,
        instead: &[(Field, Option<FieldValue>)],
        reason: impl Into<String>,
    ) {
        let value = shown(self.policy, field);
        self.refuse_value(field, value, reason, Instead::Fields(instead.to_vec()));
    }

    /// Refuses a budget; the nearest export has another one, or none.
    pub(crate) fn refuse_budget(
        &mut self,
        budget: &Budget,
        instead: Option<String>,
        reason: impl Into<String>,
    ) {
        let value = budget.text().to_string();
        self.refuse_value(Field::Budget, value, reason, Instead::Budget(instead));
    }

    /// Refuses any budget, for a format that has none.
    pub(crate) fn no_budget(&mut self, budget: Option<&Budget>) {
        if let Some(budget) = budget {
            let reason = "it does not limit the retries of many operations together";
            self.refuse_budget(budget, None, reason);
        }
    }

    fn refuse_value(
        &mut self,
        field: Field,
        value: String,
        reason: impl Into<String>,
        instead: Instead,
    ) {
        let (format, reason) = (self.format, reason.into());
        self.refusals.push(Refusal { format, field, value, reason, instead });
    }

    /// Whether all windows are the base.
    pub(crate) fn is_constant(&self) -> bool {
        let is_one =
            self.policy.get(Field::Multiplier) == Some(FieldValue::Ratio(Ratio::new(1, 1)));
        match self.kind(Field::Growth) {
            "constant" => true,
            "exponential" => is_one || self.ns(Field::Cap) == self.ns(Field::Base),
            _ => false,
        }
    }

    /// The multiplier, which is 1 if all windows are the base; a growth that does not multiply is
    /// refused.
    pub(crate) fn multiplier(&mut self) -> Ratio {
        match self.kind(Field::Growth) {
            _ if self.is_constant() => Ratio::new(1, 1),
            "exponential" => {
                let multiplier = self.policy.get(Field::Multiplier).and_then(FieldValue::as_ratio);
                multiplier.unwrap_or(Ratio::new(1, 1))
            }
            _ => {
                // From the first window to the longest one that the retries reach.
                let cap = self.policy.window_ns(self.last_index()).min(self.ns(Field::Cap));
                let first = self.policy.window_ns(0).max(1);
                let multiplies = [
                    (Field::Growth, Some(FieldValue::Kind("exponential"))),
                    (Field::Base, Some(ns(first))),
                    (Field::Multiplier, Some(FieldValue::Ratio(self.near_multiplier(first, cap)))),
                    (Field::Cap, Some(ns(cap))),
                ];
                let reason = "its windows are constant or multiply";
                self.replace_all(Field::Growth, &multiplies, reason);
                Ratio::new(1, 1)
            }
        }
    }

    /// The least multiplier in tenths with which the windows of a list are as long as its longest when it
    /// is. Other growths are nearer to doubling.
    fn near_multiplier(&self, first: u64, longest: u64) -> Ratio {
        let windows = (0..Waits::MAX).filter_map(|at| u32::try_from(at).ok());
        let last = windows.clone().find(|&at| self.policy.window_ns(at) >= longest);
        let steps = last.filter(|&at| at > 0 && self.kind(Field::Growth) == "steps");
        let reaches = |tenths: &u32| {
            let grow = |ns: u64, _| ns.saturating_mul(u64::from(*tenths)).div_euclid(10);
            steps.is_some_and(|steps| (0..steps).fold(first, grow) >= longest)
        };
        (11..=10_000).find(reaches).map_or(Ratio::new(2, 1), |tenths| Ratio::new(tenths, 10))
    }

    /// The multiplier as a decimal, which is 1 for constant growth.
    pub(crate) fn decimal_multiplier(&mut self) -> String {
        let multiplier = self.multiplier();
        decimal(multiplier).unwrap_or_else(|| {
            self.replace(Field::Multiplier, near_decimal(multiplier), "it takes a decimal");
            String::new()
        })
    }

    /// Refuses the fields that no format has an equivalent of, if they have an effect.
    pub(crate) fn only_common_fields(&mut self) {
        let is_decorrelated = self.kind(Field::Jitter) == "decorrelated";
        if self.ns(Field::Offset) != 0 {
            self.replace(Field::Offset, ns(0), "it adds nothing to a window; set offset=0s");
        }
        if self.kind(Field::CapOn) == "delay" && !is_decorrelated && self.ns(Field::Cap) != MAX_NS {
            self.replace(
                Field::CapOn,
                FieldValue::Kind("window"),
                "its cap is that of the window before jitter; set cap_on=window",
            );
        }
        if self.ns(Field::Floor) != 0 {
            self.replace(Field::Floor, ns(0), "it has no shortest delay; set floor=0s");
        }
        let throttled = self.policy.get(Field::ThrottledBase);
        if throttled.is_some() && throttled != self.policy.get(Field::Base) {
            self.replace_all(
                Field::ThrottledBase,
                &[(Field::ThrottledBase, None)],
                "it waits equally after all failures; remove throttled_base",
            );
        }
        if self.ns(Field::ResetAfter) != MAX_NS {
            let reason = "it counts all retries, however long an attempt ran; set reset_after=none";
            self.replace(Field::ResetAfter, FieldValue::NoLimit, reason);
        }
        if self.kind(Field::ElapsedFrom) != "begin" && self.ns(Field::MaxElapsed) != MAX_NS {
            let reason = "no time of it begins with the first failure; set elapsed_from=begin";
            self.replace(Field::ElapsedFrom, FieldValue::Kind("begin"), reason);
        }
    }

    /// Refuses a `max_elapsed`, for an engine that can only limit the time of all attempts by `other`.
    pub(crate) fn no_max_elapsed(&mut self, other: &str) {
        if self.ns(Field::MaxElapsed) != MAX_NS {
            self.replace(
                Field::MaxElapsed,
                FieldValue::NoLimit,
                format!("{other} also ends an attempt that is under way; set max_elapsed=none"),
            );
        }
    }

    /// The limit of an attempt as a multiple of a unit, if there is one.
    pub(crate) fn attempt_timeout(&mut self, unit: u64, max: u64, counts: &str) -> Option<u64> {
        let limit = Some(self.ns(Field::AttemptTimeout)).filter(|&limit| limit != MAX_NS)?;
        if limit.rem_euclid(unit) != 0 || limit > max {
            let near = next_multiple(limit, unit).min(max);
            self.replace(Field::AttemptTimeout, ns(near), counts);
        }
        Some(limit)
    }

    /// Refuses a limit of an attempt.
    pub(crate) fn no_attempt_timeout(&mut self, reason: &str) {
        if self.ns(Field::AttemptTimeout) != MAX_NS {
            let reason = format!("{reason}; set attempt_timeout=none");
            self.replace(Field::AttemptTimeout, FieldValue::NoLimit, reason);
        }
    }

    /// Refuses a jitter other than `none`.
    pub(crate) fn no_jitter(&mut self) {
        if self.kind(Field::Jitter) != "none" {
            let none = FieldValue::Kind("none");
            self.replace(Field::Jitter, none, "it draws nothing at random; set jitter=none");
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
            let kind = FieldValue::Kind(mode);
            self.replace(Field::RetryAfter, kind, format!("{what}; set retry_after={mode}"));
        }
        if self.ns(Field::RetryAfterMax) != max {
            let reason = format!("{what}; set retry_after_max={wanted}");
            self.replace(Field::RetryAfterMax, ns(max), reason);
        }
        if self.ns(Field::RetryAfterMaxExtra) != extra {
            self.replace(
                Field::RetryAfterMaxExtra,
                ns(extra),
                format!("{what}; set retry_after_max_extra=none"),
            );
        }
    }

    /// Refuses a larger number of retries, or no limit.
    pub(crate) fn retries_at_most(&mut self, max: u64, reason: &str) {
        if self.policy.max_retries() > max {
            self.replace(Field::MaxRetries, FieldValue::Count(max), reason);
        }
    }

    fn last_index(&self) -> u32 {
        let retries = self.max_retries().unwrap_or(NO_RETRY_LIMIT);
        u32::try_from(retries.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The cap of at most `max`, or if there is none, the longest window: a cap that changes no delay,
    /// as long as nobody raises the number of retries beside it.
    pub(crate) fn cap_or_last_window(&mut self, setting: &str, max: u64) -> u64 {
        let cap = self.ns(Field::Cap);
        if self.is_constant() {
            return self.ns(Field::Base);
        }
        if cap != MAX_NS {
            return cap;
        }
        let window = self.policy.window_ns(self.last_index());
        // Some engines count milliseconds, and a longer cap has no effect either.
        let window = window.checked_next_multiple_of(MS).unwrap_or(MAX_NS);
        if self.max_retries().is_none() || window > max {
            self.replace(Field::Cap, ns(max), format!("it needs {setting}; set a cap"));
            return cap;
        }
        if self.policy.max_retries() > 0 {
            self.warn(format!(
                "the policy has no cap, but {} needs {setting}: it is {}, the longest that the \
                 retries reach; raise it if you raise their number",
                self.format.engine(),
                ns(window),
            ));
        }
        window
    }

    /// Refuses a duration that is not a whole number of milliseconds from 1.
    pub(crate) fn whole_ms(&mut self, field: Field) {
        let length = self.ns(field);
        let is_set = field != Field::Cap || (length != MAX_NS && !self.is_constant());
        if is_set && (length == 0 || length.rem_euclid(MS) != 0) {
            self.replace(
                field,
                ns(next_multiple(length, MS)),
                "it counts whole milliseconds, from 1ms",
            );
        }
    }
}

/// The next multiple of a unit from 1: an engine that counts in that unit waits no shorter.
pub(crate) fn next_multiple(ns: u64, unit: u64) -> u64 {
    let last = MAX_NS.saturating_sub(MAX_NS.rem_euclid(unit));
    ns.max(1).checked_next_multiple_of(unit).unwrap_or(last).min(last)
}

/// The next decimal that is a ratio of the core, as a value of a field.
fn near_decimal(ratio: Ratio) -> FieldValue {
    let (numerator, denominator) = (u64::from(ratio.numerator()), u64::from(ratio.denominator()));
    let mut power = Ratio::MAX_TERM;
    loop {
        let next = numerator.saturating_mul(power.into()).div_ceil(denominator.max(1));
        match u32::try_from(next).ok().filter(|&next| next <= Ratio::MAX_TERM || power == 1) {
            Some(next) => return FieldValue::Ratio(Ratio::new(next, power)),
            None => power = power.div_euclid(10).max(1),
        }
    }
}
