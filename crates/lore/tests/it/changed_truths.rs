//! Truths that changed: small vaults with questions and the order in which the pages must come, in every search mode.
//!
//! A scenario is `=== name`, then settings, questions and expectations, then the pages:
//!
//! - `tag T` and `limit N` are passed with every question;
//! - `? question`, or `? question | day` as of a day; several in a row share the expectations that follow;
//! - `> a, b, !c`: `a` is the first hit and comes before `b`, and `c` is not returned; `@a @b` may come in either order;
//! - `@@ path` starts a page.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const NOW: &str = "2026-06-15T12:00:00Z";

const MODES: [&str; 3] = ["hybrid", "lexical", "semantic"];

#[derive(Default)]
struct Scenario {
    name: String,
    settings: Vec<(String, String)>,
    questions: Vec<Question>,
    pages: Vec<(String, String)>,
}

struct Question {
    text: String,
    as_of: Option<String>,
    expected: Vec<Vec<BTreeSet<String>>>,
    unwanted: Vec<String>,
}

fn scenarios(text: &str) -> Vec<Scenario> {
    text.split("=== ").skip(1).map(scenario).collect()
}

fn scenario(text: &str) -> Scenario {
    let (head, pages) = text.split_once("@@ ").expect("a page");
    let mut lines = head.lines();
    let name = lines.next().expect("a name").to_owned();
    let mut found = Scenario { name, ..Scenario::default() };
    let mut open = 0;
    for line in lines.filter(|line| !line.is_empty()) {
        let (mark, rest) = line.split_once(' ').expect("a mark and a text");
        match mark {
            "?" => {
                // Questions in a row share the expectations after them.
                if found.questions.last().is_some_and(Question::is_complete) {
                    open = found.questions.len();
                }
                let (text, as_of) = match rest.split_once(" | ") {
                    Some((text, day)) => (text, Some(day.to_owned())),
                    None => (rest, None),
                };
                let text = text.to_owned();
                found.questions.push(Question { text, as_of, expected: Vec::new(), unwanted: Vec::new() });
            }
            ">" => found.questions[open..].iter_mut().for_each(|question| question.expect(rest)),
            setting => found.settings.push((setting.to_owned(), rest.to_owned())),
        }
    }
    for page in pages.split("\n@@ ") {
        let (path, text) = page.split_once('\n').expect("a path and a text");
        found.pages.push((path.to_owned(), text.to_owned()));
    }
    found
}

impl Question {
    fn is_complete(&self) -> bool {
        !self.expected.is_empty()
    }

    fn expect(&mut self, pages: &str) {
        let groups = pages.split(", ");
        let (unwanted, wanted): (Vec<&str>, Vec<&str>) = groups.partition(|group| group.starts_with('!'));
        self.unwanted.extend(unwanted.iter().map(|page| page[1..].to_owned()));
        let group =
            |group: &&str| group.split(' ').map(|page| page.trim_start_matches('@').to_owned()).collect();
        self.expected.push(wanted.iter().map(group).collect());
    }

    /// Returns what is wrong with an answer. Full-text search returns only pages with the words; their order counts.
    fn fault(&self, tool: &str, found: &[&str]) -> Option<String> {
        if let Some(page) = self.unwanted.iter().find(|page| found.contains(&page.as_str())) {
            return Some(format!("{page} is returned"));
        }
        for order in &self.expected {
            let place = |page: &String| found.iter().position(|slug| slug == page);
            let mut last = None;
            let optional = |group: &&BTreeSet<String>| {
                tool == "query" || group.iter().any(|page| found.contains(&page.as_str()))
            };
            for (at, group) in order.iter().filter(optional).enumerate() {
                let places: Vec<Option<usize>> = group.iter().map(place).collect();
                let (Some(first), Some(end)) = (places.iter().min().copied().flatten(), places.iter().max())
                else {
                    return Some(format!("{group:?} is not returned"));
                };
                if places.contains(&None) || last > Some(first) || at == 0 && first != 0 {
                    return Some(format!("expected {order:?}"));
                }
                last = *end;
            }
        }
        None
    }
}

