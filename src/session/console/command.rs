//! What can be asked of the console. A text is a command as a whole or none: it is no SQL.

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsoleCommand {
    /// Nothing.
    Empty,
    /// The commands.
    Help,
    /// A table.
    Show(ConsoleView),
    /// Something is to be done.
    Act(ConsoleAct),
}

/// A table that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleView {
    /// Clients that are in.
    Clients,
    /// Settings that PgBouncer has as well.
    Config,
    /// Databases that are known.
    Databases,
    /// How many there are of what.
    Lists,
    /// Pools of connections.
    Pools,
    /// Connections to the upstream.
    Servers,
    /// What was done in each database, in all and on average.
    Stats,
    /// The averages alone.
    StatsAverages,
    /// The totals alone.
    StatsTotals,
    /// The version.
    Version,
}

/// Something that can be done; with a database to that alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsoleAct {
    /// No connections are given.
    Pause(Option<Box<str>>),
    /// They are given again.
    Resume(Option<Box<str>>),
    /// Connections are made anew.
    Reconnect(Option<Box<str>>),
    /// Settings and policies are read again.
    Reload,
}

impl ConsoleCommand {
    /// Reads a text; none where it is no command.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(|letter: char| letter == ';' || letter.is_whitespace());
        let (verb, rest) = first_word(text);
        let verb = verb.to_ascii_lowercase();
        Some(match (verb.as_str(), rest) {
            ("", _) => Self::Empty,
            ("show", rest) => match rest.to_ascii_lowercase().as_str() {
                "help" => Self::Help,
                name => Self::Show(ConsoleView::named(name)?),
            },
            ("pause", rest) => Self::Act(ConsoleAct::Pause(database(rest)?)),
            ("resume", rest) => Self::Act(ConsoleAct::Resume(database(rest)?)),
            ("reconnect", rest) => Self::Act(ConsoleAct::Reconnect(database(rest)?)),
            ("reload", "") => Self::Act(ConsoleAct::Reload),
            _ => return None,
        })
    }
}

impl ConsoleView {
    fn named(name: &str) -> Option<Self> {
        let mut views = VIEWS.iter();
        views
            .find(|(known, _)| *known == name)
            .map(|(_, view)| *view)
    }
}

impl ConsoleAct {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pause(_) => "PAUSE",
            Self::Resume(_) => "RESUME",
            Self::Reconnect(_) => "RECONNECT",
            Self::Reload => "RELOAD",
        }
    }

    /// The same as a word of records.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pause(_) => "pause",
            Self::Resume(_) => "resume",
            Self::Reconnect(_) => "reconnect",
            Self::Reload => "reload",
        }
    }

    /// The database that it is about, if it is about one alone.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Pause(database) | Self::Resume(database) | Self::Reconnect(database) => {
                database.as_deref()
            }
            Self::Reload => None,
        }
    }
}

/// The first word, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// The name of a database, or nothing: a word as it is, or whatever is in double quotes. None
/// where it is neither.
fn database(text: &str) -> Option<Option<Box<str>>> {
    let Some(quoted) = text.strip_prefix('"') else {
        let is_word = !text.contains(|letter: char| letter.is_whitespace() || letter == '"');
        let name = Some(text).filter(|text| !text.is_empty());
        return (is_word && !text.contains(';')).then(|| name.map(Box::from));
    };
    let name = quoted.strip_suffix('"')?;
    let single = name.replace("\"\"", "");
    let is_whole = !name.is_empty() && !single.contains('"');
    is_whole.then(|| Some(name.replace("\"\"", "\"").into()))
}

/// The tables, by their names.
const VIEWS: [(&str, ConsoleView); 10] = [
    ("clients", ConsoleView::Clients),
    ("config", ConsoleView::Config),
    ("databases", ConsoleView::Databases),
    ("lists", ConsoleView::Lists),
    ("pools", ConsoleView::Pools),
    ("servers", ConsoleView::Servers),
    ("stats", ConsoleView::Stats),
    ("stats_averages", ConsoleView::StatsAverages),
    ("stats_totals", ConsoleView::StatsTotals),
    ("version", ConsoleView::Version),
];

/// The commands, for people.
pub const HELP: &str = "\n\tSHOW HELP|CONFIG|DATABASES|POOLS|CLIENTS|SERVERS|VERSION\n\tSHOW LISTS\
    |STATS|STATS_TOTALS|STATS_AVERAGES\n\tPAUSE [<database>]\n\tRESUME [<database>]\n\tRECONNECT \
    [<database>]\n\tRELOAD";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_command_or_none() {
        use ConsoleCommand::{Act, Empty, Help, Show};
        let pause = |name: &str| Some(Act(ConsoleAct::Pause(Some(name.into()))));
        for (text, read) in [
            ("", Some(Empty)),
            (" ; ;\n", Some(Empty)),
            ("SHOW HELP", Some(Help)),
            ("show pools;", Some(Show(ConsoleView::Pools))),
            (
                "  Show\tStats_Totals ; ",
                Some(Show(ConsoleView::StatsTotals)),
            ),
            ("SHOW", None),
            ("SHOW FDS", None),
            ("SHOW POOLS extra", None),
            ("SHOW POOLS; SHOW STATS", None),
            ("SHOW POOLS -- why", None),
            ("PAUSE", Some(Act(ConsoleAct::Pause(None)))),
            ("pause Shop;", pause("Shop")),
            ("PAUSE \"my \"\"own\"\" shop\"", pause("my \"own\" shop")),
            ("PAUSE a b", None),
            ("PAUSE a;b", None),
            ("PAUSE \"a", None),
            ("PAUSE \"\"", None),
            ("PAUSE \"a\"b\"", None),
            ("PAUSE a\"b", None),
            ("RESUME", Some(Act(ConsoleAct::Resume(None)))),
            (
                "RECONNECT x",
                Some(Act(ConsoleAct::Reconnect(Some("x".into())))),
            ),
            ("RELOAD", Some(Act(ConsoleAct::Reload))),
            ("RELOAD x", None),
            ("SHUTDOWN", None),
            ("select 1", None),
            ("BEGIN", None),
        ] {
            assert_eq!(ConsoleCommand::read(text), read, "{text:?}");
        }
    }

    #[test]
    fn the_help_names_every_table() {
        for (name, _) in VIEWS {
            assert!(HELP.contains(&name.to_ascii_uppercase()), "{name}");
        }
    }
}
