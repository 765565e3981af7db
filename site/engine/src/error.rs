//! What is wrong with a text, and where.

use backoff_core::ParseError;
use backoff_sim::ClientsError;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Answer {
    pub(crate) error: Refused,
}

/// What is wrong.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Refused {
    pub(crate) message: String,
    /// The option whose value is wrong, as the command calls it.
    pub(crate) option: &'static str,
    /// Which value it is, if the option may be repeated.
    pub(crate) number: usize,
    /// The text in which it is.
    pub(crate) text: Option<String>,
    /// The position in bytes.
    pub(crate) at: Option<usize>,
    /// The length in bytes.
    pub(crate) length: usize,
    pub(crate) field: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
}

impl Refused {
    pub(crate) fn new(option: &'static str, message: &impl ToString) -> Self {
        Self { message: message.to_string(), option, ..Self::default() }
    }

    pub(crate) fn parse(option: &'static str, text: &str, error: &ParseError) -> Self {
        Self {
            text: Some(text.to_owned()),
            at: Some(error.at()),
            length: error.found_length().max(1),
            field: error.field().map(backoff_core::Field::name),
            code: Some(error.code().name()),
            ..Self::new(option, error)
        }
    }

    pub(crate) fn clients(number: usize, error: ClientsError) -> Self {
        let refused = match error {
            ClientsError::Policy { text, error } => Self::parse("policy", &text, &error),
            ClientsError::Budget { text, error } => {
                Self { field: Some("budget"), ..Self::parse("policy", &text, &error) }
            }
            ClientsError::Other(message) => Self::new("policy", &message),
        };
        Self { number, ..refused }
    }
}
