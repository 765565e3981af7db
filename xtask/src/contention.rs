//! `cargo xtask scenario contention`: clients that contend for one shared budget, beside those of a
//! script in Redis that each request calls.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::languages::contention;
use crate::servers::Server;
use crate::shell::stdout;

const SECONDS: u32 = 5;
const CLIENTS: [u32; 2] = [8, 64];
const LEASES: [u32; 3] = [1, 10, 100];
/// As fast as it can, and 100 times a second.
const PAUSES_US: [u32; 2] = [0, 10_000];
/// Fleets whose clients together ask 2000 times a second. `PostgreSQL` has a process for each client.
const FLEETS: [u32; 4] = [8, 64, 256, 1000];
const MOST_OF_POSTGRES: u32 = 256;
const PAUSE_OF_CLIENT_US: u32 = 500;

#[derive(Deserialize)]
struct Counts {
    requests: u64,
    local: u64,
    exchanges: u64,
    calls: u64,
    p50_us: u64,
    p99_us: u64,
}

/// Prints a table.
pub(crate) fn run() -> Result<()> {
    println!(
        "{:<10}{:>8}{:>7}{:>10}{:>12}{:>9}{:>8}{:>12}{:>10}{:>10}",
        "store",
        "clients",
        "lease",
        "pause",
        "requests/s",
        "local",
        "",
        "calls/exch.",
        "p50",
        "p99"
    );
    for (kind, leases) in [("script", &LEASES[..1]), ("redis", &LEASES), ("postgres", &LEASES)] {
        let server = Server::start(if kind == "postgres" { kind } else { "redis" })?;
        let most = if kind == "postgres" { MOST_OF_POSTGRES } else { u32::MAX };
        let fleets = FLEETS.into_iter().filter(|&clients| clients <= most);
        let fleets = fleets.map(|clients| [clients, 1, clients * PAUSE_OF_CLIENT_US]);
        let crowds = CLIENTS.iter().flat_map(|&clients| {
            leases
                .iter()
                .flat_map(move |&lease| PAUSES_US.map(|pause_us| [clients, lease, pause_us]))
        });
        for of in fleets.chain(crowds) {
            let mut program = contention()?;
            program.args([kind, server.address()]);
            program.args(of.map(|number| number.to_string())).arg(SECONDS.to_string());
            let printed = stdout(&mut program)?;
            let counts: Counts = serde_json::from_str(&printed).with_context(|| printed.clone())?;
            print(kind, of, &counts);
        }
    }
    Ok(())
}

fn print(kind: &str, [clients, lease, pause_us]: [u32; 3], counts: &Counts) {
    let Counts { requests, local, exchanges, calls, p50_us, p99_us } = *counts;
    let (each, share) = match exchanges {
        0 => ("-".to_owned(), "-".to_owned()),
        _ => (
            format!("{}.{:02}", calls / exchanges, calls * 100 / exchanges % 100),
            format!("{}%", local * 100 / requests.max(1)),
        ),
    };
    println!(
        "{kind:<10}{clients:>8}{lease:>7}{:>8}ms{:>12}{local:>9}{share:>8}{each:>12}{p50_us:>8}us{p99_us:>8}us",
        pause_us / 1000,
        requests / u64::from(SECONDS),
    );
}
