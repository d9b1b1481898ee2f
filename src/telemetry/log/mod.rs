//! Lines for a person, and for what watches: what started, what failed, what needs a look. They go
//! to stderr, a file or a syslog, as text or as JSON, and each has a name that stays.
//!
//! Never SQL, passwords or rows: a line is put together by an event out of closed words, addresses
//! and cleaned names. A flood is cut to a number of lines per second and summed up.

pub mod key_places;
pub mod log_event;

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::LOG_LINES_PER_SECOND_MAX;
use crate::telemetry::audit::line_time::LineClock;
use crate::telemetry::audit::settings::SyslogAddress;
use crate::telemetry::audit::syslog::SyslogReceiver;
use crate::telemetry::json_text::push_string;
use crate::telemetry::log::key_places::KeyPlaces;
use crate::telemetry::log::log_event::LogEvent;

/// Where log lines go. Cheap to clone.
#[derive(Clone)]
pub struct EventLog {
    state: Option<Arc<Mutex<LogState>>>,
}

/// Where log lines go, how, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// How they are written.
    pub format: LogFormat,
    /// Those below are left out.
    pub level: LogLevel,
    /// Where they go.
    pub to: LogTarget,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Time, level, name, a colon and words.
    Text,
    /// An object with `time`, `level`, `event` and `text`.
    Json,
}

/// Where log lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTarget {
    /// Standard error.
    Stderr,
    /// A file that only its owner may read; lines are appended.
    File(PathBuf),
    /// A syslog receiver that is sent datagrams: nobody waits for it.
    Syslog(SyslogAddress),
}

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// As expected.
    Info,
    /// Someone may want to look.
    Warn,
    /// Someone must look.
    Alarm,
}

/// The clock, the count of this second's lines, and the place.
struct LogState {
    clock: LineClock,
    second: i64,
    written: u64,
    dropped: u64,
    format: LogFormat,
    level: LogLevel,
    audit_sink: LogOutlet,
    places: KeyPlaces,
}

enum LogOutlet {
    Stderr,
    File(File, PathBuf),
    Syslog(Box<SyslogReceiver>),
}

impl EventLog {
    /// Lines go where the settings say.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(settings: &LogSettings) -> io::Result<Self> {
        let audit_sink = match &settings.to {
            LogTarget::Stderr => LogOutlet::Stderr,
            LogTarget::File(path) => LogOutlet::File(open(path)?, path.clone()),
            LogTarget::Syslog(place) => {
                LogOutlet::Syslog(Box::new(SyslogReceiver::for_log(place.clone())))
            }
        };
        let state = LogState {
            clock: LineClock::new(),
            second: 0,
            written: 0,
            dropped: 0,
            format: settings.format,
            level: settings.level,
            audit_sink,
            places: KeyPlaces::default(),
        };
        Ok(Self {
            state: Some(Arc::new(Mutex::new(state))),
        })
    }

    /// Lines go nowhere.
    pub fn off() -> Self {
        Self { state: None }
    }

    /// Writes one line about something of this name, unless this second had its share. Alarms are
    /// always written.
    pub fn line(&self, level: LogLevel, name: &'static str, what: fmt::Arguments<'_>) {
        let Some(state) = &self.state else { return };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if level < state.level {
            return;
        }
        let mut time = String::new();
        let second = state.clock.push_now(&mut time);
        if second != state.second {
            let dropped = state.dropped;
            (state.second, state.written, state.dropped) = (second, 0, 0);
            if dropped > 0 {
                let what = format!("{dropped} log lines were left out");
                state.write(&time, LogLevel::Warn, LogEvent::LinesLeftOut.name(), &what);
            }
        }
        if level != LogLevel::Alarm && state.written >= LOG_LINES_PER_SECOND_MAX {
            state.dropped += 1;
            return;
        }
        state.written += 1;
        state.write(&time, level, name, &what.to_string());
    }

    /// From now on, lines name the keys of the settings with these places.
    pub fn know(&self, places: KeyPlaces) {
        let Some(state) = &self.state else { return };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.places = places;
    }

    /// Where the settings give their keys.
    pub fn places(&self) -> KeyPlaces {
        let Some(state) = &self.state else {
            return KeyPlaces::default();
        };
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.places.clone()
    }

    /// Has a file opened anew, for whoever rotates it. One that cannot be is written to on.
    pub fn reopen(&self) {
        let Some(state) = &self.state else { return };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if let LogOutlet::File(file, path) = &mut state.audit_sink
            && let Ok(fresh) = open(path)
        {
            *file = fresh;
        }
    }
}

