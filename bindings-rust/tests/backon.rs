//! Migration from backon: the same calls and waits.

use std::cell::{Cell, RefCell};
use std::future::{Ready, ready};
use std::time::Duration;

use backoff_retry::{Outcome, Policy, Retry, Verdict};
use backon::{ExponentialBuilder, Retryable};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Error {
    Refused,
    Busy { retry_after: Duration },
    Forbidden,
}

const BUSY: Error = Error::Busy { retry_after: Duration::from_secs(5) };

/// A function that fails with each of these faults in turn, and then succeeds.
fn fetch(faults: &[Error], calls: &Cell<usize>) -> Ready<Result<usize, Error>> {
    let call = calls.replace(calls.get() + 1);
    ready(faults.get(call).map_or(Ok(call + 1), |fault| Err(*fault)))
}

/// The result and the waits.
type Seen = (Result<usize, Error>, Vec<Duration>);

async fn theirs(faults: &[Error]) -> Seen {
    let (calls, waits) = (Cell::new(0), RefCell::new(Vec::new()));
    let result = (|| fetch(faults, &calls))
        .retry(ExponentialBuilder::default().with_max_times(4))
        .sleep(|_| ready(()))
        .when(|error| *error != Error::Forbidden)
        .adjust(|error, delay| match error {
            Error::Busy { retry_after } => delay.map(|delay| delay.max(*retry_after)),
            _ => delay,
        })
        .notify(|_, delay| waits.borrow_mut().push(delay))
        .await;
    (result, waits.into_inner())
}

async fn ours(faults: &[Error]) -> Seen {
    let (calls, waits) = (Cell::new(0), RefCell::new(Vec::new()));
    let result = Retry::new(Policy::parse("exponential:base=1s,cap=60s,max_retries=4").unwrap())
        .sleep(|_| ready(()))
        .when(|error: &Error| match error {
            Error::Refused => Outcome::Transient.into(),
            Error::Busy { retry_after } => {
                Verdict::from(Outcome::Throttled).retry_after(*retry_after)
            }
            Error::Forbidden => Outcome::Permanent.into(),
        })
        .on_retry(|event| waits.borrow_mut().push(event.delay))
        .call_async(|| fetch(faults, &calls))
        .await;
    (result, waits.into_inner())
}

#[tokio::test]
async fn the_same_calls_and_waits() {
    use Error::{Forbidden, Refused};
    let table: [(&[Error], _, &[u64]); 5] = [
        (&[], Ok(1), &[]),
        (&[Refused, Refused, Refused], Ok(4), &[1, 2, 4]),
        (&[Refused, BUSY, BUSY, BUSY], Ok(5), &[1, 5, 5, 8]),
        (&[Refused, Forbidden], Err(Forbidden), &[1]),
        (&[Refused, Refused, Refused, Refused, BUSY], Err(BUSY), &[1, 2, 4, 8]),
    ];
    for (faults, result, waits) in table {
        let waits = waits.iter().copied().map(Duration::from_secs).collect();
        let expected = (result, waits);
        assert_eq!(theirs(faults).await, expected, "backon: {faults:?}");
        assert_eq!(ours(faults).await, expected, "{faults:?}");
    }
}
