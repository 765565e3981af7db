//! Reading JSON and YAML, with the place of every error.

use std::fmt;

use backoff_core::{MAX_NS, Ratio};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::ImportError;
use crate::text::cut;
use crate::yaml;

/// A value of a text, and its place.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    value: &'a Value,
    pub(crate) at: String,
}

/// An object of a text.
#[derive(Clone)]
pub(crate) struct Object<'a> {
    members: &'a Map<String, Value>,
    pub(crate) at: String,
}

/// The value of a text in JSON or YAML: an array of the documents, if they are not one.
pub(crate) fn parse(text: &str) -> Result<Value, ImportError> {
    let error = match serde_json::from_str(text) {
        Ok(Unambiguous(value)) => return Ok(value),
        // It is JSON.
        Err(error) if error.is_data() => return Err(ImportError::new("", error.to_string())),
        Err(error) => error,
    };
    let what = match yaml::parse(text) {
        Ok(mut documents)
            if documents.iter().all(|value| value.is_object() || value.is_array()) =>
        {
            match (documents.pop(), documents.is_empty()) {
                (Some(document), true) => return Ok(document),
                (Some(last), false) => {
                    documents.push(last);
                    return Ok(Value::Array(documents));
                }
                (None, _) => "it is empty".to_owned(),
            }
        }
        Ok(_) => "it is only a word".to_owned(),
        Err(error) => error,
    };
    Err(ImportError::new("", format!("not JSON ({error}) and not YAML ({what})")))
}

/// A value of JSON whose objects have each key once. `Value` would take the last one.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UnambiguousVisitor).map(Self)
    }
}

struct UnambiguousVisitor;

impl<'de> Visitor<'de> for UnambiguousVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unambiguous(value)) = access.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(repeated(&name)));
            }
            let Unambiguous(value) = access.next_value()?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

/// Why an object with the same key twice is refused.
pub(crate) fn repeated(name: &str) -> String {
    format!("the key \"{}\" is repeated", cut(name))
}

pub(crate) fn root(value: &Value) -> Node<'_> {
    Node { value, at: String::new() }
}

impl<'a> Node<'a> {
    /// All objects of the text, each before those inside it.
    pub(crate) fn objects(&self) -> Vec<Object<'a>> {
        let mut found = Vec::new();
        let inside: Vec<Self> = match self.value {
            Value::Object(members) => {
                let object = Object { members, at: self.at.clone() };
                let nodes = members.iter().map(|(name, value)| object.node(name, value)).collect();
                found.push(object);
                nodes
            }
            Value::Array(_) => self.array().unwrap_or_default(),
            _ => return found,
        };
        found.extend(inside.iter().flat_map(Self::objects));
        found
    }

    pub(crate) fn error(&self, reason: impl Into<String>) -> ImportError {
        ImportError::new(&*self.at, reason)
    }

    fn unexpected(&self, expected: &str) -> ImportError {
        self.error(format!("{} is not {expected}", cut(&self.value.to_string())))
    }

    /// The value as a warning shows it.
    pub(crate) fn shown(&self) -> String {
        cut(&self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned))
    }

    pub(crate) fn object(&self) -> Result<Object<'a>, ImportError> {
        let members = self.value.as_object().ok_or_else(|| self.unexpected("an object"))?;
        Ok(Object { members, at: self.at.clone() })
    }

    pub(crate) fn array(&self) -> Result<Vec<Self>, ImportError> {
        let values = self.value.as_array().ok_or_else(|| self.unexpected("an array"))?;
        let at = |position| format!("{}[{position}]", self.at);
        Ok(values.iter().enumerate().map(|(n, value)| Self { value, at: at(n) }).collect())
    }

    pub(crate) fn text(&self) -> Result<&'a str, ImportError> {
        self.value.as_str().ok_or_else(|| self.unexpected("a string"))
    }

    /// A whole number in a range.
    pub(crate) fn count(&self, min: u64, max: u64) -> Result<u64, ImportError> {
        let number = self.value.as_number().map(ToString::to_string);
        let number = number.and_then(|number| number.trim_end_matches(".0").parse().ok());
        number
            .filter(|number| (min..=max).contains(number))
            .ok_or_else(|| self.unexpected(&format!("a whole number from {min} to {max}")))
    }

    pub(crate) fn ratio(&self) -> Result<Ratio, ImportError> {
        let number =
            self.value.as_number().and_then(|number| Ratio::parse(number.to_string()).ok());
        number.ok_or_else(|| self.unexpected("a decimal from 0 with at most 6 decimals"))
    }

    /// A number of percent.
    pub(crate) fn percent(&self) -> Result<Ratio, ImportError> {
        let number = self.value.as_number();
        let ratio = number.and_then(|number| Ratio::parse(format!("{number}%")).ok());
        ratio.ok_or_else(|| self.unexpected("a percentage from 0 with at most 4 decimals"))
    }

    /// The nanoseconds of a string that `read` understands.
    pub(crate) fn duration(&self, read: fn(&str) -> Option<u64>) -> Result<u64, ImportError> {
        let ns = self.value.as_str().and_then(read).filter(|&ns| ns <= MAX_NS);
        ns.ok_or_else(|| self.unexpected("a duration such as \"0.1s\", up to 292 years"))
    }
}

impl<'a> Object<'a> {
    pub(crate) fn error(&self, reason: impl Into<String>) -> ImportError {
        ImportError::new(&*self.at, reason)
    }

    fn node(&self, name: &str, value: &'a Value) -> Node<'a> {
        let name = cut(name);
        let at = if self.at.is_empty() { name } else { format!("{}.{name}", self.at) };
        Node { value, at }
    }

    /// A member, unless it is missing or null. Protocol Buffers name it in two ways: `max_tokens`
    /// and `maxTokens`.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'a>> {
        let other = camel_case(name);
        let name = if self.members.contains_key(name) { name } else { &other };
        let value = self.members.get(name).filter(|value| !value.is_null())?;
        Some(self.node(name, value))
    }

    /// What a member says, unless it is missing or null.
    pub(crate) fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Node<'a>) -> Result<T, ImportError>,
    ) -> Result<Option<T>, ImportError> {
        self.get(name).map(|node| read(&node)).transpose()
    }

    /// A member that must be there.
    pub(crate) fn need(&self, name: &str) -> Result<Node<'a>, ImportError> {
        self.get(name).ok_or_else(|| self.error(format!("{name} is missing")))
    }

    pub(crate) fn need_object(&self, name: &str) -> Result<Object<'a>, ImportError> {
        self.need(name)?.object()
    }

    /// The names of all members, as an error shows them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.members.keys().map(|name| cut(name)).collect()
    }

    /// Refuses members that may change the delays, because nobody here knows them or they are there by
    /// both names.
    pub(crate) fn only(&self, names: &[&str]) -> Result<(), ImportError> {
        let is_known = |found: &&String| {
            names.iter().any(|name| *found == name || **found == camel_case(name))
        };
        if let Some((name, value)) = self.members.iter().find(|(name, _)| !is_known(name)) {
            return Err(self.node(name, value).error("unknown setting"));
        }
        for (name, value) in self.members {
            let other = camel_case(name);
            if other != *name && self.members.contains_key(&other) {
                let reason = format!("it is also set as \"{other}\"");
                return Err(self.node(name, value).error(reason));
            }
        }
        Ok(())
    }
}

/// The name of a member in the JSON of Protocol Buffers.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}
