//! The stores of shared budgets on real servers.

mod servers;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use backoff_adapters::postgres::PostgresStore;
use backoff_adapters::redis::RedisStore;
use backoff_retry::{BudgetStore, Fallback, Retry, SharedBudget, StopReason};
use postgres::NoTls;
use redis::cluster::ClusterClientBuilder;
use redis::sentinel::{SentinelClient, SentinelServerType};

use crate::servers::Server;

fn redis(server: &Server) -> RedisStore {
    RedisStore::new(redis::Client::open(&*server.address).unwrap())
}

fn cluster(server: &Server) -> RedisStore {
    RedisStore::cluster(ClusterClientBuilder::new([&*server.address])).unwrap()
}

fn sentinel(server: &Server) -> RedisStore {
    let name = "backoff".to_owned();
    let client =
        SentinelClient::build(vec![&*server.address], name, None, SentinelServerType::Master);
    RedisStore::sentinel(client.unwrap())
}

fn postgres(server: &Server) -> PostgresStore<NoTls> {
    let store = PostgresStore::new(server.address.parse().unwrap(), NoTls);
    store.create_table().unwrap();
    store
}

fn shared(store: impl BudgetStore, name: &str) -> SharedBudget {
    // Patience, because the machine may be slow.
    let builder = SharedBudget::builder(store, name, "quota:max_tokens=9,cost=1");
    let builder = builder.timeout(Duration::from_secs(60));
    // The other process decides nothing while the store is away.
    let builder = builder.local_budget("quota:max_tokens=1,cost=1").fallback(Fallback::Whole);
    builder.build().unwrap()
}

/// Whether the local budget decided the first retry, and the attempts.
fn run(budget: &SharedBudget, policy: &str) -> (Option<bool>, u64) {
    let mut is_local = None;
    let retry = Retry::new(policy.parse().unwrap()).shared_budget(budget);
    let report = retry
        .when(|(): &()| true)
        .on_retry(|event| is_local = is_local.or(Some(event.budget_is_local)))
        .call_with_report(|| Err::<(), _>(()));
    (is_local, report.attempts)
}

