//! Random clients with passwords that are right, wrong, another user's or of before, while these
//! change: nobody is let in by one that has not held within the bound, nobody is kept out by one
//! that holds, and no connection serves two passwords.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use super::{Sieve, Wish, cluster, other_cluster, role_at, run};
use crate::support::raw::values;
use crate::support::{RawClient, frames};

const AGE: Duration = Duration::from_secs(1);
const STEPS: usize = 400;
const SIZE: usize = 2;

#[test]
fn nobody_reads_as_somebody_it_has_not_proved_to_be() {
    let clusters = [Some(cluster()), other_cluster()];
    let walks: Vec<_> = clusters
        .into_iter()
        .flatten()
        .flat_map(|cluster| [(cluster, 7), (cluster, 11)])
        .map(|(cluster, seed)| {
            thread::spawn(move || {
                let sieve = Sieve::start(&Wish {
                    cache_age: "1s",
                    size: SIZE,
                    cluster: Some(cluster),
                    ..Wish::default()
                });
                Model::new(&sieve, seed).go();
            })
        })
        .collect();
    for walk in walks {
        walk.join().unwrap();
    }
}

struct Model<'s> {
    sieve: &'s Sieve,
    random: u64,
    users: Vec<User>,
    open: Vec<Open>,
    /// Which user and password a connection is of.
    owners: HashMap<String, (usize, String)>,
    let_in_late: usize,
}

struct User {
    name: String,
    current: String,
    /// Passwords of before, and when each was known not to hold any more.
    ended: Vec<(String, Instant)>,
}

struct Open {
    user: usize,
    password: String,
    client: RawClient,
}

impl<'s> Model<'s> {
    fn new(sieve: &'s Sieve, seed: u64) -> Self {
        let users = (0..3).map(|_| {
            let name = role_at(sieve.cluster, "");
            User {
                current: name.clone(),
                name,
                ended: Vec::new(),
            }
        });
        Self {
            sieve,
            random: seed,
            users: users.collect(),
            open: Vec::new(),
            owners: HashMap::new(),
            let_in_late: 0,
        }
    }

    fn below(&mut self, most: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random >> 33).unwrap() % most
    }

    fn go(&mut self) {
        for step in 0..STEPS {
            match self.below(20) {
                0..=8 => self.log_in(step),
                9..=15 => self.ask(),
                16 => self.change(step),
                17 => thread::sleep(Duration::from_millis(150)),
                _ => self.leave(),
            }
        }
        println!("{} logins by a password of a moment ago", self.let_in_late);
    }

    fn log_in(&mut self, step: usize) {
        let at = self.below(self.users.len());
        let other = self.below(self.users.len());
        let choice = self.below(6);
        let user = &self.users[at];
        let password = match choice {
            0..=2 => user.current.clone(),
            3 => user
                .ended
                .last()
                .map_or("none".into(), |(password, _)| password.clone()),
            4 => self.users[other].current.clone(),
            _ => format!("wrong {step}"),
        };
        let came = Instant::now();
        match self.sieve.try_login(&user.name, &password) {
            Ok(client) => {
                if password != user.current {
                    let ended = user.ended.iter().rev().find(|(one, _)| *one == password);
                    let (_, ended) = ended.expect("a password that has held once");
                    assert!(came <= *ended + AGE, "{:?} late", came - *ended);
                    self.let_in_late += 1;
                }
                self.open.push(Open {
                    user: at,
                    password,
                    client,
                });
                if self.open.len() > 12 {
                    self.leave();
                }
            }
            Err(error) => {
                assert_eq!(error.sqlstate(), "28P01", "{error:?}");
                assert_ne!(password, user.current);
            }
        }
    }

    fn ask(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let at = self.below(self.open.len());
        let Open {
            user,
            password,
            client,
        } = &mut self.open[at];
        client.send(&frames::query("SELECT current_user, pg_backend_pid()"));
        let mut answer = Vec::new();
        let is_served = loop {
            let Ok(frame) = client.read() else {
                break false;
            };
            let kind = frame.kind;
            answer.push(frame);
            if kind == b'Z' {
                break true;
            }
        };
        if !is_served {
            // The pool had no connection of a password that holds no more.
            assert_ne!(*password, self.users[*user].current, "{answer:?}");
            self.open.swap_remove(at);
            return;
        }
        let told = values(&answer).remove(0);
        assert_eq!(told[0], self.users[*user].name);
        let owner = (*user, password.clone());
        let known = self.owners.entry(told[1].clone()).or_insert(owner.clone());
        assert_eq!(*known, owner, "{}", told[1]);
    }

    fn change(&mut self, step: usize) {
        let at = self.below(self.users.len());
        let user = &mut self.users[at];
        // Sometimes one of before is taken again.
        let again = step.is_multiple_of(3) && !user.ended.is_empty();
        let next = match again {
            true => user.ended.remove(0).0,
            false => format!("{}-{step}", user.name),
        };
        let change = format!("ALTER ROLE {} PASSWORD '{next}'", user.name);
        run(self.sieve.cluster, &[&change]);
        let before = std::mem::replace(&mut user.current, next);
        user.ended.push((before, Instant::now()));
        let passwords = user.ended.len() + 1;
        let connections = self.sieve.connections(&self.users[at].name);
        assert!(connections <= SIZE * passwords, "{connections}");
        // Where nobody has come with the next one, time alone ends what was known.
        if self.below(2) == 0 {
            thread::sleep(AGE + Duration::from_millis(10));
            let user = &self.users[at];
            let (before, _) = user.ended.last().unwrap();
            if *before != user.current {
                self.sieve.refuses(&user.name, before);
            }
        }
    }

    fn leave(&mut self) {
        if !self.open.is_empty() {
            let at = self.below(self.open.len());
            let mut left = self.open.swap_remove(at);
            left.client.send(&frames::terminate());
        }
    }
}
