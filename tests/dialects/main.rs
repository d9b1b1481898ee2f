//! Foreign dialects: what a translation returns from a real Postgres is what the source dialect
//! returns, row by row.

#[cfg(test)]
mod bigquery;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod documented;
#[cfg(test)]
mod duckdb;
#[cfg(test)]
mod grammar;
#[cfg(test)]
mod mixed;
#[cfg(test)]
mod mysql;
#[cfg(test)]
mod mysql_server;
#[cfg(test)]
mod mysql_words;
#[cfg(test)]
mod people;
#[cfg(test)]
mod random;
#[cfg(test)]
mod repaired;
#[cfg(test)]
mod snowflake;
#[cfg(test)]
mod sqlite;
#[cfg(test)]
mod sqlite_words;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tsql;
