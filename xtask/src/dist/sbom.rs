//! The software bill of materials: what is linked into each artifact
//! ([CycloneDX 1.6](https://cyclonedx.org/docs/1.6/json/)).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::files::{name, sha256};
use crate::linked::{Crate, Linked, linked};
use crate::shell::{WASM, command, stdout};
use crate::version;

/// What an artifact contains.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    /// In one sentence.
    description: String,
    /// The crate that was compiled, and for which target, if the artifact contains binaries.
    binary: Option<(&'static str, String)>,
}

/// The bill of materials of these files.
pub(super) fn describe(files: &[PathBuf]) -> Result<String> {
    let mut artifacts = Vec::new();
    let mut depends = Vec::new();
    let mut crates = BTreeMap::<Crate, Linked>::new();
    for file in files {
        let contents = contents(name(file)?)?;
        artifacts.push(artifact(file, &contents)?);
        let mut on = Vec::new();
        if let Some((package, target)) = contents.binary {
            let linked = linked(package, &target)?;
            on = linked.keys().filter(|this| this.name == package).map(reference).collect();
            for (this, new) in linked {
                // On several platforms a crate depends on the crates of all of them.
                let known = crates.entry(this).or_default();
                known.dependencies.extend(new.dependencies);
                known.license = new.license;
            }
            on.push(standard_library()?.0);
        }
        depends.push(json!({ "ref": name(file)?, "dependsOn": on }));
    }
    let checksums = checksums()?;
    for (this, Linked { dependencies, .. }) in &crates {
        let on: Vec<String> = dependencies.iter().map(reference).collect();
        depends.push(json!({ "ref": reference(this), "dependsOn": on }));
    }
    let (_, standard_library) = standard_library()?;
    let crates = crates.iter().map(|(this, linked)| library(this, linked, &checksums));
    let components: Vec<Value> =
        artifacts.into_iter().chain(crates).chain([standard_library]).collect();
    let time = stdout(
        command("git")
            .args(["log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ"])
            .env("TZ", "UTC"),
    )?;
    let bom = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time.trim(),
            "component": {
                "type": "library",
                "bom-ref": "backoff",
                "name": "backoff",
                "version": version::present()?.to_string(),
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
                "externalReferences": [
                    { "type": "vcs", "url": "https://github.com/backoff-rs/backoff" },
                ],
            },
        },
        "components": components,
        "dependencies": depends,
    });
    Ok(serde_json::to_string_pretty(&bom)? + "\n")
}

/// What the file with this name contains.
fn contents(file: &str) -> Result<Contents> {
    let version = version::present()?;
    let platform = |start: &str| {
        let rest = file.strip_prefix(start)?.strip_prefix(&format!("{version}-"))?;
        Some(rest.strip_suffix(".tar.gz")?.to_owned())
    };
    let binary = |what: &str, package, target: String| Contents {
        description: format!("{what} for {target}"),
        binary: Some((package, target)),
    };
    let source = |description: &str| Contents { description: description.into(), binary: None };
    let (_, end) = file.rsplit_once('.').unwrap_or_default();
    Ok(match (end, platform("backoff-"), platform("libbackoff-")) {
        ("gz", Some(target), _) => binary("The command", "backoff-cli", target),
        ("gz", _, Some(target)) => binary("The C library", "bindings-c", target),
        ("gz", ..) if file.starts_with("backoff_rs-") => {
            source("The source of the Python package, with the Cargo.lock that it is built with")
        }
        ("whl", ..) => {
            let target = wheel_target(file).with_context(|| format!("the platform of {file}"))?;
            binary("A wheel, which needs no other package,", "bindings-python", target.into())
        }
        ("tgz", ..) => {
            binary("An npm package, which needs no other package,", "bindings-wasm", WASM.into())
        }
        ("crate", ..) => {
            source("The source of a crate: cargo chooses its dependencies where it is built")
        }
        ("zip", ..) if file.starts_with("backoff-go-adapter-") => {
            source("The source of a Go module, which needs those in its go.mod")
        }
        ("zip", ..) => {
            source("The source of the Go module, which needs the standard library of Go only")
        }
        _ => bail!("the SBOM does not know what {file} contains"),
    })
}

