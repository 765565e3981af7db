//! Results as CSV (RFC 4180): a header, and a row for each point.

use backoff_sim::Summary;
use serde_json::Value;

/// The columns: members of the JSON, or `calls_mean` for the member `mean` of the member `calls`.
const HEADER: &str = "\
    model name policy budget clients rate runs seed calls_mean calls_sd calls_sem \
    time_ms_mean time_ms_sd time_ms_sem operations_mean operations_sd operations_sem \
    successes_mean successes_sd successes_sem retries_mean retries_sd retries_sem \
    waiting_ms_mean waiting_ms_sd waiting_ms_sem success_rate retries_per_success \
    latency_ms_p50 latency_ms_p90 latency_ms_p99 latency_ms_max recovery_ms_mean recovered cut";

pub(crate) fn csv<'a>(
    summaries: impl IntoIterator<Item = &'a Summary>,
) -> serde_json::Result<String> {
    let columns = || HEADER.split(' ');
    let mut text = line(columns().map(str::to_owned));
    for summary in summaries {
        let members = serde_json::to_value(summary)?;
        text += &line(columns().map(|column| cell(&members, column)));
    }
    Ok(text)
}

fn cell(members: &Value, column: &str) -> String {
    let part = || column.rsplit_once('_').and_then(|(of, part)| members.get(of)?.get(part));
    match members.get(column).or_else(part) {
        Some(Value::String(text)) => text.clone(),
        // Without a zero after the point.
        Some(Value::Number(number)) => match number.as_u64() {
            Some(number) => number.to_string(),
            None => number.as_f64().unwrap_or_default().to_string(),
        },
        _ => String::new(),
    }
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
