//! The cases of `decisions.json`.

use backoff_core::{Decision, Outcome, StopReason};
use serde::Deserialize;

use crate::vectors::number;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) id: String,
    #[serde(rename = "why")]
    _why: String,
    pub(crate) policy: String,
    pub(crate) budget: Option<String>,
    pub(crate) seed: String,
    pub(crate) key: Option<String>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Deserialize)]
pub(crate) struct Step {
    pub(crate) operation: u32,
    #[serde(flatten)]
    pub(crate) action: Action,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Action {
    Begin {
        now: String,
        deadline: Option<String>,
    },
    Outcome {
        now: String,
        outcome: String,
        retry_after: Option<String>,
        answer: Answer,
        retries: u64,
    },
    Cancel {
        #[serde(rename = "now")]
        _now: String,
        answer: Answer,
    },
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Answer {
    Wait { wait: String },
    Stop { stop: String, delay: String },
}

impl Answer {
    pub(crate) fn decision(&self) -> Decision {
        match self {
            Self::Wait { wait } => Decision::Wait { delay_ns: number(wait) },
            Self::Stop { stop, delay } => {
                Decision::Stop { reason: reason(stop), delay_ns: number(delay) }
            }
        }
    }
}

pub(crate) fn reason(name: &str) -> StopReason {
    StopReason::ALL.iter().copied().find(|reason| reason.name() == name).unwrap()
}

pub(crate) fn outcome(name: &str) -> Outcome {
    Outcome::ALL.iter().copied().find(|outcome| outcome.name() == name).unwrap()
}