/// Rust's name of the platform in the name of a wheel.
fn wheel_target(file: &str) -> Option<&'static str> {
    let is = |system: &str, machine: &str| file.contains(system) && file.contains(machine);
    [
        ("manylinux", "x86_64", "x86_64-unknown-linux-gnu"),
        ("manylinux", "aarch64", "aarch64-unknown-linux-gnu"),
        ("musllinux", "x86_64", "x86_64-unknown-linux-musl"),
        ("musllinux", "aarch64", "aarch64-unknown-linux-musl"),
        ("macosx", "x86_64", "x86_64-apple-darwin"),
        ("macosx", "arm64", "aarch64-apple-darwin"),
        ("win", "amd64", "x86_64-pc-windows-gnu"),
    ]
    .into_iter()
    .find_map(|(system, machine, target)| is(system, machine).then_some(target))
}

fn artifact(file: &Path, contents: &Contents) -> Result<Value> {
    Ok(json!({
        "type": "file",
        "bom-ref": name(file)?,
        "name": name(file)?,
        "version": version::present()?.to_string(),
        "description": contents.description,
        "hashes": [{ "alg": "SHA-256", "content": sha256(file)? }],
    }))
}

fn reference(this: &Crate) -> String {
    format!("pkg:cargo/{}@{}", this.name, this.version)
}

fn library(this: &Crate, linked: &Linked, checksums: &BTreeMap<Crate, String>) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(this),
        "name": this.name,
        "version": this.version,
        // Old manifests have a slash for OR.
        "licenses": [{ "expression": linked.license.replace('/', " OR ") }],
        "purl": reference(this),
    });
    if let Some(checksum) = checksums.get(this) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// The standard library of Rust, which every binary contains in part.
fn standard_library() -> Result<(String, Value)> {
    let about = stdout(command("rustc").arg("-V"))?;
    let version = about.split(' ').nth(1).context("the version of rustc")?;
    let reference = format!("pkg:generic/rust-std@{version}");
    let component = json!({
        "type": "library",
        "bom-ref": reference,
        "name": "rust-std",
        "version": version,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        "purl": reference,
    });
    Ok((reference, component))
}

/// The checksums of the crates from the registry, as in `Cargo.lock`.
fn checksums() -> Result<BTreeMap<Crate, String>> {
    let lock: toml::Table =
        std::fs::read_to_string(crate::shell::root().join("Cargo.lock"))?.parse()?;
    let packages = lock.get("package").and_then(toml::Value::as_array).context("no packages")?;
    let checksum = |package: &toml::Value| {
        let text = |key| Some(package.get(key)?.as_str()?.to_owned());
        Some((Crate { name: text("name")?, version: text("version")? }, text("checksum")?))
    };
    Ok(packages.iter().filter_map(checksum).collect())
}

#[cfg(test)]
mod tests {
    use super::contents;
    use crate::version;

    #[test]
    fn the_name_of_an_artifact_says_what_is_linked_into_it() {
        let version = version::present().unwrap();
        for (file, package, target) in [
            (
                "backoff-V-aarch64-unknown-linux-musl.tar.gz",
                "backoff-cli",
                "aarch64-unknown-linux-musl",
            ),
            ("libbackoff-V-x86_64-pc-windows-gnu.tar.gz", "bindings-c", "x86_64-pc-windows-gnu"),
            (
                "backoff_rs-V-cp311-abi3-manylinux_2_17_aarch64.whl",
                "bindings-python",
                "aarch64-unknown-linux-gnu",
            ),
            ("backoff_rs-V-cp311-abi3-win_amd64.whl", "bindings-python", "x86_64-pc-windows-gnu"),
            ("backoff-wasm-V.tgz", "bindings-wasm", "wasm32-unknown-unknown"),
        ] {
            let contents = contents(&file.replace('V', &version.to_string())).unwrap();
            assert_eq!(contents.binary, Some((package, target.to_owned())));
        }
        for file in ["backoff-core-V.crate", "backoff_rs-V.tar.gz"] {
            assert_eq!(contents(&file.replace('V', &version.to_string())).unwrap().binary, None);
        }
        assert!(contents("other.txt").is_err());
    }
}
