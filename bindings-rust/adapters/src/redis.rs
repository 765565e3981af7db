//! A store of shared budgets in [Redis](https://docs.rs/redis).

use std::error::Error;
use std::fmt;
use std::time::Duration;

#[cfg(feature = "redis-cluster")]
use ::redis::cluster::{ClusterClientBuilder, ClusterConfig};
#[cfg(feature = "redis-sentinel")]
use ::redis::sentinel::SentinelClient;
use ::redis::{
    Client, Cmd, Connection, ConnectionLike, ErrorKind, FromRedisValue, RedisError, RedisResult,
    ServerErrorKind,
};
use backoff_retry::{BudgetStore, StoreError, Stored};

mod statements;

/// Keeps the states of [`SharedBudget`](backoff_retry::SharedBudget)s in Redis, each as the string
/// under its key, without an expiry.
///
/// It connects at the first exchange, and again after an error. The user of Redis may need the
/// commands `GET`, `SET`, `TIME` and `EVAL`, and in a cluster `CLUSTER SLOTS`.
pub struct RedisStore {
    connect: Box<dyn FnMut(Duration) -> RedisResult<Link> + Send>,
    timeout: Duration,
    connection: Option<Link>,
}

type Link = Box<dyn ConnectionLike + Send>;

impl RedisStore {
    /// A store with a client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self::with(move |timeout| link(&client, timeout))
    }

    /// A store in a cluster. The time is that of the server that has the key.
    ///
    /// The number of `retries` of the builder and its timeouts have no effect: a swap that was sent
    /// twice would count twice. The store itself follows a slot to another server.
    ///
    /// # Errors
    /// What the builder says.
    #[cfg(feature = "redis-cluster")]
    pub fn cluster(builder: ClusterClientBuilder) -> RedisResult<Self> {
        let client = builder.retries(0).build()?;
        Ok(Self::with(move |timeout| {
            let config = ClusterConfig::new().set_connection_timeout(timeout);
            let config = config.set_response_timeout(timeout);
            Ok(Box::new(client.get_connection_with_config(config)?))
        }))
    }

    /// A store in the master that Sentinel names. After an error it asks again.
    #[cfg(feature = "redis-sentinel")]
    #[must_use]
    pub fn sentinel(mut client: SentinelClient) -> Self {
        Self::with(move |timeout| link(&client.get_client()?, timeout))
    }

    fn with(connect: impl FnMut(Duration) -> RedisResult<Link> + Send + 'static) -> Self {
        Self { connect: Box::new(connect), timeout: Duration::from_secs(1), connection: None }
    }

    /// Limits the time to connect, and the time that the server may take for each answer, so that
    /// the budget's thread can try again. The default is one second. Loops wait no longer than the
    /// budget's own timeout.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs a script with one key.
    fn run<T: FromRedisValue>(
        &mut self,
        script: &str,
        key: &str,
        arguments: &[&str],
    ) -> Result<T, StoreError> {
        let mut command = ::redis::cmd("EVAL");
        command.arg(script).arg(1).arg(key).arg(arguments);
        let result = self.send(&command);
        let answer = match result {
            // Nothing ran. A new connection to the cluster knows where the key is.
            Err(error) if is_moved(&error) => self.send(&command),
            result => result,
        };
        let timeout = self.timeout;
        let explained = |cause: RedisError| -> StoreError {
            if cause.is_timeout() { NoAnswer { timeout, cause }.into() } else { cause.into() }
        };
        answer.map_err(explained)
    }

    /// Sends a command over the connection, which is closed if that fails.
    fn send<T: FromRedisValue>(&mut self, command: &Cmd) -> RedisResult<T> {
        let mut link = match self.connection.take() {
            Some(link) => link,
            None => (self.connect)(self.timeout)?,
        };
        let answer = command.query(&mut *link)?;
        self.connection = Some(link);
        Ok(answer)
    }
}

fn link(client: &Client, timeout: Duration) -> RedisResult<Link> {
    let connection: Connection = client.get_connection_with_timeout(timeout)?;
    connection.set_read_timeout(Some(timeout))?;
    connection.set_write_timeout(Some(timeout))?;
    Ok(Box::new(connection))
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// Redis took too long. The text of the cause would be that of the system.
#[derive(Debug)]
struct NoAnswer {
    timeout: Duration,
    cause: RedisError,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redis did not answer within {:?}", self.timeout)
    }
}

impl Error for NoAnswer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

fn is_moved(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::Moved)
}

impl BudgetStore for RedisStore {
    fn load(&mut self, key: &str) -> Result<Stored, StoreError> {
        let (text, (seconds, microseconds)): (_, (u64, u64)) =
            self.run(statements::LOAD, key, &[])?;
        let now = Duration::from_secs(seconds) + Duration::from_micros(microseconds);
        Ok(Stored { text, now_ns: now.as_nanos().try_into()? })
    }

    fn compare_and_swap(
        &mut self,
        key: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError> {
        let arguments: Vec<&str> = [new].into_iter().chain(expected).collect();
        self.run(statements::COMPARE_AND_SWAP, key, &arguments)
    }
}
