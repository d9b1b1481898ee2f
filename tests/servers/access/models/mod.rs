//! Models against a real Postgres: what a client reads through pgsieve is what it would read from a
//! database that really lacks the rows and values that the models leave away.
//!
//! * `shop`: the database, with what is hidden in one schema and without it in another
//! * `grammar`: random queries
//! * [`answers_are_those_of_a_database_without_what_is_hidden`]: both are asked the same
//! * `canary`: ways to what is hidden, each by itself

mod canary;
mod grammar;
mod shop;

mod tests {
    use crate::access::models::grammar::Grammar;
    use crate::access::models::shop::{self, Both};
    use crate::support::raw::Frame;

    #[test]
    fn answers_are_those_of_a_database_without_what_is_hidden() {
        let mut both = Both::open(shop::stack());
        let seed = number("MODELS_SEED").unwrap_or(1);
        let queries = number("MODELS_QUERIES").unwrap_or(3_000);
        println!("MODELS_SEED={seed} MODELS_QUERIES={queries}");
        let mut grammar = Grammar::new(seed);
        let (mut rows, mut failed, mut endless) = (0, 0, 0);
        for at in 0..queries {
            let query = grammar.query();
            let way = at % 3;
            let (real, through) = both.ask(&query, way);
            let wanted = Answer::of(&real);
            let found = Answer::of(&through);
            assert!(
                !shop::shows_hidden(&through),
                "seed {seed}: {query}\n{through:?}"
            );
            if wanted.took_too_long() || found.took_too_long() {
                both.ask("ROLLBACK", 0);
                endless += 1;
                continue;
            }
            assert_eq!(
                found,
                wanted,
                "seed {seed}, query {at}: {query}\n{:?}\n{:?}",
                real.iter().find(|frame| frame.kind == b'E'),
                through.iter().find(|frame| frame.kind == b'E')
            );
            rows += wanted.rows.len();
            failed += usize::from(wanted.error.is_some());
        }
        println!("{rows} rows, {failed} errors, {endless} took too long");
        // Else it has looked at nothing.
        let queries = usize::try_from(queries).unwrap();
        assert!(rows > queries && failed > 0 && failed + endless < queries / 3);
    }

    /// What a client makes of an answer, but for the order of rows.
    #[derive(Debug, PartialEq, Eq)]
    struct Answer {
        columns: Vec<(Vec<u8>, Vec<u8>)>,
        rows: Vec<Vec<u8>>,
        error: Option<String>,
    }

    impl Answer {
        fn of(frames: &[Frame]) -> Self {
            let bodies = |kind: u8| {
                let of_kind = frames.iter().filter(move |frame| frame.kind == kind);
                of_kind.map(|frame| frame.body.clone())
            };
            let error = frames.iter().find(|frame| frame.kind == b'E');
            let error = error.map(Frame::sqlstate);
            let mut rows: Vec<Vec<u8>> = bodies(b'D').map(|body| body.to_vec()).collect();
            rows.sort();
            if error.is_some() {
                // How far it came depends on the order in which rows were read.
                rows.clear();
            }
            Self {
                columns: bodies(b'T').flat_map(|body| columns(&body)).collect(),
                rows,
                error,
            }
        }
    }

    impl Answer {
        /// Or the end of the transaction before it did.
        fn took_too_long(&self) -> bool {
            matches!(self.error.as_deref(), Some("57014" | "25P02"))
        }
    }

    /// The names and types of a RowDescription: the rest says which table a column is of.
    fn columns(body: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut found = Vec::new();
        let mut rest = &body[2..];
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == 0).unwrap();
            let after = &rest[end + 1..];
            found.push((rest[..end].to_vec(), after[6..10].to_vec()));
            rest = &after[18..];
        }
        found
    }

    fn number(name: &str) -> Option<u64> {
        std::env::var(name).ok()?.parse().ok()
    }
}
