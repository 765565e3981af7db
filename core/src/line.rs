//! Reading a line, `head:key=value,key=value`: the fields that it gives, and where (SPEC 11).

use crate::error::{ErrorCode, PolicyError};
use crate::field::{Field, Unit};
use crate::kind::{BUDGETS, GROWTHS, PROPORTIONAL};
use crate::params::Params;
use crate::parse_error::{Found, ParseError};
use crate::preset::{BUDGET_PRESETS, POLICY_PRESETS, Preset};
use crate::ratio::{Ratio, RatioError};
use crate::rules::Words;
use crate::text::Text;
use crate::value::{self, split};

/// What a line describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum LineKind {
    /// A [`Policy`](crate::Policy).
    Policy = 1,
    /// A [`Budget`](crate::Budget).
    Budget = 2,
}

impl LineKind {
    /// The fields that a line can give: the first by its head, the others by their keys.
    pub(crate) const fn fields(self) -> &'static [Field] {
        match self {
            Self::Policy => &Field::ALL,
            Self::Budget => &Field::BUDGET,
        }
    }

    pub(crate) fn keys(self) -> &'static [Field] {
        self.fields().get(1..).unwrap_or_default()
    }

    /// The growths of a policy, the kinds of a budget.
    const fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Policy => GROWTHS,
            Self::Budget => BUDGETS,
        }
    }

    const fn presets(self) -> &'static [Preset] {
        match self {
            Self::Policy => POLICY_PRESETS,
            Self::Budget => BUDGET_PRESETS,
        }
    }

    /// The names that a line can begin with.
    pub(crate) fn heads(self) -> impl Iterator<Item = &'static str> {
        let kinds = self.kinds().iter().copied();
        kinds.chain(self.presets().iter().map(|preset| preset.name))
    }
}

/// The line of what has these words (SPEC 11.8).
pub(crate) fn print(kind: LineKind, words: &Words) -> Text {
    let part = words.get(Field::JitterBelow);
    let is_one_part = part == words.get(Field::JitterAbove) && words.uses(Field::JitterBelow);
    let mut text = Text::new();
    let mut separator = ":";
    if let Some(head) = kind.fields().first() {
        text.push_word(head.unit(), words.get(*head));
    }
    for &field in kind.keys() {
        let unit = match field {
            Field::JitterBelow | Field::JitterAbove if is_one_part => continue,
            Field::Jitter if is_one_part => Unit::Ratio,
            _ => field.unit(),
        };
        if words.shows(field) {
            let word =
                if unit == Unit::Ratio && field == Field::Jitter { part } else { words.get(field) };
            text.push(separator).push(field.name()).push("=").push_word(unit, word);
            separator = ",";
        }
    }
    text
}

/// The longest line in bytes.
const LONGEST: usize = 1024;

/// A line that was read: its fields are well formed, but not yet held against SPEC 8 or 15.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    kind: LineKind,
    text: &'a [u8],
    head: &'a [u8],
    fields: [Given; Field::ALL.len()],
}

/// What a line gives to one field, and the pair that is its own.
#[derive(Clone, Copy, Default)]
struct Given {
    word: Option<u64>,
    pair: Option<Pair>,
}

/// Where a pair begins, and the lengths of its parts.
#[derive(Clone, Copy)]
struct Pair {
    at: usize,
    key: usize,
    value: usize,
}

type Parsed<T> = Result<T, ParseError>;

impl<'a> Line<'a> {
    pub(crate) fn read(kind: LineKind, text: &'a [u8]) -> Parsed<Self> {
        let (head, pairs) = split(text, b':');
        let mut line = Self { kind, text, head, fields: [Given::default(); Field::ALL.len()] };
        if text.len() > LONGEST {
            return Err(line.error(ErrorCode::TextTooLong, None, LONGEST, &[]));
        }
        if !line.take_head() {
            return Err(line.error(ErrorCode::UnknownHead, None, 0, head));
        }
        let mut rest = pairs;
        let mut at = head.len().saturating_add(1);
        while let Some(pairs) = rest {
            let (pair, after) = split(pairs, b',');
            line.take_pair(at, pair)?;
            at = at.saturating_add(pair.len()).saturating_add(1);
            rest = after;
        }
        Ok(line)
    }

    /// The fields that were given.
    pub(crate) fn params(&self) -> Params {
        let mut params = Params::default();
        for &field in self.kind.fields() {
            if let Some(word) = self.fields.get(field.position()).and_then(|given| given.word) {
                params.set(field, word);
            }
        }
        params
    }

    /// The error of a rule that a field broke (SPEC 11.6).
    pub(crate) fn refused(&self, error: PolicyError) -> ParseError {
        let PolicyError { code, field, value, limit } = error;
        let given = self.fields.get(field.position()).copied().unwrap_or_default();
        let (at, length) = match given {
            Given { pair: Some(pair), .. } => match code {
                ErrorCode::Unused | ErrorCode::GivenTwice => (pair.at, pair.key),
                _ => (pair.at.saturating_add(pair.key).saturating_add(1), pair.value),
            },
            Given { word: Some(_), .. } => (0, self.head.len()),
            Given { word: None, .. } => (self.text.len(), 0),
        };
        let found = self.text.get(at..at.saturating_add(length)).unwrap_or_default();
        ParseError { value, limit, ..self.error(code, Some(field), at, found) }
    }

