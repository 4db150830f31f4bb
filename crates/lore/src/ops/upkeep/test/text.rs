//! Text output of `test`.

use super::{Run, Tested};
use crate::ops::Render;
use crate::ops::views::count;

impl Render for Tested {
    fn human(&self) -> String {
        match self {
            Tested::Added(written) => format!("{} {}\n", written.outcome, written.path),
            Tested::Ran(run) => run.human(),
        }
    }

    fn exit(&self) -> u8 {
        match self {
            Tested::Ran(run) if run.failed > 0 => 1,
            _ => 0,
        }
    }
}

impl Run {
    fn human(&self) -> String {
        let mut text = String::new();
        for outcome in self.results.iter().filter(|outcome| !outcome.passed) {
            text.push_str(&format!("{}:{}: {}\n", self.path, outcome.line, outcome.name));
            let why = outcome.failure.as_deref().unwrap_or_default();
            text.extend(why.lines().map(|line| format!("    {line}\n")));
        }
        let all = count(self.results.len() as u64, "expectation");
        text.push_str(&match self.failed {
            0 => format!("{all}, all passed\n"),
            failed => format!("{all}, {failed} failed\n"),
        });
        text
    }
}
