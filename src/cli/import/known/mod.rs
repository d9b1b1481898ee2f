//! What PgBouncer can be told, and what pgsieve has in its place. The table for people is printed
//! from the same rows.

pub mod connection_parameters;
pub mod settings;

use crate::cli::import::value_form::ValueForm;

/// A setting of PgBouncer, or a parameter of a connection string.
#[derive(Debug)]
pub struct KnownSetting {
    /// Its name.
    pub name: &'static str,
    /// How its value is written.
    pub form: ValueForm,
    /// What holds when it is absent; empty for nothing.
    pub default: &'static str,
    /// What pgsieve has in its place.
    pub counterpart: Counterpart,
    /// What is to be said about that.
    pub doc: &'static str,
}

/// What pgsieve has in the place of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counterpart {
    /// A key of its settings, or several.
    Key(&'static str),
    /// A key of policies.
    Policy(&'static str),
    /// It is so in any case, or no client would notice.
    Unneeded,
    /// People who run it have another way.
    Otherwise,
    /// Nothing.
    Nothing,
}

const fn row(
    name: &'static str,
    form: ValueForm,
    default: &'static str,
    counterpart: Counterpart,
    doc: &'static str,
) -> KnownSetting {
    KnownSetting {
        name,
        form,
        default,
        counterpart,
        doc,
    }
}

impl KnownSetting {
    /// The one of a name.
    pub fn named<'t>(table: &'t [Self], name: &str) -> Option<&'t Self> {
        table.iter().find(|known| known.name == name)
    }

    /// Whether a value means what holds by default.
    pub fn is_default(&self, value: &str) -> bool {
        let same: &[&str] = match self.name {
            "client_tls_ciphers" | "server_tls_ciphers" => &["default", "secure", "fast", "normal"],
            "client_tls_protocols" | "server_tls_protocols" => {
                &["secure", "tlsv1.2,tlsv1.3", "tlsv1.3,tlsv1.2"]
            }
            _ => return self.form.is_same(value, self.default),
        };
        let value = value.replace(' ', "").to_ascii_lowercase();
        same.contains(&value.as_str())
    }

    /// A row of the table for people.
    fn line(&self) -> String {
        let Self { name, doc, .. } = self;
        let place = match self.counterpart {
            Counterpart::Key(keys) => {
                let keys: Vec<String> = keys.split(' ').map(|key| format!("`{key}`")).collect();
                keys.join(", ")
            }
            Counterpart::Policy(key) => format!("policy: `{key}`"),
            Counterpart::Unneeded => "not needed".to_owned(),
            Counterpart::Otherwise => "otherwise".to_owned(),
            Counterpart::Nothing => "–".to_owned(),
        };
        format!("| `{name}` | {place} | {doc} |\n")
    }
}

/// All of it, as a table in Markdown.
pub fn markdown() -> String {
    let mut text = String::from("| PgBouncer | pgsieve | |\n|---|---|---|\n");
    let sections = [
        ("", settings::SETTINGS),
        ("[databases]", connection_parameters::DATABASE),
        ("[users]", connection_parameters::USER),
        ("[peers]", connection_parameters::PEER),
    ];
    for (section, table) in sections {
        if !section.is_empty() {
            text.push_str(&format!("| **`{section}`** | | |\n"));
        }
        text.extend(table.iter().map(KnownSetting::line));
    }
    text
}
