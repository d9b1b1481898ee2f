//! The statements of `tests/data/corpus/repairs`: what fails, and what was meant.

/// One statement.
pub struct Entry {
    /// The schema that it speaks about.
    pub schema: &'static str,
    /// What REPAIR.md calls the repair it needs.
    pub class: Class,
    /// What the client sends.
    pub failing: String,
    /// What a careful person would have sent; none for a trap.
    pub meant: Option<String>,
    /// Where it stands: file and line.
    pub place: String,
}

/// What a statement is there to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The text has one reading.
    Exact,
    /// It needs the gates.
    Likely,
    /// Its only safe answer is an error.
    Trap,
}

/// All statements.
pub fn entries() -> Vec<Entry> {
    FILES
        .iter()
        .flat_map(|(schema, text)| read(schema, text))
        .collect()
}

fn read(schema: &'static str, text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = format!("{schema}:{}", number + 1);
        let Some((mark, rest)) = line.split_once(' ') else {
            assert!(matches!(line, "" | "#"), "{place}");
            continue;
        };
        let class = match mark {
            "#" | "##" => continue,
            "=" => {
                let last = entries.last_mut().expect("a statement before it");
                last.meant = Some(unescaped(rest));
                continue;
            }
            "E" => Class::Exact,
            "L" => Class::Likely,
            "T" => Class::Trap,
            _ => panic!("{place}: {line}"),
        };
        let (failing, meant) = sides(rest);
        entries.push(Entry {
            schema,
            class,
            failing: unescaped(&failing),
            meant: (class != Class::Trap).then(|| unescaped(&meant)),
            place,
        });
    }
    entries
}

/// Both readings of `a {{b=>c}} d`.
fn sides(text: &str) -> (String, String) {
    let (mut failing, mut meant) = (String::new(), String::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (inside, behind) = after.split_once("}}").expect("an end of the mark");
        let (wrong, right) = inside.split_once("=>").expect("two sides");
        failing.push_str(before);
        failing.push_str(wrong);
        meant.push_str(before);
        meant.push_str(right);
        rest = behind;
    }
    failing.push_str(rest);
    meant.push_str(rest);
    (failing, meant)
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n")
}

const FILES: [(&str, &str); 22] = [
    (
        "shop",
        include_str!("../../../data/corpus/repairs/shop.txt"),
    ),
    (
        "schools",
        include_str!("../../../data/corpus/repairs/schools.txt"),
    ),
    ("erp", include_str!("../../../data/corpus/repairs/erp.txt")),
    (
        "california_schools",
        include_str!("../../../data/corpus/repairs/california_schools.txt"),
    ),
    (
        "car_1",
        include_str!("../../../data/corpus/repairs/car_1.txt"),
    ),
    (
        "card_games",
        include_str!("../../../data/corpus/repairs/card_games.txt"),
    ),
    (
        "codebase_community",
        include_str!("../../../data/corpus/repairs/codebase_community.txt"),
    ),
    (
        "concert_singer",
        include_str!("../../../data/corpus/repairs/concert_singer.txt"),
    ),
    (
        "debit_card",
        include_str!("../../../data/corpus/repairs/debit_card.txt"),
    ),
    (
        "dog_kennels",
        include_str!("../../../data/corpus/repairs/dog_kennels.txt"),
    ),
    (
        "employee_hire",
        include_str!("../../../data/corpus/repairs/employee_hire.txt"),
    ),
    (
        "european_football_2",
        include_str!("../../../data/corpus/repairs/european_football_2.txt"),
    ),
    (
        "financial",
        include_str!("../../../data/corpus/repairs/financial.txt"),
    ),
    (
        "flight_2",
        include_str!("../../../data/corpus/repairs/flight_2.txt"),
    ),
    (
        "formula_1",
        include_str!("../../../data/corpus/repairs/formula_1.txt"),
    ),
    (
        "pets_1",
        include_str!("../../../data/corpus/repairs/pets_1.txt"),
    ),
    (
        "student_club",
        include_str!("../../../data/corpus/repairs/student_club.txt"),
    ),
    (
        "superhero",
        include_str!("../../../data/corpus/repairs/superhero.txt"),
    ),
    (
        "thrombosis_prediction",
        include_str!("../../../data/corpus/repairs/thrombosis_prediction.txt"),
    ),
    (
        "toxicology",
        include_str!("../../../data/corpus/repairs/toxicology.txt"),
    ),
    (
        "tvshow",
        include_str!("../../../data/corpus/repairs/tvshow.txt"),
    ),
    (
        "world_1",
        include_str!("../../../data/corpus/repairs/world_1.txt"),
    ),
];
