//! The vectors, which the program carries. `vectors` of this crate is a link to `tests/vectors`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

macro_rules! files {
    ($($layer:literal)*) => {
        [$(($layer, include_str!(concat!("../../../vectors/", $layer, ".json")))),*]
    };
}

/// The content of each file.
const FILES: [(&str, &str); 26] = files! {
    "articles" "budget_state_texts" "budget_states" "caps" "decisions" "draws" "errors" "exchanges" "fits" "growths" "http_methods" "http_requests"
    "http_responses"
    "http_statuses" "jitters" "loops" "presets" "previews" "resets" "resumptions" "retry_after" "samples" "stats" "streams" "text_errors" "texts"
};

#[derive(Deserialize)]
struct File<Case> {
    count: usize,
    cases: Vec<Case>,
}

/// The cases of a file.
pub(crate) fn cases<Case: DeserializeOwned>(layer: &str) -> Result<Vec<Case>> {
    let (_, text) = FILES.iter().find(|(name, _)| *name == layer).context("no such file")?;
    let file: File<Case> = serde_json::from_str(text).context(layer.to_owned())?;
    ensure!(file.cases.len() == file.count, "{layer}: not {} cases", file.count);
    Ok(file.cases)
}

/// A case of which only the number matters.
#[derive(Deserialize)]
pub(crate) struct Ignored {}

/// A policy as the fields that are set.
pub(crate) type Fields = BTreeMap<String, String>;

/// An error of a policy, or of a policy string.
#[derive(Deserialize)]
pub(crate) struct Error {
    pub(crate) code: String,
    pub(crate) field: Option<String>,
    pub(crate) value: String,
    pub(crate) limit: String,
    pub(crate) at: Option<usize>,
}

/// What a string describes.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Of {
    Policy,
    Budget,
}