fn eventually(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

const KEY: &str = "backoff:it's \"a\" \\ key:ratio";

/// What every store does.
fn compares_and_swaps(key: &str, mut store: impl BudgetStore, mut other: impl BudgetStore) {
    let before = UNIX_EPOCH.elapsed().unwrap().as_nanos();
    let first = store.load(key).unwrap();
    let second = store.load(key).unwrap();
    assert_eq!(first.text, None);
    // The server runs on this machine.
    let after = UNIX_EPOCH.elapsed().unwrap().as_nanos();
    // Its clock counts microseconds.
    assert!(before < u128::from(first.now_ns) + 1000 && first.now_ns <= second.now_ns);
    assert!(u128::from(second.now_ns) < after + 1000);

    assert!(!store.compare_and_swap(key, Some("0 1"), "1 1").unwrap(), "there is none");
    assert!(store.compare_and_swap(key, None, "1 1").unwrap());
    assert!(!store.compare_and_swap(key, None, "1 1").unwrap(), "there is one");
    assert!(!store.compare_and_swap(key, None, "2 2").unwrap());
    assert_eq!(other.load(key).unwrap().text.as_deref(), Some("1 1"));
    assert!(!other.compare_and_swap(key, Some("1 2"), "2 2").unwrap());
    assert!(other.compare_and_swap(key, Some("1 1"), "2 2").unwrap());
    assert!(!store.compare_and_swap(key, Some("1 1"), "2 3").unwrap(), "it was slower");
    assert_eq!(store.load(key).unwrap().text.as_deref(), Some("2 2"));
    assert_eq!(store.load(&format!("{key}s")).unwrap().text, None);
}

/// Two processes share nine tokens; then the server is killed for a while.
fn is_shared_and_may_go_away<S: BudgetStore>(server: &mut Server, store: impl Fn(&Server) -> S) {
    let budgets = [(); 2].map(|()| shared(store(server), "orders"));
    assert_eq!(run(&budgets[0], "constant:base=0s,max_retries=4"), (Some(false), 5));
    assert_eq!(run(&budgets[1], "constant:base=0s,max_retries=2"), (Some(false), 3));

    server.tell("kill");
    // The local budgets have one token each.
    for budget in &budgets {
        // A process of PostgreSQL may still answer for a moment.
        eventually(|| !budget.flush());
        assert_eq!(run(budget, "constant:base=0s,max_retries=1"), (Some(true), 2));
        assert!(budget.last_error().is_some());
    }
    server.tell("start");
    eventually(|| budgets.iter().all(SharedBudget::flush));
    // A store is away for a second. Three tokens are left, because a killed server loses nothing.
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(run(&budgets[1], "constant:base=0s"), (Some(false), 4));
    let retry = Retry::new("constant:base=0s".parse().unwrap()).shared_budget(&budgets[0]);
    let report = retry.when(|(): &()| true).call_with_report(|| Err::<(), _>(()));
    assert_eq!((report.reason, report.attempts), (StopReason::Budget, 1));
}

#[test]
fn redis_compares_and_swaps() {
    let server = Server::start("redis");
    compares_and_swaps(KEY, redis(&server), redis(&server));
}

#[test]
fn postgres_compares_and_swaps() {
    let server = Server::start("postgres");
    compares_and_swaps(KEY, postgres(&server), postgres(&server));
}

/// A swap that waited for another one of the same row has lost, also where `PostgreSQL` makes that an
/// error.
#[test]
fn postgres_may_have_any_isolation_level() {
    let server = Server::start("postgres");
    for level in ["read committed", "repeatable read", "serializable"] {
        drop(postgres(&server));
        let mut config: postgres::Config = server.address.parse().unwrap();
        let option = level.replace(' ', "\\ ");
        config.options(&format!("-c default_transaction_isolation={option}"));
        let mut other = config.connect(NoTls).unwrap();
        let mut store = PostgresStore::new(config, NoTls);
        assert!(store.compare_and_swap(level, None, "0 1").unwrap());
        let mut transaction = other.transaction().unwrap();
        transaction.execute("UPDATE backoff_budgets SET state = '1 0'", &[]).unwrap();
        std::thread::scope(|scope| {
            let swap = scope.spawn(|| store.compare_and_swap(level, Some("0 1"), "1 5").unwrap());
            let mut watch =
                server.address.parse::<postgres::Config>().unwrap().connect(NoTls).unwrap();
            let waiting = "SELECT FROM pg_locks WHERE NOT granted";
            while watch.query(waiting, &[]).unwrap().is_empty() {
                std::thread::sleep(Duration::from_millis(1));
            }
            transaction.commit().unwrap();
            assert!(!swap.join().unwrap(), "{level}");
        });
        assert_eq!(store.load(level).unwrap().text.as_deref(), Some("1 0"));
    }
}

#[test]
fn redis_is_shared_and_may_go_away() {
    is_shared_and_may_go_away(&mut Server::start("redis"), redis);
}

#[test]
fn a_cluster_of_redis_is_shared_and_may_go_away() {
    let mut server = Server::start("redis-cluster");
    // Each is in a slot of another master.
    let keys = ["a", "b", "c"];
    for key in keys {
        compares_and_swaps(key, cluster(&server), cluster(&server));
    }
    let mut store = cluster(&server);
    store.load("a").unwrap();
    server.tell("move");
    for key in keys {
        assert!(store.compare_and_swap(key, Some("2 2"), "3 3").unwrap(), "{key}");
    }
    server.tell("move");
    assert_eq!(store.load("c").unwrap().text.as_deref(), Some("3 3"));
    is_shared_and_may_go_away(&mut server, cluster);
}

#[test]
fn a_cluster_of_redis_gets_a_swap_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let swaps = AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for connection in listener.incoming().map_while(Result::ok) {
                // The last one.
                if !answer(&connection, port, &swaps) {
                    break;
                }
            }
        });
        let builder = ClusterClientBuilder::new([format!("redis://127.0.0.1:{port}")]);
        let mut store = RedisStore::cluster(builder.retries(5)).unwrap();
        let swapped = store.compare_and_swap(KEY, None, "1 1");
        TcpStream::connect(("127.0.0.1", port)).unwrap().write_all(b"*1\r\n$3\r\nEND").unwrap();
        assert!(swapped.is_err());
    });
    assert_eq!(swaps.into_inner(), 1);
}

