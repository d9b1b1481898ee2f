//! What a person needs of a panel: a title, what to do, a unit.

use std::collections::BTreeSet;

use serde_json::Value;

use super::boards;

#[test]
fn every_panel_says_what_it_shows_and_what_to_do() {
    for board in boards::all() {
        let mut titles = BTreeSet::new();
        for panel in board.panels() {
            let title = panel["title"].as_str().unwrap();
            let of = format!("{}, {title}", board.title());
            assert!(!title.is_empty() && titles.insert(title), "{of}: twice");
            let description = panel["description"].as_str().expect(&of);
            assert!(
                description.len() > 25 && description.ends_with(['.', '?']),
                "{of}"
            );
            let defaults = &panel["fieldConfig"]["defaults"];
            assert!(defaults["unit"].is_string(), "{of}: no unit");
            let steps = defaults["thresholds"]["steps"].as_array();
            assert!(steps.is_some_and(|steps| !steps.is_empty()), "{of}");
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{of}");
            assert!(panel["libraryPanel"].is_null(), "{of}");
            for target in panel["targets"].as_array().expect(&of) {
                assert_eq!(target["datasource"]["uid"], "${datasource}", "{of}");
                let legend = target["legendFormat"].as_str().unwrap_or("");
                let needs_none = ["table", "stat"].contains(&panel["type"].as_str().unwrap());
                assert!(
                    needs_none || (!legend.is_empty() && legend != "__auto"),
                    "{of}"
                );
            }
        }
    }
}

#[test]
fn dashboards_are_stable_editable_and_linked() {
    let boards = boards::all();
    let uids: BTreeSet<&str> = boards.iter().map(boards::Board::uid).collect();
    assert_eq!(uids.len(), boards.len());
    for board in &boards {
        let json = &board.json;
        let file = board.file.file_stem().unwrap().to_string_lossy();
        assert_eq!(board.uid(), format!("pgsieve-{file}"));
        assert!(json["id"].is_null(), "{file}: an id of one Grafana");
        assert_eq!(json["editable"], true, "{file}");
        assert_eq!(json["tags"], serde_json::json!(["pgsieve"]), "{file}");
        assert_eq!(json["links"][0]["type"], "dashboards", "{file}");
        assert_eq!(json["links"][0]["includeVars"], true, "{file}");
        let names: Vec<&Value> = json["templating"]["list"]
            .as_array()
            .unwrap()
            .iter()
            .map(|variable| &variable["name"])
            .collect();
        assert_eq!(names[..2], ["datasource", "instance"], "{file}");
        let text = json.to_string();
        for (at, _) in text.match_indices("\"/d/") {
            let uid = text[at + 4..].split(['?', '"']).next().unwrap();
            assert!(uids.contains(uid), "{file} leads to {uid}");
        }
    }
}

/// Panels stand beside and under each other, not over each other.
#[test]
fn no_panel_covers_another() {
    for board in boards::all() {
        let mut taken = BTreeSet::new();
        for panel in board.json["panels"].as_array().unwrap() {
            let place = |key: &str| panel["gridPos"][key].as_u64().unwrap();
            assert!(place("x") + place("w") <= 24, "{}", panel["title"]);
            for x in place("x")..place("x") + place("w") {
                for y in place("y")..place("y") + place("h") {
                    assert!(taken.insert((x, y)), "{}: {}", board.uid(), panel["title"]);
                }
            }
        }
    }
}
