//! Policies and budgets as the lines that describe them (feature `serde`).

use core::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! as_line {
    ($type:ty, $wanted:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.line().as_str())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Line;

                impl Visitor<'_> for Line {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($wanted)
                    }

                    fn visit_str<E: Error>(self, line: &str) -> Result<Self::Value, E> {
                        Self::Value::parse(line).map_err(E::custom)
                    }
                }

                deserializer.deserialize_str(Line)
            }
        }
    };
}

as_line!(crate::Policy, "the line of a policy, such as full:base=100ms");
#[cfg(target_has_atomic = "64")]
as_line!(crate::Budget, "the line of a budget, such as ratio:max_tokens=5");
