//! Other texts that a statement leads to, of which the gate has to say the same.

use pgsieve::sql::tree;

use crate::gate::effects::cases::Case;

/// The statement inside the statements that may carry it, as a part of queries, and in other
/// clothes, where the grammar lets it.
pub fn all(case: &Case) -> Vec<Case> {
    let text = case.text.trim_end().trim_end_matches(';');
    let mut texts = vec![
        format!("PREPARE wrapped AS {text}"),
        format!("DECLARE wrapped CURSOR FOR {text}\n"),
        format!("COPY ({text}\n) TO STDOUT"),
        format!("EXPLAIN {text}"),
        format!("SELECT * FROM ({text}\n) AS wrapped"),
        format!("SELECT count(*) FROM ({text}\n) AS wrapped"),
        format!("WITH wrapped AS ({text}\n) SELECT * FROM wrapped"),
        format!("WITH wrapped AS MATERIALIZED ({text}\n) TABLE wrapped"),
        format!("SELECT EXISTS ({text}\n)"),
        format!("SELECT 1 WHERE 1 NOT IN (SELECT 2 WHERE EXISTS ({text}\n))"),
        format!("({text}\n) UNION ALL ({text}\n)"),
        format!("SELECT w.* FROM generate_series(1, 1) g, LATERAL ({text}\n) w"),
        format!("SELECT ARRAY(SELECT 1 FROM ({text}\n) a) ORDER BY 1"),
        format!("/* SELECT 1 */ {text}\n;-- done"),
        format!("-- '\r\n/* /* ; */ ' \" $$ */\t\x0c{text}\n"),
    ];
    // Folded where it is not quoted. Literals change as well, which changes no name in them.
    if !text.contains('"') && !text.contains("U&") {
        texts.push(text.to_uppercase());
    }
    texts
        .into_iter()
        .filter(|text| tree::parse(text).is_ok())
        .map(|text| case.saying(text))
        .collect()
}
