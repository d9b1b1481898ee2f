//! The pages in Markdown: links lead somewhere, files that are named exist, and the first page is
//! short.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Breach;

/// The first page, and the lines that it may have.
const FIRST_PAGE: (&str, usize) = ("README.md", 250);

/// Folders without pages of ours.
const LEFT_OUT: &[&str] = &["target", ".git", "node_modules"];

/// Named in pages, and made by whoever uses them: in no repository.
const MADE_LATER: &[&str] = &["docker/secrets"];

/// One page.
pub struct Page {
    /// Its path from the top, with `/`.
    pub path: String,
    /// The text as it is.
    pub text: String,
}

/// Every page below a folder.
pub fn read_all(root: &Path) -> Vec<Page> {
    let mut files = Vec::new();
    collect(root, &mut files);
    files.sort();
    let page = |file: &PathBuf| Page {
        path: file.strip_prefix(root).unwrap().display().to_string(),
        text: fs::read_to_string(file).unwrap(),
    };
    files.iter().map(page).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !LEFT_OUT.iter().any(|name| path.ends_with(name)) {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|end| end == "md") {
            files.push(path);
        }
    }
}

/// Everything that is wrong with these pages; `exists` tells of files and folders from the top.
pub fn breaches(pages: &[Page], exists: &dyn Fn(&str) -> bool) -> Vec<Breach> {
    let anchors: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|page| (page.path.as_str(), anchors(&page.text)))
        .collect();
    let mut found = Vec::new();
    for page in pages {
        let mut breach = |line, what| {
            found.push(Breach {
                path: page.path.clone(),
                line,
                what,
            });
        };
        let (first, lines_max) = FIRST_PAGE;
        let lines = page.text.lines().count();
        if page.path == first && lines > lines_max {
            breach(0, format!("{lines} lines, at most {lines_max}"));
        }
        for (line, text) in prose(&page.text) {
            for link in links(&without_code(text)) {
                if let Some(what) = wrong_link(&page.path, link, &anchors, exists) {
                    breach(line, what);
                }
            }
            for name in code(text).filter(|name| is_path(name)) {
                let name = name.trim_end_matches('/');
                if !is_there(&page.path, name, exists) {
                    breach(line, format!("{name} is named and is not there"));
                }
            }
        }
    }
    found
}

/// The lines outside of code blocks, counted from one.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    let lines = text.lines().enumerate();
    lines.filter_map(move |(number, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((number + 1, line))
    })
}

/// What stands between backticks of a line.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// The targets of the links and pictures of a line.
fn links(line: &str) -> Vec<&str> {
    let behind = line.split("](").skip(1);
    behind.filter_map(|rest| rest.split(')').next()).collect()
}

/// Why a link leads nowhere.
fn wrong_link(
    page: &str,
    link: &str,
    anchors: &BTreeMap<&str, BTreeSet<String>>,
    exists: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if link.starts_with("https://") || link.starts_with("http://") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let Some(path) = resolved(page, path) else {
        return Some(format!("{link} leads out of the repository"));
    };
    if !exists(&path) {
        return Some(format!("{link} leads to no file"));
    }
    if anchor.is_empty() {
        return None;
    }
    match anchors.get(path.as_str()) {
        Some(known) if known.contains(anchor) => None,
        _ => Some(format!("{link} leads to no heading")),
    }
}

/// The path from the top of what a page names; the page itself where that is nothing.
fn resolved(page: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(page.to_owned());
    }
    let folder = Path::new(page).parent()?;
    let mut parts: Vec<&str> = Vec::new();
    let whole = folder.join(path);
    for part in whole.components() {
        match part {
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// Whether a name in code is that of one file or folder: `src/lib.rs`, not `policies/*.yaml`.
fn is_path(name: &str) -> bool {
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let is_placeholder = |part: &str| {
        let stem = part.split('.').next().unwrap_or(part);
        !stem.is_empty() && !stem.contains(|c: char| c.is_ascii_lowercase())
    };
    let tops = ["src/", "tests/", "docker/", "policies/", "grafana/", ".ci/"];
    tops.iter().any(|top| name.starts_with(top))
        && name.chars().all(is_of_path)
        && !name.split('/').any(is_placeholder)
}

fn is_there(page: &str, name: &str, exists: &dyn Fn(&str) -> bool) -> bool {
    let from_page = resolved(page, name).is_some_and(|path| exists(&path));
    MADE_LATER.contains(&name) || exists(name) || from_page
}

/// What the headings of a page are linked by: lower case, blanks as hyphens, no other signs, and a
/// number behind a heading that stood before.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        let slug: String = title.trim().to_lowercase().chars().filter(kept).collect();
        let slug = slug.replace(' ', "-");
        let numbered = (1..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.clone())
            .chain(numbered)
            .find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

#[test]
fn the_pages_hold_together() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = read_all(root);
    assert!(pages.len() >= 8, "{} pages", pages.len());
    let exists = |path: &str| root.join(path).exists();
    let breaches = breaches(&pages, &exists);
    let lines: Vec<String> = breaches
        .iter()
        .map(|breach| format!("{}:{}: {}", breach.path, breach.line, breach.what))
        .collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn breaches_of_pages_are_seen() {
    let other =
        "# Other\n\n## What is *there*, and `why`\n\n## Twice\n## Twice\n```\n# code\n```\n";
    let wrong = |text: &str| {
        let pages = [("README.md", text), ("docs/other.md", other)].map(|(path, text)| Page {
            path: path.into(),
            text: text.into(),
        });
        let there = ["README.md", "docs/other.md", "docs", "src/lib.rs"];
        breaches(&pages, &|path| there.contains(&path)).len()
    };
    for sound in [
        "# A b\n[x](#a-b), [x](docs/other.md#what-is-there-and-why)",
        "[x](docs/other.md#twice-1) [x](https://example.com/#x) `src/lib.rs` `src/lib.rs:4`",
        "[x](docs/../docs/other.md) `docker/secrets/` `src/NAME.rs` `src/*.rs`",
        "```\n[x](nowhere.md) `src/gone.rs`\n```",
        "`[x](nowhere.md)`",
    ] {
        assert_eq!(wrong(sound), 0, "{sound}");
    }
    for broken in [
        "[x](#a-b)",
        "[x](gone.md)",
        "![x](gone.png)",
        "[x](docs/other.md#code)",
        "[x](docs/other.md#twice-2)",
        "[x](src/lib.rs#a)",
        "[x](../outside.md)",
        "`src/gone.rs`",
    ] {
        assert_eq!(wrong(broken), 1, "{broken}");
    }
    assert_eq!(wrong(&"line\n".repeat(251)), 1);
    assert_eq!(wrong(&"line\n".repeat(250)), 0);
}

#[test]
fn every_alert_is_in_the_table_of_alerts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let (rules, page) = (of("grafana/alerts/pgsieve.yaml"), of("grafana/README.md"));
    let alerts: Vec<&str> = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
        .collect();
    assert!(alerts.contains(&"PgsievePolicyMisfit"), "{alerts:?}");
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `Pgsieve"))
        .collect();
    for alert in alerts {
        let named = format!("`{alert}`");
        assert!(rows.iter().any(|row| row.contains(&named)), "{alert}");
    }
}
