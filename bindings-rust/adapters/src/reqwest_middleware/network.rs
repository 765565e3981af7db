//! The outcome of an attempt without a response.

use std::error::Error as _;
use std::io;
use std::iter::successors;

use ::reqwest_middleware::Error;
use backoff_retry::Outcome;

use crate::reqwest_middleware::AttemptTimeout;

/// The outcome of a failure of the client or of another middleware.
pub(super) fn outcome(error: &Error) -> Outcome {
    let error = match error {
        Error::Middleware(error) if error.is::<AttemptTimeout>() => return Outcome::Timeout,
        Error::Middleware(_) => return Outcome::Permanent,
        Error::Reqwest(error) => error,
    };
    if error.is_timeout() {
        return Outcome::Timeout;
    }
    let causes = || successors(error.source(), |&cause| cause.source());
    if error.is_connect() {
        // A certificate that is not accepted is invalid data to rustls, and no error of the system to
        // other libraries. A name that is not found is an error of the system.
        let system = causes().filter_map(|cause| cause.downcast_ref::<io::Error>()).last();
        let kind = system.map(io::Error::kind);
        return match kind {
            None | Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
                Outcome::Permanent
            }
            Some(_) => Outcome::Transient,
        };
    }
    let hyper = causes().find_map(|cause| cause.downcast_ref::<hyper::Error>());
    if hyper.is_some_and(|error| error.is_parse() || error.is_user()) {
        return Outcome::Permanent;
    }
    // Other errors are those of a URL, of redirects or of a body.
    if error.is_request() { Outcome::Transient } else { Outcome::Permanent }
}
