//! From when a question is asked: a day of which the answer is to hold, and a commit at which the files are read.

use std::ops::Deref;

use clap::Args;
use lore_engine::{Memory, Past, Temporal, since};
use lore_page::{Interval, PartialDate};
use schemars::JsonSchema;
use serde::Deserialize;

use super::links::Validity;
use crate::failure::{Failure, Result};
use crate::session::Session;

/// A day and a commit to look back to.
#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
pub struct Moment {
    /// As things were on a day (YYYY-MM-DD), or on any day of a month (YYYY-MM) or a year (YYYY)
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    as_of: Option<String>,
    /// As the files were at a git commit; without --as-of, on the day of that commit
    #[arg(long, value_name = "REV")]
    #[serde(default)]
    as_of_commit: Option<String>,
}

/// A vault to be asked: as it is, or as it was.
pub enum View<'s> {
    /// As it is.
    Now(&'s Memory),
    /// As it was at a commit.
    Then(Box<Past>),
}

impl Deref for View<'_> {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        match self {
            View::Now(memory) => memory,
            View::Then(past) => past,
        }
    }
}

/// Which intervals count, and on which day.
pub struct Holding {
    /// Which count.
    pub temporal: Temporal,
    /// On this day, or on any day of this month or year.
    pub day: String,
}

impl Moment {
    /// The vault that is asked.
    pub fn view<'s>(&self, session: &'s Session) -> Result<View<'s>> {
        match &self.as_of_commit {
            None => Ok(View::Now(session.fresh()?)),
            Some(revision) => Ok(View::Then(Box::new(session.past(revision)?))),
        }
    }

    /// The day, month or year that is asked about, where it is not today.
    pub fn day(&self) -> Result<Option<PartialDate>> {
        self.as_of.as_deref().map(|day| date("--as-of", day)).transpose()
    }

    /// Which intervals count. Who asks about a day asks for what held on it, unless it is said otherwise.
    pub fn holding(&self, memory: &Memory, asked: Option<Validity>, usual: Validity) -> Result<Holding> {
        let Some(day) = &self.as_of else {
            return Ok(Holding { temporal: asked.unwrap_or(usual).into(), day: memory.today() });
        };
        let day = date("--as-of", day)?.to_string();
        let temporal = match asked {
            None | Some(Validity::Current) => Temporal::Current,
            Some(Validity::Historical) => Temporal::Historical,
            // What began later was not there to be listed.
            Some(Validity::All) => Temporal::Begun,
        };
        Ok(Holding { temporal, day })
    }
}

/// Reads a date that was given for something.
pub fn date(what: &str, text: &str) -> Result<PartialDate> {
    text.trim().parse().map_err(|_| {
        Failure::usage(
            format!("{what}: {text:?} is not a date"),
            "write YYYY, YYYY-MM or YYYY-MM-DD, of a day that exists",
        )
    })
}

/// Reads an interval.
pub fn interval(from: Option<&str>, until: Option<&str>) -> Result<Interval> {
    let from = from.map(|text| date("--valid-from", text)).transpose()?;
    let until = until.map(|text| date("--valid-until", text)).transpose()?;
    Interval::between(from, until).map_err(|reversed| {
        Failure::usage(reversed.to_string(), "give a --valid-until that is not before --valid-from")
    })
}

/// The day on which a timeframe begins, as `YYYY-MM-DD` here.
pub fn day_of(timeframe: &str, memory: &Memory) -> Result<String> {
    let now = memory.now();
    let start = jiff::Timestamp::from_millisecond(since(timeframe, &now)?).unwrap_or_default();
    Ok(start.to_zoned(now.time_zone().clone()).date().to_string())
}