    fn error(&self, code: ErrorCode, field: Option<Field>, at: usize, found: &[u8]) -> ParseError {
        let found = Found::new(found);
        ParseError { kind: self.kind, code, field, value: 0, limit: 0, at, found }
    }

    fn set(&mut self, field: Field, word: Option<u64>) {
        let position = field.position();
        if let Some(given) = self.fields.get_mut(position) {
            given.word = word;
        }
    }

    /// Gives what the head gives, if there is such a head.
    fn take_head(&mut self) -> bool {
        let head = self.head;
        if let Some(first) = self.kind.fields().first()
            && let number @ 1.. = number_of(self.kind.kinds().iter().copied(), head)
        {
            self.set(*first, Some(number));
            return true;
        }
        let preset = self.kind.presets().iter().find(|preset| preset.name.as_bytes() == head);
        let Some(line) =
            preset.and_then(|preset| Line::read(self.kind, preset.line.as_bytes()).ok())
        else {
            return false;
        };
        for (given, preset) in self.fields.iter_mut().zip(line.fields) {
            given.word = preset.word;
        }
        true
    }

    fn take_pair(&mut self, at: usize, pair: &[u8]) -> Parsed<()> {
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
        let given = read_value(field, value).map_err(|Bad { code, from, to }| {
            let found = value.get(from..to).unwrap_or_default();
            self.error(code, Some(field), value_at.saturating_add(from), found)
        })?;

        let place = Pair { at, key: key.len(), value: value.len() };
        if field == Field::Jitter {
            self.take_back(&[
                Field::JitterBelow,
                Field::JitterAbove,
                Field::JitterMax,
                Field::JitterIncrement,
                Field::JitterSlot,
            ]);
        }
        if field == Field::MaxAttempts {
            self.take_back(&[Field::MaxRetries]);
        }
        let repeated = self.error(ErrorCode::RepeatedKey, None, at, key);
        let mut give = |field, word| self.give(field, word, place).ok_or(repeated);
        match given {
            Value::None => give(field, None),
            Value::Word(word) => give(field, Some(word)),
            Value::Proportional(word) => {
                give(field, Some(PROPORTIONAL.into()))?;
                give(Field::JitterBelow, Some(word))?;
                give(Field::JitterAbove, Some(word))
            }
        }
    }

    /// Gives a field its word, unless an earlier pair was the field's own.
    fn give(&mut self, field: Field, word: Option<u64>, pair: Pair) -> Option<()> {
        let position = field.position();
        let given = self.fields.get_mut(position)?;
        if given.pair.is_some() {
            return None;
        }
        *given = Given { word, pair: Some(pair) };
        Some(())
    }

    /// Takes back what the head gave to these fields.
    fn take_back(&mut self, fields: &[Field]) {
        for &field in fields {
            let position = field.position();
            if let Some(given) = self.fields.get_mut(position)
                && given.pair.is_none()
            {
                given.word = None;
            }
        }
    }
}

/// The value of a key, in the form of its field's unit.
fn read_value(field: Field, value: &[u8]) -> Result<Value, Bad> {
    let whole = |code| Bad { code, from: 0, to: value.len() };
    // Jitter, too, is none where it is not given.
    if value == b"none" {
        return Ok(Value::None);
    }
    match field.unit() {
        Unit::Duration => value::duration(value).map(Value::Word),
        Unit::Count => value::count(value).map(Value::Word).ok_or(whole(ErrorCode::NotACount)),
        Unit::Ratio => ratio(value).map(Value::Word).map_err(whole),
        Unit::Kind(_)
            if field == Field::Jitter && value.first().is_some_and(u8::is_ascii_digit) =>
        {
            ratio(value).map(Value::Proportional).map_err(whole)
        }
        Unit::Kind(names) => match number_of(names.iter().copied(), value) {
            0 => Err(whole(ErrorCode::UnknownKind)),
            number => Ok(Value::Word(number)),
        },
    }
}

/// What a value is.
enum Value {
    None,
    Word(u64),
    /// Jitter as one ratio.
    Proportional(u64),
}

/// Why a value is none, and which part of it.
pub(crate) struct Bad {
    pub(crate) code: ErrorCode,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

fn ratio(text: &[u8]) -> Result<u64, ErrorCode> {
    match Ratio::of_text(text) {
        Ok(ratio) => Ok(ratio.to_word()),
        Err(RatioError::Syntax) => Err(ErrorCode::NotARatio),
        Err(RatioError::ZeroDenominator) => Err(ErrorCode::ZeroDenominator),
        Err(RatioError::TooFine) => Err(ErrorCode::RatioTooFine),
    }
}

/// The position of a name, counted from 1, or 0.
fn number_of(names: impl Iterator<Item = &'static str>, name: &[u8]) -> u64 {
    (1..).zip(names).find(|(_, known)| known.as_bytes() == name).map_or(0, |(number, _)| number)
}
