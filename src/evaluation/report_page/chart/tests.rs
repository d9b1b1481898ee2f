//! Numbers of the drawings.

use super::*;

const FIRST: ReportMark = ReportMark { number: 0 };

/// What an attribute of the rectangles of a class has in it.
fn rectangles(svg: &str, class: &str, attribute: &str) -> Vec<f64> {
    let start = format!("<rect class=\"{class}\"");
    let named = format!(" {attribute}=\"");
    let found = svg.split(&start).skip(1).map(|rest| {
        let value = rest.split(&named).nth(1).unwrap();
        value.split('"').next().unwrap().parse().unwrap()
    });
    found.collect()
}

fn columns(shares: &[(f64, f64)]) -> String {
    let columns = shares.iter().map(|(before, after)| RepairedShare {
        mark: FIRST,
        before: *before,
        after: *after,
    });
    let categories = vec![ColumnCategory {
        name: "1".into(),
        columns: columns.collect(),
    }];
    let chart = ColumnChart {
        title: "t",
        note: "n",
        categories,
    };
    chart.svg()
}

fn bars(values: &[f64], whole: Option<f64>) -> String {
    let bars = values.iter().map(|value| ValueBar {
        mark: FIRST,
        look: BarLook::OfReport,
        value: *value,
        text: value.to_string(),
    });
    let rows = vec![BarRow {
        name: "row".into(),
        bars: bars.collect(),
    }];
    let chart = BarChart {
        title: "t",
        note: "n",
        whole,
        rows,
    };
    chart.svg()
}

#[test]
fn columns_are_in_proportion_and_stand_on_the_ground() {
    let svg = columns(&[(0.5, 0.75), (1.0, 1.0), (0.8, 0.6), (0.0, 0.0)]);
    assert_eq!(rectangles(&svg, "bar", "height"), [80.0, 160.0, 96.0, 0.0]);
    assert_eq!(rectangles(&svg, "lift", "height"), [40.0, 0.0, 0.0]);
    assert_eq!(rectangles(&svg, "harm", "height"), [32.0]);
    let ends = rectangles(&svg, "bar", "y").into_iter();
    let ends = ends.zip(rectangles(&svg, "bar", "height"));
    assert!(ends.map(|(y, height)| y + height).all(|end| end == 178.0));
    for said in [">75</text>", ">100</text>", ">60</text>", ">0</text>"] {
        assert!(svg.contains(said), "{said}");
    }
}

#[test]
fn bars_are_in_proportion_to_the_largest_or_to_the_whole() {
    let widths = |svg: &str| rectangles(svg, "bar", "width");
    assert_eq!(widths(&bars(&[1.0, 2.0, 4.0], None)), [57.5, 115.0, 230.0]);
    assert_eq!(widths(&bars(&[0.25, 0.5], Some(1.0))), [57.5, 115.0]);
    assert_eq!(widths(&bars(&[0.0, 0.0], None)), [0.0, 0.0]);
}

#[test]
fn numbers_that_no_chart_can_show_are_drawn_as_the_nearest_end() {
    let hostile = [f64::NAN, f64::INFINITY, -3.0, 7.0, 1e308];
    for value in hostile {
        let svg = columns(&[(value, 0.5), (0.5, value)]) + &bars(&[value, 1.0], Some(1.0));
        assert!(!svg.contains("NaN\" ") && !svg.contains("inf\""), "{svg}");
        for attribute in ["height", "width", "y"] {
            for look in ["bar", "lift", "harm"] {
                for number in rectangles(&svg, look, attribute) {
                    assert!((0.0..=400.0).contains(&number), "{value}: {number}");
                }
            }
        }
    }
}

#[test]
fn lines_rise_with_their_shares() {
    let line = |points: &[f64]| {
        let chart = LineChart {
            title: "t",
            note: "n",
            lines: vec![(FIRST, points.to_vec())],
        };
        chart.svg()
    };
    let svg = line(&[0.5, 1.0, 0.0]);
    let points = svg.split("points=\"").nth(1).unwrap();
    let points = points.split('"').next().unwrap();
    let heights: Vec<&str> = points
        .split(' ')
        .map(|one| one.split(',').nth(1).unwrap())
        .collect();
    assert_eq!(heights, ["98.00", "18.00", "178.00"]);
    assert_eq!(line(&[0.5]), "", "one point is no line");
    let chart = LineChart {
        title: "t",
        note: "n",
        lines: vec![
            (FIRST, vec![0.5, 1.0]),
            (FIRST, vec![0.75]),
            (FIRST, Vec::new()),
        ],
    };
    let svg = chart.svg();
    assert_eq!(svg.matches(",58.00").count(), 2, "it stays: {svg}");
    assert!(svg.contains("points=\"\""), "{svg}");
}

#[test]
fn labels_of_points_that_are_near_each_other_stand_apart() {
    let lines = [0.81, 0.8, 0.8, 0.3].map(|share| (FIRST, vec![share, share]));
    let chart = LineChart {
        title: "t",
        note: "n",
        lines: lines.to_vec(),
    };
    let svg = chart.svg();
    let labels = svg.split("</text>").filter(|text| text.contains(">A "));
    let labels = labels.map(|text| {
        let y = text.rsplit(" y=\"").next().unwrap();
        y.split('"').next().unwrap().parse::<f64>().unwrap()
    });
    let labels: Vec<f64> = labels.collect();
    assert_eq!(labels[..4], labels[4..], "both attempts are alike");
    assert!(
        labels[..4].windows(2).all(|pair| pair[1] - pair[0] >= 13.0),
        "{labels:?}"
    );
}

#[test]
fn names_are_escaped_and_cut_to_their_room() {
    let hostile = "</svg><script>alert(1)</script>\u{202e}";
    let row = BarRow {
        name: hostile.repeat(40),
        bars: Vec::new(),
    };
    let chart = BarChart {
        title: "t",
        note: "n",
        whole: None,
        rows: vec![row],
    };
    let svg = chart.svg();
    assert!(
        !svg.contains("<script") && !svg.contains('\u{202e}'),
        "{svg}"
    );
    assert_eq!(svg.matches("</svg>").count(), 1);
    assert!(svg.contains("<title>") && svg.contains('…'));
    assert!(svg.len() < 2_500, "{}", svg.len());
}

#[test]
fn reports_have_letters_and_colours_however_many_there_are() {
    let of = |number| {
        (
            ReportMark { number }.letter(),
            ReportMark { number }.class(),
        )
    };
    assert_eq!(of(0), ("A".into(), "r0".into()));
    assert_eq!(of(25), ("Z".into(), "r1".into()));
    assert_eq!(of(26), ("27".into(), "r2".into()));
}
