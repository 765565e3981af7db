//! Reading a policy string or a budget string, `head:key=value,key=value`: the fields that it
//! sets, and where (SPEC 11).

use crate::error::code::ErrorCode;
use crate::error::message::Excerpt;
use crate::error::parse_error::ParseError;
use crate::error::policy_error::PolicyError;
use crate::field::kind::{PROPORTIONAL, number_of};
use crate::field::set::FieldSet;
use crate::field::waits::Waits;
use crate::field::{Field, POLICY_FIELDS};
use crate::number::digits::split;
use crate::parse::value::{Value, ValueError, read};
use crate::text::kind::TextKind;

/// The longest string in bytes.
const MAX_LENGTH: usize = 1024;

/// A string whose values are well formed. The rules of SPEC 8 or 15 are still to be checked.
#[derive(Clone, Copy)]
pub(crate) struct Parsed<'a> {
    kind: TextKind,
    text: &'a [u8],
    head: &'a [u8],
    fields: [FieldSource; POLICY_FIELDS.len()],
    /// The waits, of which `fields` has the number.
    waits: Waits,
}

/// The value that a string sets for a field, and the pair that is the field's own.
#[derive(Clone, Copy, Default)]
struct FieldSource {
    value: Option<u64>,
    pair: Option<Pair>,
}

/// The position of a `key=value` pair, and the lengths of its parts.
#[derive(Clone, Copy)]
struct Pair {
    at: usize,
    key: usize,
    value: usize,
}

type Result<T> = core::result::Result<T, ParseError>;

impl<'a> Parsed<'a> {
    pub(crate) fn read(kind: TextKind, text: &'a [u8]) -> Result<Self> {
        let fields = [FieldSource::default(); POLICY_FIELDS.len()];
        let mut parsed = Self { kind, text, head: &[], fields, waits: Waits::default() };
        if text.len() > MAX_LENGTH {
            return Err(parsed.error(ErrorCode::TextTooLong, None, MAX_LENGTH, &[]));
        }
        let (head, rest) = split(text, b':');
        parsed.head = head;
        if !parsed.set_head() {
            return Err(parsed.error(ErrorCode::UnknownHead, None, 0, head));
        }
        parsed.set_pairs(head.len().saturating_add(1), rest)?;
        Ok(parsed)
    }

    /// The fields of a string, as of a preset, changed by the pairs of a text.
    pub(crate) fn changed(&self, pairs: &'a [u8]) -> Result<Self> {
        let values = self.fields.map(|source| FieldSource { pair: None, ..source });
        let mut parsed = Self { text: pairs, head: &[], fields: values, ..*self };
        if pairs.len() > MAX_LENGTH {
            return Err(parsed.error(ErrorCode::TextTooLong, None, MAX_LENGTH, &[]));
        }
        parsed.set_pairs(0, (!pairs.is_empty()).then_some(pairs))?;
        Ok(parsed)
    }

    fn set_pairs(&mut self, mut at: usize, mut rest: Option<&'a [u8]>) -> Result<()> {
        while let Some(pairs) = rest {
            let (pair, after) = split(pairs, b',');
            self.set_pair(at, pair)?;
            at = at.saturating_add(pair.len()).saturating_add(1);
            rest = after;
        }
        Ok(())
    }

    /// The fields that the string sets.
    pub(crate) fn params(&self) -> FieldSet {
        let mut params = FieldSet::default();
        for &field in self.kind.fields() {
            match self.source(field).value {
                Some(_) if field == Field::Waits => params.set_waits(self.waits),
                Some(value) => params.set(field, value),
                None => {}
            }
        }
        params
    }

    /// The error of a rule of SPEC 8 or 15, at the field that broke it (SPEC 11.6).
    pub(crate) fn locate(&self, error: PolicyError) -> ParseError {
        let PolicyError { code, field, value, limit } = error;
        let (at, length) = match self.source(field) {
            FieldSource { pair: Some(pair), .. } => match code {
                ErrorCode::Unused | ErrorCode::GivenTwice => (pair.at, pair.key),
                _ => (pair.at.saturating_add(pair.key).saturating_add(1), pair.value),
            },
            FieldSource { value: Some(_), .. } => (0, self.head.len()),
            FieldSource { value: None, .. } => (self.text.len(), 0),
        };
        let found = self.text.get(at..at.saturating_add(length)).unwrap_or_default();
        ParseError { value, limit, ..self.error(code, Some(field), at, found) }
    }

