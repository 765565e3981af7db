//! The sizes of the files that users install or download.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::bench::results::Size;
use crate::languages::{c, js, python};

/// The files of the tarball whose gzipped sizes pages feel, with the largest good size.
const BUNDLES: [(&str, &str, u64); 2] = [
    ("backoff-wasm, minified and gzipped", "package/dist/index.js", 20_000),
    ("backoff-wasm/delay, minified and gzipped", "package/dist/delay.js", 5_000),
];

/// The sizes of what is published for a language.
pub(super) fn of(language: &str) -> Result<Vec<Size>> {
    let size = |what: &str, bytes: u64, floor: Option<u64>| Size {
        language: language.into(),
        what: what.into(),
        bytes,
        floor,
    };
    let file = |what: &str, path: &Path| -> Result<Size> {
        let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
        Ok(size(what, metadata.len(), None))
    };
    Ok(match language {
        "c" => {
            let library = c::prefix()?.join("lib/libbackoff.so");
            vec![file("libbackoff.so", &fs::canonicalize(library)?)?]
        }
        "python" => vec![file("the wheel", &python::published()?)?],
        "js" => {
            let tarball = js::tarball()?;
            let mut sizes = vec![file("the npm tarball", &tarball)?];
            for (what, path, floor) in BUNDLES {
                sizes.push(size(what, gzipped(&member(&tarball, path)?)?, Some(floor)));
            }
            sizes
        }
        _ => Vec::new(),
    })
}

/// A file of a tarball.
fn member(tarball: &Path, name: &str) -> Result<Vec<u8>> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(tarball)?));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()? == Path::new(name) {
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            return Ok(content);
        }
    }
    anyhow::bail!("{} has no {name}", tarball.display())
}

fn gzipped(content: &[u8]) -> Result<u64> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(content)?;
    Ok(gzip.finish()?.len().try_into()?)
}
