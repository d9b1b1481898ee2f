//! What the Dockerfile must say and must not.

use std::process::Command;

use pgsieve::config::keys::{FILE_VARIABLE, KEYS};

use super::text::{path, text};

/// The instructions of a Dockerfile, each on one line, without comments.
fn instructions() -> Vec<(String, String)> {
    let text = text("docker/Dockerfile");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let instruction = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((name.to_owned(), rest))
    };
    joined.lines().filter_map(instruction).collect()
}

/// Those of the last stage: what the image itself is.
fn last_stage() -> Vec<(String, String)> {
    let all = instructions();
    let last = all.iter().rposition(|(name, _)| name == "FROM").unwrap();
    all[last..].to_vec()
}

/// The only instruction of a name in the last stage.
#[track_caller]
fn only(name: &str) -> String {
    let found: Vec<_> = last_stage()
        .into_iter()
        .filter(|(own, _)| own == name)
        .collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].1.clone()
}

#[test]
fn the_image_is_nobody_with_one_program() {
    assert_eq!(only("FROM"), "scratch");
    assert_eq!(only("USER"), "65532:65532");
    assert_eq!(only("ENTRYPOINT"), r#"["/usr/bin/pgsieve"]"#);
    assert_eq!(only("CMD"), r#"["serve"]"#);
    assert_eq!(only("STOPSIGNAL"), "SIGTERM");
    assert_eq!(only("EXPOSE"), "6432 9432");
    let check = only("HEALTHCHECK");
    assert!(
        check.ends_with(r#"CMD ["/usr/bin/pgsieve", "health"]"#),
        "{check}"
    );
    assert!(only("LABEL").contains("org.opencontainers.image.licenses=\"MIT OR Apache-2.0\""));
    // Nothing runs in the last stage: there is no shell, and no layer hides what another had.
    let names: Vec<String> = last_stage().into_iter().map(|(name, _)| name).collect();
    assert!(!names.contains(&"RUN".into()) && !names.contains(&"VOLUME".into()));
}

#[test]
fn the_image_takes_nothing_that_is_not_named() {
    for (name, rest) in instructions() {
        // ADD fetches and unpacks; a dot copies whatever lies about.
        assert_ne!(name, "ADD", "{rest}");
        if name == "COPY" {
            assert!(
                !rest.split(' ').any(|word| word == "." || word == "*"),
                "{rest}"
            );
        }
        let secretive = ["PASSWORD", "TOKEN", "SECRET", "KEY"];
        if matches!(name.as_str(), "ARG" | "ENV") {
            let shown = rest.to_uppercase();
            assert!(!secretive.iter().any(|word| shown.contains(word)), "{rest}");
        }
    }
    let ignored = text(".dockerignore");
    let mut rules = ignored
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    assert_eq!(rules.next(), Some("*"), "what is not named is left out");
    assert!(rules.all(|rule| rule.starts_with('!') && rule != "!docker" && rule != "!*"));
}

#[test]
fn what_is_copied_is_there_and_sent_to_the_engine() {
    let ignored = text(".dockerignore");
    let mut sources = 0;
    for (name, rest) in instructions() {
        if name != "COPY" || rest.starts_with("--from=") {
            continue;
        }
        let words: Vec<&str> = rest.split(' ').collect();
        let (_, copied) = words.split_last().unwrap();
        for source in copied {
            assert!(path(source).exists(), "{source}");
            let sent = |rule: &str| {
                rule.strip_prefix('!')
                    .is_some_and(|rule| rule.starts_with(source))
            };
            assert!(ignored.lines().any(sent), "{source} is left out");
            sources += 1;
        }
    }
    assert_eq!(sources, 6);
}

#[test]
fn every_script_can_be_read_by_its_shell() {
    for script in ["prepare", "verify", "verify-unit", "postgres.sh"] {
        let mut command = Command::new("bash");
        let output = command.arg("-n").arg(path("docker").join(script)).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn the_builder_is_pinned_and_fetched_from_no_strange_frontend() {
    let text = text("docker/Dockerfile");
    assert!(
        !text.contains("syntax="),
        "a frontend would come from a registry"
    );
    assert!(
        !text.contains("--mount="),
        "an engine without BuildKit could not build it"
    );
    let builder = instructions()
        .into_iter()
        .find_map(|(_, rest)| rest.strip_prefix("BUILDER=").map(str::to_owned))
        .unwrap();
    let (_, tag) = builder.split_once(':').unwrap();
    assert!(tag.starts_with(|c: char| c.is_ascii_digit()), "{builder}");
    for (name, rest) in instructions() {
        if name == "RUN" && rest.contains("cargo build") {
            assert!(rest.contains("--release --locked"), "{rest}");
        }
    }
}

#[test]
fn every_variable_that_is_set_anywhere_is_known() {
    let files = [
        "Dockerfile",
        "compose.yaml",
        "pgsieve.service",
        "pgsieve.yaml",
        "stack.yaml",
    ];
    let mut seen = 0;
    for file in files {
        let text = text(&format!("docker/{file}"));
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| word.starts_with("PGSIEVE_") && *word != "PGSIEVE_") {
            let known = KEYS.iter().any(|key| key.variable() == word) || word == FILE_VARIABLE;
            assert!(known, "{file}: {word}");
            seen += 1;
        }
    }
    assert!(seen > 0);
}
