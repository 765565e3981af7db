//! The outcome of an attempt without a response.

use std::error::Error;
use std::io;
use std::iter::successors;

use ::reqwest_middleware::Error as ClientError;
use backoff_retry::Outcome;
use reqwest::Url;

use crate::reqwest_middleware::AttemptTimeout;

/// The outcome of a failure of the client or of another middleware.
pub(super) fn outcome(error: &ClientError) -> Outcome {
    let error = match error {
        ClientError::Middleware(error) if error.is::<AttemptTimeout>() => return Outcome::Timeout,
        ClientError::Middleware(_) => return Outcome::Permanent,
        ClientError::Reqwest(error) => error,
    };
    if error.is_timeout() {
        return Outcome::Timeout;
    }
    if error.is_dns() || is_refused_tunnel(error) {
        return Outcome::Transient;
    }
    let system = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).last();
    // To rustls a certificate that is not accepted is invalid data. To other libraries it is no error of
    // the system.
    match system.map(io::Error::kind) {
        Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
            return Outcome::Permanent;
        }
        None if error.is_connect() && !was_cut_in_handshake(error) => return Outcome::Permanent,
        _ => {}
    }
    if hyper_error(error).is_some_and(hyper::Error::is_user) {
        return Outcome::Permanent;
    }
    // Other errors are those of a URL, of redirects or of a body.
    if error.is_request() { Outcome::Transient } else { Outcome::Permanent }
}

/// The outcome of a failure while the body of a response was read.
pub(super) fn outcome_of_body(error: &ClientError) -> Outcome {
    match error {
        ClientError::Middleware(_) => Outcome::Timeout, // that of the attempt
        ClientError::Reqwest(error) if error.is_timeout() => Outcome::Timeout,
        ClientError::Reqwest(error) if hyper_error(error).is_some() => Outcome::Transient,
        // The body came and cannot be decoded.
        ClientError::Reqwest(_) => Outcome::Permanent,
    }
}

/// An error with its causes, without the URLs that reqwest adds: their queries may be secret.
pub(super) fn text(error: &ClientError) -> String {
    let first: &(dyn Error + 'static) = match error {
        ClientError::Middleware(error) => error.as_ref(),
        ClientError::Reqwest(error) => error,
    };
    let texts = successors(Some(first), |&cause| cause.source()).map(ToString::to_string);
    without_urls(&texts.collect::<Vec<_>>().join(": "))
}

/// Cuts what reqwest adds to a text. An error that wraps one of reqwest can show its text and hide its
/// type, so the text is all there is.
fn without_urls(text: &str) -> String {
    let mut parts = text.split(" for url (");
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A URL has no spaces, but it may have parentheses.
        let end = part.find(' ').unwrap_or(part.len());
        let colon = if part[..end].ends_with(':') { ":" } else { "" };
        left.extend([colon, &part[end..]]);
    }
    left
}

/// Whether a client that follows no redirects got no connection for a request to this URL. Another
/// middleware may return the error of a request of its own, to another URL.
pub(super) fn was_never_sent(error: &ClientError, url: &Url) -> bool {
    matches!(error, ClientError::Reqwest(error) if error.is_connect() && error.url() == Some(url))
}

/// Whether a proxy refused a tunnel, or closed its connection instead of an answer. Such an error has no
/// status; that of 407 has another text, and is permanent.
fn is_refused_tunnel(error: &reqwest::Error) -> bool {
    let texts = ["tunnel error: unsuccessful", "tunnel error: unexpected end of file"];
    causes(error).any(|cause| texts.contains(&cause.to_string().as_str()))
}

/// What OpenSSL says of a connection that ends during its handshake; it has no error of the system.
fn was_cut_in_handshake(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.to_string().to_ascii_lowercase().contains("unexpected eof"))
}

fn hyper_error(error: &reqwest::Error) -> Option<&hyper::Error> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(error.source(), |&cause| below(cause))
}

/// What an error wraps. Clients put errors of the system into one another, and `source` leaves out the
/// one inside.
fn below<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}