/// Answers as the only server of a cluster, until a script comes, and counts that. Returns whether
/// another connection may come.
fn answer(mut connection: &TcpStream, port: u16, swaps: &AtomicU32) -> bool {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = connection.read(&mut buffer) {
        for command in String::from_utf8_lossy(&buffer[..count]).split('*').skip(1) {
            if command.ends_with("END") {
                return false;
            }
            if command.contains("EVAL") {
                swaps.fetch_add(1, Ordering::Relaxed);
                return true;
            }
            let answer = if command.contains("SLOTS") {
                format!("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:{port}\r\n")
            } else {
                "+OK\r\n".to_owned()
            };
            connection.write_all(answer.as_bytes()).unwrap();
        }
    }
    true
}

#[test]
fn sentinel_names_another_master_when_one_is_killed() {
    let mut server = Server::start("redis-sentinel");
    compares_and_swaps(KEY, sentinel(&server), sentinel(&server));
    let budgets = [(); 2].map(|()| shared(sentinel(&server), "orders"));
    for budget in &budgets {
        assert_eq!(run(budget, "constant:base=0s,max_retries=3"), (Some(false), 4));
    }
    server.tell("kill");
    eventually(|| budgets.iter().all(SharedBudget::flush));
    // A store is away for a second.
    std::thread::sleep(Duration::from_millis(1100));
    // The replica had everything, so three tokens are left.
    assert_eq!(run(&budgets[0], "constant:base=0s"), (Some(false), 4));
}

#[test]
fn postgres_is_shared_and_may_go_away() {
    is_shared_and_may_go_away(&mut Server::start("postgres"), postgres);
}

#[test]
fn many_processes_may_create_the_table_at_once() {
    let server = Server::start("postgres");
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| postgres(&server));
        }
    });
}

/// The client of `PostgreSQL` blocks on a runtime of its own, which must not meet that of the user.
#[tokio::test]
async fn the_stores_can_be_used_in_a_runtime() {
    let server = Server::start("postgres");
    let retry = Retry::new("constant:base=0s,max_retries=2".parse().unwrap());
    let retry = retry.shared_budget(shared(postgres(&server), "orders"));
    let plan = retry.when(|(): &()| true);
    assert_eq!(plan.call_async_with_report(async || Err::<(), _>(())).await.attempts, 3);
    drop(retry);
    drop(PostgresStore::new(server.address.parse().unwrap(), NoTls));
}

/// The program of the page, which cargo builds with the tests.
#[test]
fn the_program_of_the_page_runs() {
    let (_, program) = include_str!("../../examples/redis_budget.rs").split_once("\n\n").unwrap();
    assert!(include_str!("../../docs/stores.md").contains(program), "the page has another program");
    let server = Server::start("redis");
    let test = std::env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap().join("examples/redis_budget");
    let output = std::process::Command::new(built).arg(&server.address).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = printed.lines().collect();
    // On a slow machine the store may be too late for a retry.
    assert!(lines[0].starts_with("local budget: ") && lines[1].starts_with("local budget: "));
    assert_eq!(lines[2], "Ok(\"hello\")");
    assert!(output.status.success());
}

#[test]
fn without_a_table_the_local_budget_decides_and_the_error_says_why() {
    let server = Server::start("postgres");
    let store = PostgresStore::new(server.address.parse().unwrap(), NoTls);
    let budget = shared(store, "orders");
    assert_eq!(run(&budget, "constant:base=0s,max_retries=1").0, Some(true));
    let error = budget.last_error().unwrap();
    assert!(error.to_string().contains("relation \"backoff_budgets\" does not exist"), "{error}");
    let cause = error.source().unwrap().downcast_ref::<postgres::Error>();
    assert_eq!(cause.unwrap().code(), Some(&postgres::error::SqlState::UNDEFINED_TABLE));
}
