//! The day and the commit that a query refers to.

use std::ops::Deref;

use clap::Args;
use lore_engine::{CommitView, Temporal, VaultContext};
use lore_page::Interval;
use lore_text::{PartialDate, date_on, since};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::knowledge::links::Validity;

/// The day and the commit to evaluate a query at.
#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
pub struct Moment {
    /// State on a day (a date, `yesterday`), or on any day of a month or year
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    as_of: Option<String>,
    /// Files at a git commit; without --as-of, on the day of the commit
    #[arg(long, value_name = "REV")]
    #[serde(default)]
    as_of_commit: Option<String>,
}

/// A view of the vault: current or at a commit.
pub enum View<'s> {
    /// The current vault.
    Now(&'s VaultContext),
    /// The vault at a commit.
    Then(Box<CommitView>),
}

impl Deref for View<'_> {
    type Target = VaultContext;

    fn deref(&self) -> &VaultContext {
        match self {
            View::Now(context) => context,
            View::Then(past) => past,
        }
    }
}

/// A temporal filter and the day it is evaluated on.
pub struct Holding {
    /// Which intervals match.
    pub temporal: Temporal,
    /// The day, month or year.
    pub day: String,
}

impl Moment {
    /// Returns the view of the vault to query.
    pub fn view<'s>(&self, session: &'s Session) -> Result<View<'s>> {
        match &self.as_of_commit {
            None => Ok(View::Now(session.fresh()?)),
            Some(revision) => Ok(View::Then(Box::new(session.past(revision)?))),
        }
    }

    /// Returns the vault with the files as they were: at the commit, or at the last commit of the day.
    pub fn files<'s>(&self, session: &'s Session) -> Result<View<'s>> {
        let (Some(text), None) = (&self.as_of, &self.as_of_commit) else { return self.view(session) };
        let context = session.context()?;
        let day = date("--as-of", text, context)?.last_day();
        let end = day.parse::<jiff::civil::Date>().and_then(jiff::civil::Date::tomorrow);
        let end = end.ok().and_then(|next| next.to_zoned(context.now().time_zone().clone()).ok());
        let until = end.map_or(i64::MAX, |end| end.timestamp().as_second() - 1);
        let commit = match context.repo() {
            Some(repo) => repo.last_until(until).map_err(lore_vault::Error::from)?,
            None => None,
        };
        let commit = commit.ok_or_else(|| {
            AppError::usage(
                format!("the vault has no commit until {day}"),
                "use a later day; the files of a day are those of its last commit",
            )
        })?;
        Ok(View::Then(Box::new(session.past(&commit)?)))
    }

    /// Returns the day, month or year given by `--as-of`.
    pub fn day(&self, context: &VaultContext) -> Result<Option<PartialDate>> {
        self.as_of.as_deref().map(|day| date("--as-of", day, context)).transpose()
    }

    /// Returns the temporal filter. With `--as-of`, it defaults to what was valid on that day.
    pub fn holding(
        &self,
        context: &VaultContext,
        asked: Option<Validity>,
        usual: Validity,
    ) -> Result<Holding> {
        let Some(day) = &self.as_of else {
            return Ok(Holding { temporal: asked.unwrap_or(usual).into(), day: context.today() });
        };
        let day = date("--as-of", day, context)?.to_string();
        let temporal = match asked {
            None | Some(Validity::Current) => Temporal::Current,
            Some(Validity::Historical) => Temporal::Historical,
            // Intervals that began later did not exist yet on that day.
            Some(Validity::All) => Temporal::Begun,
        };
        Ok(Holding { temporal, day })
    }
}

/// Parses the date of an option.
pub fn date(what: &str, text: &str, context: &VaultContext) -> Result<PartialDate> {
    date_on(text, context.now().date()).ok_or_else(|| {
        AppError::usage(
            format!("{what}: {text:?} is not a date"),
            "use an existing date as YYYY, YYYY-MM or YYYY-MM-DD, or words such as yesterday or last monday",
        )
    })
}

/// Parses an interval.
pub fn interval(from: Option<&str>, until: Option<&str>, context: &VaultContext) -> Result<Interval> {
    let from = from.map(|text| date("--valid-from", text, context)).transpose()?;
    let until = until.map(|text| date("--valid-until", text, context)).transpose()?;
    Interval::between(from, until)
        .map_err(|reversed| AppError::usage(reversed.to_string(), "use an end that is not before the start"))
}

/// Returns the first day of a timeframe as `YYYY-MM-DD` in the local time zone.
pub fn day_of(timeframe: &str, context: &VaultContext) -> Result<String> {
    let now = context.now();
    let start = jiff::Timestamp::from_millisecond(since(timeframe, &now)?).unwrap_or_default();
    Ok(start.to_zoned(now.time_zone().clone()).date().to_string())
}
