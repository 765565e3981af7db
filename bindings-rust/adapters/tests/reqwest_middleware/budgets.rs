//! The budgets of origins.

use std::sync::Arc;

use backoff_adapters::reqwest_middleware::RetryMiddleware;
use backoff_retry::{Budget, StopReason};

use crate::server::{Server, status};
use crate::{client, logged, retry};

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
    // Without any option `finagle` allows a hundred at once, and then some each second.
    let by_default = attempts(RetryMiddleware::new(retry("constant:base=0s"))).await;
    assert!((101..1000).contains(&by_default), "{by_default}");
    let shared = Arc::new(Budget::parse(two).unwrap());
    let middleware = RetryMiddleware::new(retry(policy).budget(shared));
    assert_eq!(attempts(middleware.clone()).await, 3);
    assert_eq!(attempts(middleware).await, 1);
    let error = RetryMiddleware::new(retry(policy)).origin_budgets("ratio:cost=1").unwrap_err();
    assert!(error.to_string().contains("cost"), "{error}");
}
