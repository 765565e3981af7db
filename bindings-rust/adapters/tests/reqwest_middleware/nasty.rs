//! The server of `tests/nasty_server.py`, and the cases that it plays (SPEC 19).

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::Value;

const SERVER: &str = include_str!("../../../../tests/nasty_server.py");
const CASES: &str = include_str!("../../../../tests/vectors/http_requests.json");

/// It runs until it is dropped.
pub(crate) struct Nasty {
    urls: Value,
    server: Child,
    input: Option<ChildStdin>,
}

impl Nasty {
    pub(crate) fn start() -> Self {
        // The package of this test may be in another folder.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nasty");
        fs::create_dir_all(folder.join("vectors")).unwrap();
        let put = |name: &str, text| {
            // Another test may be starting it.
            let fresh = folder.join(format!("{name}.{}", std::process::id()));
            fs::write(&fresh, text).unwrap();
            fs::rename(fresh, folder.join(name)).unwrap();
        };
        put("nasty_server.py", SERVER);
        put("vectors/http_requests.json", CASES);
        let mut server = Command::new("python3")
            .arg(folder.join("nasty_server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let input = server.stdin.take();
        Self { urls: serde_json::from_str(&line).unwrap(), server, input }
    }

    /// The URL of a target, without a slash at its end.
    pub(crate) fn url(&self, target: &str) -> &str {
        self.urls[target].as_str().unwrap()
    }
}

impl Drop for Nasty {
    fn drop(&mut self) {
        self.input = None;
        self.server.wait().unwrap();
    }
}

pub(crate) fn cases() -> Vec<Value> {
    let Value::Array(cases) = serde_json::from_str::<Value>(CASES).unwrap()["cases"].take() else {
        panic!("no cases")
    };
    cases
}
