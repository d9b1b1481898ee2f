//! Metrics: figures of the business, each with the one way in which it is computed.
//!
//! A metric with a name of its own is read like a relation, grouped by the dimensions that the
//! statement names: the SELECT that computes it is put in the place of its name, and judged as if
//! the client had written it. It lets nothing through.

use std::fmt;

use super::access::Glob;
use ground::words::words;

/// How a figure is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMetric {
    /// The relation or model whose rows it is computed of.
    pub base: MetricRelation,
    /// The aggregate: `sum(total - refunded)`.
    pub measure: String,
    /// What it may be grouped by, by name. Grains of time are among them.
    pub dimensions: Vec<MetricDimension>,
    /// The column that says when a row happened.
    pub time: Option<String>,
    /// Conditions on the rows that count.
    pub filters: Vec<String>,
    /// What else there is to say of it; empty where nothing is.
    pub note: String,
    /// The name under which it can be read, if it can.
    pub readable_as: Option<MetricRelation>,
    /// The columns of the base that its expressions name, each once, in order.
    pub columns: Vec<String>,
}

/// A name of two parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetricRelation {
    /// The schema.
    pub schema: String,
    /// The name in it.
    pub name: String,
}

/// What a metric may be grouped by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricDimension {
    /// Its name, by which statements name it.
    pub name: String,
    /// What it is, over the columns of the base.
    pub expression: String,
}

words! {
    /// The parts of time that a metric is grouped by: those of `date_trunc`.
    /// <https://www.postgresql.org/docs/current/functions-datetime.html#FUNCTIONS-DATETIME-TRUNC>
    MetricGrain {
        /// The minute.
        Minute => "minute",
        /// The hour.
        Hour => "hour",
        /// The day.
        Day => "day",
        /// The week, from Monday on.
        Week => "week",
        /// The month.
        Month => "month",
        /// The quarter.
        Quarter => "quarter",
        /// The year.
        Year => "year",
    }
}

impl KnownMetric {
    /// The SELECT that computes it, grouped by these dimensions, the first of which is 0. The
    /// figure has the name under which the metric can be read, else `measure`.
    pub fn select(&self, by: impl Fn(usize) -> bool) -> String {
        let chosen = self.dimensions.iter().enumerate();
        let chosen: Vec<&MetricDimension> = chosen
            .filter(|(number, _)| by(*number))
            .map(|(_, dimension)| dimension)
            .collect();
        let mut outputs: Vec<String> = chosen
            .iter()
            .map(|one| output(&one.expression, &one.name))
            .collect();
        outputs.push(output(&self.measure, self.figure()));
        let filters = self.filters.iter().map(|filter| format!("({filter})"));
        let filters = filters.collect::<Vec<_>>().join(" AND ");
        let condition = match filters.as_str() {
            "" => String::new(),
            filters => format!(" WHERE {filters}"),
        };
        let numbers: Vec<String> = (1..=chosen.len()).map(|one| one.to_string()).collect();
        let groups = match numbers.as_slice() {
            // Without groups it is one figure all the same, and never a row of the base.
            [] => " HAVING true".to_owned(),
            numbers => format!(" GROUP BY {}", numbers.join(", ")),
        };
        let (schema, base) = (in_quotes(&self.base.schema), in_quotes(&self.base.name));
        format!(
            "SELECT {} FROM {schema}.{base}{condition}{groups}",
            outputs.join(", ")
        )
    }

    /// The name of the column that holds the figure.
    pub fn figure(&self) -> &str {
        let name = self.readable_as.as_ref().map(|name| name.name.as_str());
        name.unwrap_or("measure")
    }
}

impl fmt::Display for MetricRelation {
    /// As a policy writes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (schema, name) = (Glob::new(&self.schema), Glob::new(&self.name));
        write!(formatter, "{schema}.{name}")
    }
}

fn output(expression: &str, name: &str) -> String {
    format!("({expression}) AS {}", in_quotes(name))
}

/// A name in quotes, whatever it is.
pub(super) fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
