//! Results as CSV (RFC 4180): a header, and a row for each point.

use backoff_sim::{Estimate, Summary};

/// The names of the columns.
pub(crate) const HEADER: [&str; 35] = [
    "model",
    "name",
    "policy",
    "budget",
    "clients",
    "rate",
    "runs",
    "seed",
    "calls_mean",
    "calls_sd",
    "calls_sem",
    "time_ms_mean",
    "time_ms_sd",
    "time_ms_sem",
    "operations_mean",
    "operations_sd",
    "operations_sem",
    "successes_mean",
    "successes_sd",
    "successes_sem",
    "retries_mean",
    "retries_sd",
    "retries_sem",
    "waiting_ms_mean",
    "waiting_ms_sd",
    "waiting_ms_sem",
    "success_rate",
    "retries_per_success",
    "latency_ms_p50",
    "latency_ms_p90",
    "latency_ms_p99",
    "latency_ms_max",
    "recovery_ms_mean",
    "recovered",
    "cut",
];

/// The header and the rows.
pub(crate) fn csv<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> String {
    let mut text = line(HEADER.map(str::to_owned));
    for summary in summaries {
        text += &row(summary);
    }
    text
}

fn row(summary: &Summary) -> String {
    let all = &summary.all;
    let optional = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let mut cells = vec![
        summary.model.to_owned(),
        summary.name.clone(),
        summary.policy.clone().unwrap_or_default(),
        summary.budget.clone().unwrap_or_default(),
        summary.clients.map(|clients| clients.to_string()).unwrap_or_default(),
        optional(summary.rate),
        summary.runs.to_string(),
        summary.seed.clone(),
    ];
    let estimates =
        [all.calls, summary.time_ms, all.operations, all.successes, all.retries, all.waiting_ms];
    for Estimate { mean, sd, sem } in estimates {
        cells.extend([mean, sd, sem].map(|value| value.to_string()));
    }
    cells.push(all.success_rate.to_string());
    cells.push(optional(all.retries_per_success));
    let latency = all.latency_ms;
    cells.extend(
        [
            latency.map(|latency| latency.p50),
            latency.map(|latency| latency.p90),
            latency.map(|latency| latency.p99),
            latency.map(|latency| latency.max),
            summary.recovery_ms.map(|recovery| recovery.mean),
        ]
        .map(optional),
    );
    cells.push(summary.recovered.to_string());
    cells.push(summary.cut.to_string());
    line(cells)
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<_> = cells.into_iter().map(|cell| quoted(&cell)).collect();
    cells.join(",") + "\r\n"
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        let cells = ["a", "full:base=1s,cap=2s", "a \"b\"", ""].map(str::to_owned);
        assert_eq!(line(cells), "a,\"full:base=1s,cap=2s\",\"a \"\"b\"\"\",\r\n");
    }
}
