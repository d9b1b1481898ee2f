//! A real Prometheus that scrapes one pgsieve each second and knows our rules.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::{ChildSignal, SupervisedChild};
use serde_json::Value;

use super::boards;
use crate::support::ports::free_port;
use crate::support::until;

/// A running Prometheus. Ends with the value, its data too.
pub struct Prometheus {
    process: SupervisedChild,
    address: SocketAddr,
}

/// Seconds between scrapes.
pub const SCRAPE_SECONDS: u64 = 1;

impl Prometheus {
    /// Starts it and waits until it has scraped.
    pub fn start(target: SocketAddr) -> Self {
        let name = format!("pgsieve-prometheus-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        let rules = boards::folder().join("alerts/pgsieve.yaml");
        let config = format!(
            "global: {{scrape_interval: {SCRAPE_SECONDS}s, evaluation_interval: 1s}}\n\
             rule_files: ['{}']\n\
             scrape_configs:\n  - job_name: pgsieve\n    static_configs: [{{targets: ['{target}']}}]\n",
            rules.display()
        );
        fs::write(folder.join("prometheus.yml"), config).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let arguments = [
            format!("--config.file={}", folder.join("prometheus.yml").display()),
            format!("--storage.tsdb.path={}", folder.join("data").display()),
            format!("--web.listen-address={address}"),
            "--log.level=warn".to_owned(),
        ];
        let process =
            SupervisedChild::start(&folder, &program("prometheus"), &arguments, &[]).unwrap();
        let prometheus = Self { process, address };
        let scraped = until(|| prometheus.has_scraped().then_some(()));
        let said = prometheus.process.stderr();
        assert!(scraped.is_some(), "Prometheus has not begun:\n{said}");
        prometheus
    }

    /// The series of an expression at a moment.
    pub fn at(&self, expr: &str, time: f64) -> Result<Vec<Value>, String> {
        self.ask("query", &[("query", expr), ("time", &time.to_string())])
    }

    /// The series of an expression from a moment to another.
    pub fn between(&self, expr: &str, window: (f64, f64), step: u64) -> Result<Vec<Value>, String> {
        let (start, end) = (window.0.to_string(), window.1.to_string());
        let step = step.to_string();
        let fields = [
            ("query", expr),
            ("start", &start),
            ("end", &end),
            ("step", &step),
        ];
        self.ask("query_range", &fields)
    }

    /// The values of `label_values(series, label)`.
    pub fn label_values(&self, query: &str) -> Vec<String> {
        let inside = query
            .strip_prefix("label_values(")
            .and_then(|rest| rest.strip_suffix(')'))
            .expect(query);
        let (series, label) = inside.rsplit_once(", ").expect(query);
        let found = self.ask("series", &[("match[]", series)]).unwrap();
        let mut values: Vec<String> = found
            .iter()
            .filter_map(|series| Some(series[label].as_str()?.to_owned()))
            .collect();
        values.sort();
        values.dedup();
        values
    }

    /// The rules of all groups, as Prometheus tells of them.
    pub fn rules(&self) -> Vec<Value> {
        let (_, answer) = self.send("GET /api/v1/rules HTTP/1.0\r\n\r\n").unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let groups = answer["data"]["groups"].as_array().unwrap();
        let rules = groups.iter().flat_map(|group| {
            let rules = group["rules"].as_array().unwrap();
            rules.iter().cloned()
        });
        rules.collect()
    }

    fn has_scraped(&self) -> bool {
        let found = self.at("pgsieve_build_info", now());
        found.is_ok_and(|series| !series.is_empty())
    }

    fn ask(&self, what: &str, fields: &[(&str, &str)]) -> Result<Vec<Value>, String> {
        let encoded: Vec<String> = fields
            .iter()
            .map(|(name, value)| {
                let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
                format!("{name}={value}")
            })
            .collect();
        let body = encoded.join("&");
        // HTTP/1.0: the answer comes in one piece.
        let (status, answer) = self.send(&format!(
            "POST /api/v1/{what} HTTP/1.0\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        ))?;
        let answer: Value = serde_json::from_str(&answer)
            .map_err(|_| format!("status {status} and no JSON: {answer}"))?;
        let data = match what {
            "series" => &answer["data"],
            _ => &answer["data"]["result"],
        };
        match data.as_array() {
            Some(series) if answer["status"] == "success" => Ok(series.clone()),
            _ => Err(answer["error"].to_string()),
        }
    }

    fn send(&self, request: &str) -> Result<(u16, String), String> {
        let exchange = || {
            let mut stream = TcpStream::connect(self.address)?;
            stream.set_read_timeout(Some(Duration::from_secs(20)))?;
            stream.write_all(request.as_bytes())?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            std::io::Result::Ok(answer)
        };
        let answer = exchange().map_err(|error| error.to_string())?;
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        Ok((status.unwrap_or(0), body.to_owned()))
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // Nothing of its data is wanted.
        drop(self.process.signal(ChildSignal::Kill));
    }
}

/// A program of Debian's package `prometheus`.
pub fn program(name: &str) -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{name} is missing: run .ci/setup"))
}

/// Seconds since 1970.
pub fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs_f64()
}
