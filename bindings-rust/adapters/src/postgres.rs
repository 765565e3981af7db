//! A store of shared budgets in [PostgreSQL](https://docs.rs/postgres).

use std::error::Error;
use std::fmt;
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use ::postgres::error::SqlState;
use ::postgres::tls::{MakeTlsConnect, TlsConnect};
use ::postgres::types::Type;
use ::postgres::{Client, Config, Socket};
use backoff_retry::{BudgetStore, StoreError, Stored};

mod statements;

/// Keeps the states of [`SharedBudget`](backoff_retry::SharedBudget)s in PostgreSQL, each as a row of
/// the table `backoff_budgets`.
///
/// It connects at the first exchange, and again after an error, and works at any isolation level. The
/// user needs the rights to select, insert and update in the table. [`CREATE_TABLE`](Self::CREATE_TABLE) is the statement for your
/// migrations.
pub struct PostgresStore<T> {
    config: Config,
    tls: T,
    client: Option<Client>,
}

impl PostgresStore<()> {
    /// The statement that creates the table, unless there is one.
    pub const CREATE_TABLE: &'static str = statements::CREATE_TABLE;
}

impl<T> PostgresStore<T>
where
    T: MakeTlsConnect<Socket> + Clone + Send + 'static,
    T::TlsConnect: Send,
    T::Stream: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    /// A store with a configuration, and [`NoTls`](::postgres::NoTls) or what makes connections over
    /// TLS. A configuration without `connect_timeout` and `tcp_user_timeout` gets one second for each,
    /// so that the budget's thread can try again. Loops wait no longer than the budget's own timeout.
    #[must_use]
    pub fn new(mut config: Config, tls: T) -> Self {
        let second = Duration::from_secs(1);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(second);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(second);
        }
        Self { config, tls, client: None }
    }

    /// Creates the table unless there is one. It waits for the server in this thread, also within an
    /// async runtime.
    ///
    /// # Errors
    /// What the server or the connection says.
    pub fn create_table(&self) -> Result<(), ::postgres::Error> {
        let (config, tls) = (self.config.clone(), self.tls.clone());
        let create = move || {
            let mut client = config.connect(tls)?;
            let created = client.batch_execute(PostgresStore::CREATE_TABLE);
            match created.as_ref().err().and_then(::postgres::Error::code) {
                // Another process created it, or its type, at the same moment.
                Some(
                    &SqlState::UNIQUE_VIOLATION
                    | &SqlState::DUPLICATE_TABLE
                    | &SqlState::DUPLICATE_OBJECT,
                ) => client.batch_execute(PostgresStore::CREATE_TABLE),
                _ => created,
            }
        };
        // The client blocks on a runtime of its own, which panics within another one.
        let other = thread::spawn(create);
        other.join().unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Calls a function with a connection, which is closed if that fails.
    fn with<R>(
        &mut self,
        call: impl FnOnce(&mut Client) -> Result<R, ::postgres::Error>,
    ) -> Result<R, StoreError> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => self.config.connect(self.tls.clone()).map_err(Failed)?,
        };
        let result = call(&mut client).map_err(Failed)?;
        self.client = Some(client);
        Ok(result)
    }
}

impl<T> BudgetStore for PostgresStore<T>
where
    T: MakeTlsConnect<Socket> + Clone + Send + 'static,
    T::TlsConnect: Send,
    T::Stream: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    fn load(&mut self, key: &str) -> Result<Stored, StoreError> {
        let row =
            self.with(|client| client.query_typed_one(statements::LOAD, &[(&key, Type::TEXT)]))?;
        let microseconds = row.try_get::<_, &str>(1)?.parse()?;
        let now_ns = Duration::from_micros(microseconds).as_nanos().try_into()?;
        Ok(Stored { text: row.try_get(0)?, now_ns })
    }

    fn compare_and_swap(
        &mut self,
        key: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError> {
        let text = Type::TEXT;
        let rows = self.with(|client| {
            let rows = match &expected {
                None => {
                    client.execute_typed(statements::INSERT, &[(&key, text.clone()), (&new, text)])
                }
                Some(expected) => client.execute_typed(
                    statements::UPDATE,
                    &[(&key, text.clone()), (&new, text.clone()), (expected, text)],
                ),
            };
            // Under repeatable read and serializable, the slower of two fails instead of changing
            // no row.
            match rows {
                Err(error) if error.code() == Some(&SqlState::T_R_SERIALIZATION_FAILURE) => Ok(0),
                rows => rows,
            }
        })?;
        Ok(rows == 1)
    }
}

/// An error whose text says what the server said: that of the library alone may be "db error".
#[derive(Debug)]
struct Failed(::postgres::Error);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        f.write_str(&text)?;
        match self.0.source().map(ToString::to_string) {
            Some(cause) if !text.contains(&cause) => write!(f, ": {cause}"),
            _ => Ok(()),
        }
    }
}

impl Error for Failed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

impl<T> fmt::Debug for PostgresStore<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("config", &self.config).finish_non_exhaustive()
    }
}
