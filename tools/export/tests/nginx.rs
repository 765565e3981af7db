//! Import of whole files of nginx.

use backoff_export::{Format, ImportOptions, import, import_with};

/// The servers of an upstream, each of which nginx tries once, limit the retries.
#[test]
fn nginx_tries_each_server_once() {
    let retries = |text: &str, servers| {
        let options = ImportOptions { servers, ..ImportOptions::default() };
        let found = import_with(text, Format::Nginx, options).map_err(|error| error.to_string())?;
        Ok::<_, String>((found.policy.max_retries(), found.warnings.len()))
    };
    let three = "proxy_next_upstream_tries 3;";
    assert_eq!(retries(three, None), Ok((2, 1)));
    assert_eq!(retries(three, Some(3)), Ok((2, 0)));
    assert_eq!(retries(three, Some(2)), Ok((1, 0)));
    assert_eq!(retries("proxy_next_upstream error;", Some(4)), Ok((3, 0)));
    assert_eq!(retries("proxy_next_upstream off;", None), Ok((0, 0)));
    assert!(retries("proxy_next_upstream_tries 0;", None).is_err());
}

/// Blocks inherit directives, and an upstream of addresses says how many servers there are.
#[test]
fn a_location_of_nginx_has_the_servers_of_its_upstream() {
    let text = r#"
http {
    proxy_next_upstream_timeout 5s;
    upstream two { server 10.0.0.1:80 weight=5; server [::1]:80; server unix:/a down; }
    upstream name { server example.org; server 10.0.0.1; }
    upstream three { server 10.0.0.1; server 10.0.0.2; server unix:/run/a backup; }
    server {
        location / { proxy_pass http://two/$1; proxy_next_upstream_tries 3; }
        location /a { proxy_pass http://three; proxy_next_upstream error; }
        location /a { set $b "${host}}"; if ($b = ${c}d) { return 1; }
            proxy_next_upstream off; proxy_pass http://name; }
        location /b { proxy_pass http://name; proxy_next_upstream_tries 2; }
        location /c { proxy_pass http://two; }
    }
    server { location / { proxy_pass http://three; proxy_next_upstream_tries 2; } }
}"#;
    let read = |at| {
        let options = ImportOptions { at: Some(at), ..ImportOptions::default() };
        let found = import_with(text, Format::Nginx, options).map_err(|error| error.to_string())?;
        assert_eq!(found.policy.to_string().matches(",max_elapsed=5s,").count(), 1);
        Ok::<_, String>((found.policy.max_retries(), found.warnings.len()))
    };
    let table = [
        ("http.server[0].location /", (1, 0)),
        ("http.server[0].location /a[0]", (2, 0)),
        ("http.server[0].location /a[1]", (0, 0)),
        // A name may have several addresses.
        ("http.server[0].location /b", (1, 1)),
        ("http.server[0].location /c", (1, 0)),
        ("http.server[1]", (1, 0)),
    ];
    for (at, expected) in table {
        assert_eq!(read(at), Ok(expected), "{at}");
    }
    let options = ImportOptions { servers: Some(9), at: Some("http.server[0].location /") };
    assert_eq!(import_with(text, Format::Nginx, options).unwrap().policy.max_retries(), 2);
    assert!(import(text, Format::Nginx).unwrap_err().is_ambiguous());
    let deep = "a {".repeat(1 << 20);
    let error = import(&deep, Format::Nginx).unwrap_err();
    assert_eq!(error.to_string(), "more than 64 blocks are in one another");
}

const WHOLE: &str = r"
http {
    upstream three { server 10.0.0.1; server 10.0.0.2; server 10.0.0.3; }
    server {
        location /set { proxy_pass http://three; proxy_next_upstream_tries 2; }
        location /a { proxy_pass http://three; }
        location /b { proxy_pass http://name; }
        location /static { root /srv; }
        location /if { proxy_pass http://three; proxy_next_upstream_tries 2;
            if ($slow) { proxy_pass http://three; proxy_next_upstream_tries 3; } }
    }
}";

/// The retries and the warnings of a place.
fn read(text: &str, at: Option<&str>) -> Result<(u64, Vec<String>), String> {
    let options = ImportOptions { at, ..ImportOptions::default() };
    let found = import_with(text, Format::Nginx, options).map_err(|error| error.to_string())?;
    Ok((found.policy.max_retries(), found.warnings))
}

#[test]
fn a_location_without_a_directive_is_named() {
    let text = WHOLE.replace("tries 3", "tries 2");
    let note = |places: &str| {
        vec![format!(
            "not imported, because no directive is set there: {places}; nginx tries each server of \
             such an upstream once"
        )]
    };
    let places = "http.server.location /a, http.server.location /b";
    assert_eq!(read(&text, None), Ok((1, note(places))));
    assert_eq!(read(&text, Some("http.server.location /set")), Ok((1, vec![])));
    // Nothing is left out.
    let text = text.replace("location /a {", "location /a { proxy_next_upstream_tries 2;");
    let text = text.replace("location /b {", "location /b { proxy_next_upstream_tries 2;");
    assert_eq!(read(&text, Some("http.server.location /a")), Ok((1, vec![])));
    let inherited = WHOLE.replace("http {", "http { proxy_next_upstream_timeout 5s;");
    assert_eq!(read(&inherited, Some("http.server.location /a")), Ok((2, vec![])));
}

/// What nginx does without a directive is a policy, if the number of servers is known.
#[test]
fn a_location_without_a_directive_can_be_chosen() {
    assert_eq!(read(WHOLE, Some("http.server.location /a")), Ok((2, vec![])));
    let error = read(WHOLE, Some("http.server.location /b")).unwrap_err();
    assert!(error.contains("say how many servers there are"), "{error}");
    let only = "upstream two { server 10.0.0.1; server 10.0.0.2; }
        server { location / { proxy_pass http://two; } }";
    assert_eq!(read(only, None), Ok((1, vec![])));
    let error = read(WHOLE, Some("http.server.location /c")).unwrap_err();
    assert!(error.contains("no policy is there; there is one at http.server.location /set"));
}

#[test]
fn every_place_that_an_error_lists_can_be_chosen() {
    let long = "/a/long/path/that/an/error/cuts/";
    let text = format!(
        "{WHOLE} server {{ location {long}1 {{ proxy_pass http://name; proxy_next_upstream_tries 4; }}
         location {long}2 {{ proxy_pass http://name; proxy_next_upstream_tries 5; }} }}"
    );
    let error = import(&text, Format::Nginx).unwrap_err();
    assert!(error.is_ambiguous());
    let retries = error.places().iter().map(|at| read(&text, Some(at)).unwrap().0);
    // A block inside `location /if` has a place of its own.
    assert_eq!(error.places()[1], "http.server.location /if");
    assert_eq!(retries.collect::<Vec<_>>(), [1, 1, 2, 3, 4], "{error}");
}
