//! Writing YAML: a JSON text in blocks.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

/// A JSON text as YAML in blocks, with the members in the order of the text.
pub(crate) fn write(json: &str) -> String {
    // All JSON is YAML.
    let Ok(tree) = serde_json::from_str::<Tree>(json) else { return json.to_owned() };
    let mut yaml = String::new();
    tree.write(&mut yaml, 0);
    yaml
}

/// A value whose members keep their order, which those of `serde_json::Value` do not.
enum Tree {
    Leaf(Value),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Tree {
    /// The value on the rest of a line, if it needs no lines of its own.
    fn inline(&self) -> Option<String> {
        match self {
            Self::Leaf(value) => Some(value.to_string()),
            Self::Array(values) => {
                let leaves = values.iter().map(|value| match value {
                    Self::Leaf(value) => Some(value.to_string()),
                    _ => None,
                });
                let leaves: Option<Vec<_>> = leaves.collect();
                leaves.map(|leaves| format!("[{}]", leaves.join(", ")))
            }
            Self::Object(members) => members.is_empty().then(|| "{}".to_owned()),
        }
    }

    /// Writes the value from the beginning of its first line, which is indented already.
    fn write(&self, yaml: &mut String, depth: usize) {
        let indent = |yaml: &mut String, nth: usize| {
            if nth > 0 {
                yaml.push_str(&"  ".repeat(depth));
            }
        };
        match self {
            Self::Object(members) if !members.is_empty() => {
                for (nth, (name, value)) in members.iter().enumerate() {
                    indent(yaml, nth);
                    yaml.push_str(name);
                    if let Some(inline) = value.inline() {
                        yaml.extend([": ", &inline, "\n"]);
                    } else {
                        let inside = depth.saturating_add(1);
                        yaml.extend([":\n", &"  ".repeat(inside)]);
                        value.write(yaml, inside);
                    }
                }
            }
            Self::Array(values) if self.inline().is_none() => {
                for (nth, value) in values.iter().enumerate() {
                    indent(yaml, nth);
                    yaml.push_str("- ");
                    value.write(yaml, depth.saturating_add(1));
                }
            }
            _ => yaml.extend([&self.inline().unwrap_or_default(), "\n"]),
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Leaf(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Leaf(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = access.next_element()? {
            values.push(value);
        }
        Ok(Tree::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Tree::Object(members))
    }
}
