//! The dashboards as Grafana reads them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One dashboard.
pub struct Board {
    pub file: PathBuf,
    pub json: Value,
}

/// A question of a panel or an annotation.
pub struct Question {
    /// Dashboard and panel.
    pub of: String,
    /// The title of the panel alone.
    pub panel: String,
    pub expr: String,
    /// Whether it asks for one moment only.
    pub instant: bool,
}

/// The folder of everything that Grafana and Prometheus are given.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("grafana")
}

/// Every dashboard, by the names of the files.
pub fn all() -> Vec<Board> {
    let entries = fs::read_dir(folder().join("dashboards")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 5, "{files:?}");
    files
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            let json = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            Board { file, json }
        })
        .collect()
}

impl Board {
    pub fn title(&self) -> &str {
        self.json["title"].as_str().unwrap()
    }

    pub fn uid(&self) -> &str {
        self.json["uid"].as_str().unwrap()
    }

    /// The panels that show something.
    pub fn panels(&self) -> impl Iterator<Item = &Value> {
        let panels = self.json["panels"].as_array().unwrap().iter();
        panels.filter(|panel| panel["type"] != "row")
    }

    /// The variables that are chosen from what Prometheus has: name and query.
    pub fn variables(&self) -> Vec<(&str, &str)> {
        let list = self.json["templating"]["list"].as_array().unwrap();
        let of_queries = list.iter().filter(|variable| variable["type"] == "query");
        of_queries
            .map(|variable| {
                let query = variable["query"]["query"].as_str().unwrap();
                (variable["name"].as_str().unwrap(), query)
            })
            .collect()
    }

    /// What the panels ask.
    pub fn questions(&self) -> Vec<Question> {
        let mut questions = Vec::new();
        for panel in self.panels() {
            let title = panel["title"].as_str().unwrap();
            for target in panel["targets"].as_array().unwrap() {
                questions.push(Question {
                    of: format!("{}, {title} ({})", self.title(), target["refId"]),
                    panel: title.to_owned(),
                    expr: target["expr"].as_str().unwrap().to_owned(),
                    instant: target["instant"] == true,
                });
            }
        }
        questions
    }

    /// What the annotations ask.
    pub fn annotations(&self) -> Vec<Question> {
        let list = self.json["annotations"]["list"].as_array().unwrap();
        let ours = list.iter().filter(|one| one["expr"].is_string());
        ours.map(|one| Question {
            of: format!("{}, annotation {}", self.title(), one["name"]),
            panel: one["name"].as_str().unwrap().to_owned(),
            expr: one["expr"].as_str().unwrap().to_owned(),
            instant: false,
        })
        .collect()
    }
}

/// What Grafana puts in the place of its variables.
pub struct Chosen {
    /// By variable, what is chosen; everything where it is not listed.
    pub values: Vec<(String, Vec<String>)>,
    pub step_seconds: u64,
    pub scrape_seconds: u64,
    pub range_seconds: u64,
}

impl Chosen {
    /// An expression as Prometheus gets it.
    pub fn fill(&self, expr: &str) -> String {
        // Grafana's own rule: four scrapes, or a scrape more than a step.
        let rate = (self.step_seconds + self.scrape_seconds).max(4 * self.scrape_seconds);
        let mut filled = expr
            .replace("$__rate_interval", &format!("{rate}s"))
            .replace("$__interval", &format!("{}s", self.step_seconds))
            .replace("$__range", &format!("{}s", self.range_seconds));
        for name in ["instance", "policy", "user", "rule"] {
            let values = self.values.iter().find(|(of, _)| of == name);
            let text = values.map_or_else(|| ".*".to_owned(), |(_, values)| chosen(values));
            filled = filled.replace(&format!("${name}"), &text);
        }
        assert!(!filled.contains('$'), "an unknown variable: {filled}");
        filled
    }
}

/// Several values as Grafana's data source for Prometheus writes them.
fn chosen(values: &[String]) -> String {
    let escaped: Vec<String> = values.iter().map(|value| escaped(value)).collect();
    match escaped.as_slice() {
        [one] => one.clone(),
        many => format!("({})", many.join("|")),
    }
}

fn escaped(value: &str) -> String {
    let mut text = String::new();
    for letter in value.chars() {
        if letter == '\\' {
            text.push_str("\\\\\\");
        } else if "$^*{}[]'+?.()|".contains(letter) {
            text.push_str("\\\\");
        }
        text.push(letter);
    }
    text
}

#[test]
fn variables_are_filled_in_as_grafana_does() {
    let chosen = Chosen {
        values: vec![
            ("instance".into(), vec!["127.0.0.1:9".into()]),
            ("user".into(), vec!["a".into(), "b+c".into()]),
        ],
        step_seconds: 15,
        scrape_seconds: 1,
        range_seconds: 60,
    };
    let asked = r#"x{instance=~"$instance", user=~"$user", rule=~"$rule"}[$__rate_interval]"#;
    let filled = r#"x{instance=~"127\\.0\\.0\\.1:9", user=~"(a|b\\+c)", rule=~".*"}[16s]"#;
    assert_eq!(chosen.fill(asked), filled);
    assert_eq!(chosen.fill("y[$__range]"), "y[60s]");
}