impl LogState {
    /// A place that takes nothing is no reason to stop serving: the line goes to stderr then.
    fn write(&mut self, time: &str, level: LogLevel, name: &'static str, what: &str) {
        let mut line = match self.format {
            LogFormat::Text => format!("{time} {} {name}: {what}", level.word()),
            LogFormat::Json => as_json(time, level, name, what),
        };
        let written = match &mut self.audit_sink {
            LogOutlet::Stderr => Err(io::ErrorKind::Unsupported.into()),
            LogOutlet::File(file, _) => file.write_all(format!("{line}\n").as_bytes()),
            LogOutlet::Syslog(syslog) => syslog.send(&line),
        };
        if written.is_err() {
            line.push('\n');
            // A closed stderr is none either.
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }
}

impl LogLevel {
    /// As settings and JSON have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Alarm => "alarm",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Info | Self::Warn => self.name(),
            Self::Alarm => "ALARM",
        }
    }
}

impl Default for LogSettings {
    /// Everything, as text, on stderr.
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            level: LogLevel::Info,
            to: LogTarget::Stderr,
        }
    }
}

impl fmt::Display for LogTarget {
    /// As it is written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stderr => formatter.write_str("stderr"),
            Self::File(path) => path.display().fmt(formatter),
            Self::Syslog(place) => place.fmt(formatter),
        }
    }
}

fn as_json(time: &str, level: LogLevel, name: &'static str, what: &str) -> String {
    let mut line = format!(
        "{{\"time\":\"{time}\",\"level\":\"{}\",\"event\":\"{name}\",\"text\":",
        level.name()
    );
    push_string(&mut line, what);
    line.push('}');
    line
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(format: LogFormat, level: LogLevel) -> String {
        let folder = std::env::temp_dir().join(format!("pgsieve-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{format:?}-{level:?}"));
        let _ = std::fs::remove_file(&path);
        let to = LogTarget::File(path.clone());
        let log = EventLog::open(&LogSettings { format, level, to }).unwrap();
        log.line(LogLevel::Info, "one", format_args!("a \"b\" \n c"));
        log.line(LogLevel::Warn, "two", format_args!("d"));
        std::fs::rename(&path, folder.join("aside")).unwrap();
        log.line(LogLevel::Alarm, "three", format_args!("e"));
        log.reopen();
        log.line(LogLevel::Alarm, "four", format_args!("f"));
        let aside = std::fs::read_to_string(folder.join("aside")).unwrap();
        let text = aside + &std::fs::read_to_string(&path).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let cut = |line: &str| line.replacen(|c: char| c.is_ascii_digit(), "0", 99);
        text.lines().map(|line| cut(line) + "\n").collect()
    }

    #[test]
    fn lines_are_text_or_json_above_a_level_and_follow_the_file() {
        let time = "0000-00-00T00:00:00.000000Z";
        let warned = logged(LogFormat::Text, LogLevel::Warn);
        let wanted = [" warn two: d", " ALARM three: e", " ALARM four: f"];
        let wanted = wanted.map(|line| format!("{time}{line}\n")).concat();
        assert_eq!(warned, wanted);
        let all = logged(LogFormat::Json, LogLevel::Info);
        let lines: Vec<serde_json::Value> = all
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let names: Vec<&str> = lines
            .iter()
            .map(|line| line["event"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["one", "two", "three", "four"]);
        assert_eq!(lines[0]["text"], "a \"b\" \n c");
        assert_eq!(lines[2]["level"], "alarm");
        assert_eq!(lines[0]["time"], time);
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let to = LogTarget::File("/nowhere/x.log".into());
        let settings = LogSettings {
            to,
            ..LogSettings::default()
        };
        assert!(EventLog::open(&settings).is_err());
    }
}
