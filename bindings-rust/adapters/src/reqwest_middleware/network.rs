//! The outcome of an attempt without a response.

use std::error::Error;
use std::io;
use std::iter::successors;

use ::reqwest_middleware::Error as ClientError;
use backoff_retry::Outcome;

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
    if error.is_dns() {
        return Outcome::Transient;
    }
    let causes = || successors(error.source(), |&cause| below(cause));
    let system = causes().filter_map(|cause| cause.downcast_ref::<io::Error>()).last();
    // To rustls a certificate that is not accepted is invalid data. To other libraries it is no error of
    // the system.
    match system.map(io::Error::kind) {
        Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
            return Outcome::Permanent;
        }
        None if error.is_connect() => return Outcome::Permanent,
        _ => {}
    }
    let hyper = causes().find_map(|cause| cause.downcast_ref::<hyper::Error>());
    if hyper.is_some_and(|error| error.is_parse() || error.is_user()) {
        return Outcome::Permanent;
    }
    // Other errors are those of a URL, of redirects or of a body.
    if error.is_request() { Outcome::Transient } else { Outcome::Permanent }
}

/// What an error wraps. Clients put errors of the system into one another, and `source` leaves out the
/// one inside.
fn below<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}
