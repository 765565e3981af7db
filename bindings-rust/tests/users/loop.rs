//! A program with a loop that awaits, over tokio.

#[tokio::main]
async fn main() -> Result<(), backoff_core::ParseError> {
    let retry = backoff_retry::Retry::new("constant:base=1ms".parse()?);
    let mut calls = 0;
    let result = retry
        .when(|_: &i32| true)
        .call_async(|| {
            calls += 1;
            std::future::ready(if calls < 3 { Err(calls) } else { Ok(calls) })
        })
        .await;
    println!("{result:?}");
    Ok(())
}
