//! A store of shared budgets in [Redis](https://docs.rs/redis).

use std::time::Duration;

use ::redis::{Client, Connection, RedisResult, Script};
use backoff_retry::{BudgetStore, StoreError, Stored};

mod statements;

/// Keeps the states of [`SharedBudget`](backoff_retry::SharedBudget)s in Redis, each as the string
/// under its key, without an expiry.
///
/// It connects at the first exchange, and again after an error. The user of Redis may need the
/// commands `GET`, `SET`, `TIME`, `EVALSHA` and `SCRIPT LOAD`.
///
/// ```no_run
/// use backoff_adapters::redis::RedisStore;
/// use backoff_retry::{Retry, SharedBudget};
/// let client = redis::Client::open("redis://127.0.0.1/")?;
/// let budget = SharedBudget::builder(RedisStore::new(client), "orders", "sre").build()?;
/// let retry = Retry::default().shared_budget(budget);
/// # let _ = retry;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RedisStore {
    client: Client,
    timeout: Duration,
    connection: Option<Link>,
}

/// A connection, which prints nothing.
struct Link(Connection);

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl RedisStore {
    /// A store with a client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client, timeout: Duration::from_secs(1), connection: None }
    }

    /// Limits the time to connect, and the time that the server may take for each answer, so that
    /// the budget's thread can try again. The default is one second. Loops wait no longer than the
    /// budget's own timeout.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn connect(&self) -> RedisResult<Connection> {
        let connection = self.client.get_connection_with_timeout(self.timeout)?;
        connection.set_read_timeout(Some(self.timeout))?;
        connection.set_write_timeout(Some(self.timeout))?;
        Ok(connection)
    }

    /// Calls a function with a connection, which is closed if that fails.
    fn with<T>(
        &mut self,
        call: impl FnOnce(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        let mut connection = match self.connection.take() {
            Some(Link(connection)) => connection,
            None => self.connect()?,
        };
        let result = call(&mut connection)?;
        self.connection = Some(Link(connection));
        Ok(result)
    }
}

impl BudgetStore for RedisStore {
    fn load(&mut self, key: &str) -> Result<Stored, StoreError> {
        let script = Script::new(statements::LOAD);
        let (text, (seconds, microseconds)): (_, (u64, u64)) =
            self.with(|connection| script.key(key).invoke(connection))?;
        let now = Duration::from_secs(seconds) + Duration::from_micros(microseconds);
        Ok(Stored { text, now_ns: now.as_nanos().try_into()? })
    }

    fn compare_and_swap(
        &mut self,
        key: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError> {
        let script = Script::new(statements::COMPARE_AND_SWAP);
        let mut call = script.key(key);
        call.arg(new);
        if let Some(expected) = expected {
            call.arg(expected);
        }
        self.with(|connection| call.invoke(connection))
    }
}
