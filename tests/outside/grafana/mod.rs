//! Dashboards and alerts against the real thing: a pgsieve under mixed load that a real Prometheus
//! scrapes, and what Grafana and promtool say of the files.
//!
//! * `boards`: the dashboards as Grafana reads them, queries with their variables filled in
//! * `run`: Postgres, pgsieve, Prometheus and the load, once for all tests
//! * `load`: what clients do
//! * `panels`: every panel's query has data
//! * `names`: every metric that is named exists, and every metric is shown
//! * `rules`: promtool, and that no alert is without a test that it fires and one that it is silent
//! * `schema`: the dashboards fit the types that Grafana publishes
//! * `words`: titles, descriptions, units, links
//! * `pictures`: every dashboard in a browser

mod boards;
mod load;
mod names;
mod panels;
mod pictures;
mod prometheus;
mod rules;
mod run;
mod schema;
mod words;
