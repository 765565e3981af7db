//! Reading YAML 1.2: its documents as values of JSON.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::json::repeated;

/// No configuration has as many values. Aliases can repeat a few lines a million times.
const MAX_VALUES: usize = 200_000;

/// The documents of a text, or why it has none.
pub(crate) fn parse(text: &str) -> Result<Vec<Value>, String> {
    let mut documents = Vec::new();
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        let line = span.start.line();
        let done = builder.add(event).map_err(|reason| format!("{reason} at line {line}"))?;
        // A document without content, as before a first `---`, says nothing.
        documents.extend(done.filter(|value| !value.is_null()));
    }
    Ok(documents)
}

/// A value that is not complete.
enum Open {
    Array(Vec<Value>),
    /// With the key whose value comes next.
    Object(Map<String, Value>, Option<String>),
}

/// The values of a document so far.
#[derive(Default)]
struct Builder {
    /// Each with its anchor, which is 0 for none.
    open: Vec<(Open, usize)>,
    anchors: HashMap<usize, Value>,
    count: usize,
}

impl Builder {
    /// Takes one event. Returns the value of the document if it is complete.
    fn add(&mut self, event: Event<'_>) -> Result<Option<Value>, String> {
        let (value, anchor) = match event {
            Event::SequenceStart(_, anchor, _) => {
                self.open.push((Open::Array(Vec::new()), anchor));
                return Ok(None);
            }
            Event::MappingStart(_, anchor, _) => {
                self.open.push((Open::Object(Map::new(), None), anchor));
                return Ok(None);
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((Open::Array(values), anchor)) => (Value::Array(values), anchor),
                Some((Open::Object(members, _), anchor)) => (merged(members)?, anchor),
                None => return Ok(None),
            },
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain
                    || tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
                let value = if is_text { Value::String(text.into()) } else { plain(&text) };
                (value, anchor)
            }
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).ok_or("an alias within its own anchor")?;
                self.count = self.count.saturating_add(size(value));
                let value = if self.count > MAX_VALUES { Value::Null } else { value.clone() };
                (value, 0)
            }
            _ => return Ok(None),
        };
        self.count = self.count.saturating_add(1);
        if self.count > MAX_VALUES {
            return Err(format!("more than {MAX_VALUES} values"));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some((Open::Array(values), _)) => values.push(value),
            Some((Open::Object(members, key), _)) => match key.take() {
                None => *key = Some(key_text(value)?),
                Some(name) if members.contains_key(&name) => {
                    return Err(repeated(&name));
                }
                Some(name) => {
                    members.insert(name, value);
                }
            },
        }
        Ok(None)
    }
}

/// How many values a value consists of.
fn size(value: &Value) -> usize {
    let inside: usize = match value {
        Value::Array(values) => values.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0,
    };
    inside.saturating_add(1)
}

/// A key of an object.
fn key_text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Array(_) | Value::Object(_) => Err("a key that is not a text".to_owned()),
        other => Ok(other.to_string()),
    }
}

/// An object with the members of its key `<<`, which those beside it replace.
fn merged(mut members: Map<String, Value>) -> Result<Value, String> {
    let others = match members.remove("<<") {
        None => Vec::new(),
        Some(Value::Array(others)) => others,
        Some(other) => vec![other],
    };
    for other in others {
        let Value::Object(other) = other else { return Err("<< of what is not a map".to_owned()) };
        for (name, value) in other {
            members.entry(name).or_insert(value);
        }
    }
    Ok(Value::Object(members))
}

/// The value of a text without quotes.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match serde_json::from_str(text) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ => Value::String(text.to_owned()),
        },
    }
}
