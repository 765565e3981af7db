//! Reads `tests/vectors`. The loops of `bindings-rust` also use this file.

use std::path::Path;

use backoff_core::RandomStream;
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

/// A 64-bit number, which JSON holds as a string.
pub(crate) fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

pub(crate) fn stream(seed: &str, key: Option<&str>) -> RandomStream {
    let byte = |hex: &str, at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let bytes = |hex: &str| (0..hex.len()).step_by(2).map(|at| byte(hex, at)).collect::<Vec<_>>();
    key.map_or(RandomStream::from_seed(number(seed)), |key| {
        RandomStream::from_key(number(seed), bytes(key))
    })
}
