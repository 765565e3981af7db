//! The budgets of origins, and what a service notices of its dependencies with the defaults.

use std::sync::Arc;
use std::time::Instant;

use backoff_adapters::reqwest_middleware::RetryMiddleware;
use backoff_retry::{Budget, StopReason};
use reqwest_middleware::ClientWithMiddleware;
use tokio::task::JoinSet;

use crate::server::{Server, status};
use crate::{client, logged, retry};

/// A middleware with the default budget, and waits that take little time.
fn by_default(retries: u32) -> ClientWithMiddleware {
    client(RetryMiddleware::new(retry(&format!("full:base=10ms,max_retries={retries}"))))
}

/// The number of GETs that get 200 among those of these paths at the same time.
async fn succeed(
    client: &ClientWithMiddleware,
    server: &Server,
    paths: impl IntoIterator<Item = impl std::fmt::Display>,
) -> usize {
    let mut requests = JoinSet::new();
    for path in paths {
        requests.spawn(client.get(format!("{}{path}", server.url())).send());
    }
    let results = requests.join_all().await;
    results.iter().filter(|result| result.as_ref().is_ok_and(|found| found.status() == 200)).count()
}

fn failing(times: usize) -> Server {
    let mut script = vec![status(503); times];
    script.push(status(200));
    Server::for_each_path(script)
}

#[tokio::test]
async fn a_restart_of_the_server_is_not_noticed() {
    assert_eq!(succeed(&by_default(5), &failing(5), 0..20).await, 20);
}

#[tokio::test]
async fn one_failure_of_each_of_a_hundred_requests_is_not_noticed() {
    assert_eq!(succeed(&by_default(1), &failing(1), 0..100).await, 100);
}

#[tokio::test]
async fn ten_per_cent_of_failures_are_not_noticed() {
    let (server, client) = (failing(1), by_default(1));
    assert_eq!(succeed(&client, &server, ["works"]).await, 1);
    for round in 0..50 {
        let works = std::iter::repeat_n("works".to_owned(), 9);
        assert_eq!(succeed(&client, &server, works.chain([format!("fails{round}")])).await, 10);
    }
}

#[tokio::test]
async fn a_resource_that_is_down_does_not_take_the_retries_of_others() {
    let (server, client) = (failing(40), by_default(1));
    for _ in 0..20 {
        assert_eq!(succeed(&client, &server, ["down"]).await, 0);
    }
    assert_eq!(server.requests().len(), 40, "each request was repeated");
    assert_eq!(succeed(&client, &server, ["down"]).await, 1);
    assert_eq!(succeed(&client, &server, ["other"]).await, 0);
    assert_eq!(server.requests().len(), 43, "and so is one of another resource");
}

#[tokio::test]
async fn a_dead_server_gets_a_fifth_more_requests_and_a_reserve() {
    let server = Server::start(vec![status(503)]);
    let client = by_default(5);
    let begun = Instant::now();
    let operations = 500;
    for _ in 0..operations / 50 {
        assert_eq!(succeed(&client, &server, 0..50).await, 0);
    }
    // `finagle`: 20 % of the operations, and ten retries for each second of the last ten.
    let reserve = 10 * (10 + usize::try_from(begun.elapsed().as_secs()).unwrap() + 1);
    let requests = server.requests().len();
    assert!(requests <= operations + operations / 5 + reserve, "{requests} requests");
    assert!(requests > operations + operations / 5, "{requests} requests");
}

#[tokio::test]
async fn every_origin_has_a_budget() {
    let (one, two) = (Server::start(vec![status(503)]), Server::start(vec![status(503)]));
    let middleware = RetryMiddleware::new(retry("constant:base=0s,max_retries=50"));
    let (middleware, log) = logged(middleware.origin_budgets("grpc-retry").unwrap());
    let client = client(middleware);
    for (server, requests) in [(&one, 5), (&one, 6), (&two, 5)] {
        client.get(server.url()).send().await.unwrap();
        // gRPC's throttle: ten tokens, and half of them must be left.
        assert_eq!(server.requests().len(), requests);
    }
    let budget = StopReason::Budget;
    assert_eq!(log.lock().unwrap().stops, [(5, budget), (1, budget), (5, budget)]);
}

#[tokio::test]
async fn requests_that_are_sent_once_count_in_the_budget() {
    let server = Server::start(vec![status(503)]);
    let middleware = RetryMiddleware::new(retry("constant:base=0s,max_retries=9"));
    // It begins full, and each operation adds a quarter of a retry.
    let client = client(middleware.origin_budgets("ratio:ratio=25%,max_tokens=3").unwrap());
    let mut expected = 0;
    for (request, attempts) in [
        (client.get(server.url()), 4),
        (client.get(server.url()), 1),
        (client.post(server.url()), 1),
        (client.post(server.url()), 1),
        (client.get(server.url()), 2),
    ] {
        request.send().await.unwrap();
        expected += attempts;
        assert_eq!(server.requests().len(), expected);
    }
}

#[tokio::test]
async fn budgets_can_be_chosen_or_left_out() {
    let policy = "constant:base=0s,max_retries=7";
    let attempts = async |middleware: RetryMiddleware| {
        let server = Server::start(vec![status(503)]);
        client(middleware).get(server.url()).send().await.unwrap();
        server.requests().len()
    };
    let two = "quota:max_tokens=2,cost=1";
    let middleware = || RetryMiddleware::new(retry(policy));
    assert_eq!(attempts(middleware().origin_budgets(two).unwrap()).await, 3);
    assert_eq!(attempts(middleware().without_origin_budgets()).await, 8);
    let shared = Arc::new(Budget::parse(two).unwrap());
    let middleware = RetryMiddleware::new(retry(policy).budget(shared));
    assert_eq!(attempts(middleware.clone()).await, 3);
    assert_eq!(attempts(middleware).await, 1);
    let error = RetryMiddleware::new(retry(policy)).origin_budgets("ratio:cost=1").unwrap_err();
    assert!(error.to_string().contains("cost"), "{error}");
}