    fn error(&self, code: ErrorCode, field: Option<Field>, at: usize, found: &[u8]) -> ParseError {
        let found = Excerpt::new(found);
        ParseError { kind: self.kind, code, field, value: 0, limit: 0, at, found }
    }

    fn source(&self, field: Field) -> FieldSource {
        self.fields.get(field.position()).copied().unwrap_or_default()
    }

    /// Sets the fields of the head, and returns whether there is such a head.
    fn set_head(&mut self) -> bool {
        let number = number_of(self.kind.head_kinds(), self.head);
        if number > 0 {
            if let Some(source) = self.fields.get_mut(self.kind.head_field().position()) {
                source.value = Some(number);
            }
            return true;
        }
        let preset = self.kind.presets().iter().find(|preset| preset.name.as_bytes() == self.head);
        let Some(parsed) =
            preset.and_then(|preset| Parsed::read(self.kind, preset.text.as_bytes()).ok())
        else {
            return false;
        };
        for (source, preset) in self.fields.iter_mut().zip(parsed.fields) {
            source.value = preset.value;
        }
        self.waits = parsed.waits;
        true
    }

    fn set_pair(&mut self, at: usize, pair: &[u8]) -> Result<()> {
        let (key, value) = split(pair, b'=');
        let known = self.kind.keys().iter().find(|field| field.name().as_bytes() == key);
        let Some(&field) = known else {
            return Err(self.error(ErrorCode::UnknownKey, None, at, key));
        };
        let Some(value @ [_, ..]) = value else {
            let end = at.saturating_add(pair.len());
            return Err(self.error(ErrorCode::MissingValue, Some(field), end, &[]));
        };
        let value_at = at.saturating_add(key.len()).saturating_add(1);
        let meaning = read(field, value).map_err(|ValueError { code, start, end }| {
            let found = value.get(start..end).unwrap_or_default();
            self.error(code, Some(field), value_at.saturating_add(start), found)
        })?;

        let pair = Pair { at, key: key.len(), value: value.len() };
        self.unset_head(replaced_by(field));
        let is_new = self.set_meaning(field, &meaning, pair).is_some();
        is_new.then_some(()).ok_or_else(|| self.error(ErrorCode::RepeatedKey, None, at, key))
    }

    /// Sets what the value of a pair means, unless an earlier pair is the field's own.
    fn set_meaning(&mut self, field: Field, meaning: &Value, pair: Pair) -> Option<()> {
        match *meaning {
            Value::Unset => self.set(field, None, pair),
            Value::Number(value) => self.set(field, Some(value), pair),
            Value::Waits(waits) => {
                self.set(field, Some(waits.length()), pair)?;
                self.waits = waits;
                Some(())
            }
            Value::Proportional(ratio) => {
                self.set(field, Some(PROPORTIONAL.into()), pair)?;
                self.set(Field::JitterBelow, Some(ratio), pair)?;
                self.set(Field::JitterAbove, Some(ratio), pair)
            }
        }
    }

    /// Sets a field from a pair, unless an earlier pair is the field's own.
    fn set(&mut self, field: Field, value: Option<u64>, pair: Pair) -> Option<()> {
        let source = self.fields.get_mut(field.position())?;
        if source.pair.is_some() {
            return None;
        }
        *source = FieldSource { value, pair: Some(pair) };
        Some(())
    }

    /// Unsets those of the fields that the head set.
    fn unset_head(&mut self, fields: &[Field]) {
        for &field in fields {
            if let Some(source) = self.fields.get_mut(field.position())
                && source.pair.is_none()
            {
                source.value = None;
            }
        }
    }
}

/// The fields of a head that a pair of this field unsets.
pub(crate) fn replaced_by(field: Field) -> &'static [Field] {
    match field {
        Field::Jitter => &[
            Field::JitterBelow,
            Field::JitterAbove,
            Field::JitterMax,
            Field::JitterIncrement,
            Field::JitterSlot,
        ],
        Field::MaxAttempts => &[Field::MaxRetries],
        _ => &[],
    }
}