impl Scenario {
    /// Runs the questions through an operation and returns the faults.
    fn faults(&self, tool: &str, modes: &[&str]) -> Vec<String> {
        let sandbox = Sandbox::empty();
        self.pages.iter().for_each(|(path, text)| sandbox.write(path, text));
        let run = |arguments: &[&str]| -> Ran {
            sandbox.command(arguments).env("LORE_NOW", NOW).output().expect("lore runs").into()
        };
        run(&["init", "--no-git"]).ok();
        let asked: Vec<(&Question, &str)> = self
            .questions
            .iter()
            .flat_map(|question| modes.iter().map(move |mode| (question, *mode)))
            .collect();
        let calls: String =
            asked.iter().map(|(question, mode)| format!("{}\n", self.call(tool, question, mode))).collect();
        let mut command = sandbox.command(&["pipe"]);
        command.env("LORE_NOW", NOW).stdin(std::process::Stdio::piped());
        let mut child = sandbox.spawn(&mut command);
        std::io::Write::write_all(&mut child.stdin.take().expect("piped"), calls.as_bytes())
            .expect("written");
        let ran: Ran = child.wait_with_output().expect("lore runs").into();
        let mut faults = Vec::new();
        for ((question, mode), line) in asked.iter().zip(ran.exits(0).text().lines()) {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            let hits =
                answer["result"]["hits"].as_array().unwrap_or_else(|| panic!("{}: {answer}", self.name));
            let found: Vec<&str> = hits.iter().map(|hit| hit["slug"].as_str().expect("a slug")).collect();
            if let Some(fault) = question.fault(tool, &found) {
                let day = question.as_of.as_deref().map(|day| format!(" as of {day}")).unwrap_or_default();
                let scores: Vec<String> = hits
                    .iter()
                    .map(|hit| format!("{} {} {}", hit["slug"], hit["score"], hit["why"]))
                    .collect();
                let asked = &question.text;
                faults.push(format!(
                    "{} [{tool} {mode}] {asked}{day}: {fault}\n    {}",
                    self.name,
                    scores.join("\n    ")
                ));
            }
        }
        faults
    }

    fn call(&self, tool: &str, question: &Question, mode: &str) -> Value {
        let mut input = match tool {
            "search" => json!({ "query": question.text }),
            _ => {
                json!({ "question": question.text, "mode": mode, "depth": "summary", "token_budget": 100_000 })
            }
        };
        if let Some(day) = &question.as_of {
            input["as_of"] = json!(day);
        }
        for (key, value) in &self.settings {
            input[key] =
                if key == "limit" { json!(value.parse::<u32>().expect("a number")) } else { json!([value]) };
        }
        json!({ "tool": tool, "input": input })
    }
}

#[track_caller]
fn check(text: &str, tool: &str, modes: &[&str]) {
    let all = scenarios(text);
    let faults: Vec<String> = all.iter().flat_map(|scenario| scenario.faults(tool, modes)).collect();
    assert!(faults.is_empty(), "{} faults in {} scenarios:\n{}", faults.len(), all.len(), faults.join("\n"));
}

const SUPERSESSION: &str = include_str!("../changed_truths/supersession.txt");
const NEUTRAL_PAIRS: &str = include_str!("../changed_truths/neutral_pairs.txt");

#[test]
fn successors_come_before_what_they_supersede() {
    check(SUPERSESSION, "query", &MODES);
}

#[test]
fn successor_of_the_same_sentence_comes_first() {
    check(NEUTRAL_PAIRS, "query", &MODES);
}

#[test]
fn full_text_search_puts_successors_first() {
    check(SUPERSESSION, "search", &["words"]);
    check(NEUTRAL_PAIRS, "search", &["words"]);
}

#[test]
fn answers_as_of_a_day_use_the_truths_of_that_day() {
    check(include_str!("../changed_truths/as_of.txt"), "query", &MODES);
}

#[test]
fn questions_about_time_are_answered_from_intervals_and_entries() {
    check(include_str!("../changed_truths/temporal.txt"), "query", &MODES);
}

#[test]
fn there_are_enough_scenarios() {
    let all = [SUPERSESSION, NEUTRAL_PAIRS].map(|text| scenarios(text).len());
    assert!(all[0] >= 35 && all[1] >= 10, "{all:?}");
}
