//! Reading `tests/vectors`.

use std::path::Path;

use backoff_core::{PolicyError, Stream};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<Case> {
    layer: String,
    #[serde(rename = "about")]
    _about: String,
    #[serde(rename = "generated_by")]
    _generated_by: String,
    count: usize,
    cases: Vec<Case>,
}

pub(crate) fn cases<Case: DeserializeOwned>(layer: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors").join(layer);
    let text = std::fs::read_to_string(path.with_extension("json")).unwrap();
    let file: File<Case> = serde_json::from_str(&text).unwrap();
    assert_eq!((file.layer.as_str(), file.cases.len()), (layer, file.count));
    assert!(file.count > 0);
    file.cases
}

pub(crate) fn word(text: &str) -> u64 {
    text.parse().unwrap()
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

pub(crate) fn stream(seed: &str, key: Option<&str>) -> Stream {
    key.map_or(Stream::from_seed(word(seed)), |key| Stream::from_key(word(seed), bytes(key)))
}

/// A refused policy, as a case says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    code: String,
    field: String,
    value: String,
    limit: String,
    message: String,
}

impl Expected {
    pub(crate) fn assert_is(&self, error: &PolicyError, id: &str) {
        assert_eq!(error.to_string(), self.message, "{id}");
        assert_eq!(
            (error.code().name(), error.field().name(), error.value(), error.limit()),
            (&*self.code, &*self.field, word(&self.value), word(&self.limit)),
            "{id}"
        );
    }
}
