//! What a person may make of a page's state, and the edit that does it.

use lore_page::Value;
use lore_page::edit::{EditError, remove_property, set_property};

use super::{compacted_into, states, status};
use crate::error::{Error, Result};
use crate::index::PageRow;
use crate::memory::Memory;

/// What is done to the file of a page whose status is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    /// The status to write.
    pub status: Stated,
    /// The day to note as that of the last review.
    pub reviewed: Option<String>,
}

/// What becomes of `status:` in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stated {
    /// It says this.
    Set(String),
    /// It goes: what follows from links and dates is what is wanted.
    Removed,
    /// It stays as it is.
    Kept,
}

impl StatusChange {
    /// Changes a file's text.
    pub fn apply(&self, text: &str) -> std::result::Result<String, EditError> {
        let text = match &self.status {
            Stated::Set(status) => set_property(text, "status", &Value::Text(status.clone()))?,
            Stated::Removed => remove_property(text, "status")?,
            Stated::Kept => text.to_owned(),
        };
        match &self.reviewed {
            Some(day) => set_property(&text, "reviewed", &Value::Text(day.clone())),
            None => Ok(text),
        }
    }
}

/// Works out how a page is given a status; refuses a word that is none and a step that is not allowed.
pub fn plan_status(memory: &Memory, page: &PageRow, wanted: &str) -> Result<StatusChange> {
    let policy = memory.policy();
    let schema = policy.schema(&page.path);
    let values = schema.and_then(|schema| schema.values.get("status"));
    let wanted = status::known(wanted.trim());
    check_word(page, &wanted, values.map(Vec::as_slice))?;
    let is_state = |page: &PageRow| -> Result<String> {
        Ok(states(memory, std::slice::from_ref(page))?.pop().map(|state| state.status).unwrap_or_default())
    };
    check_step(page, &is_state(page)?, &wanted)?;
    let usual = schema.and_then(|schema| schema.defaults.get("status"));
    if wanted != status::ACTIVE {
        let reviewed = (usual == Some(&wanted)).then(|| memory.today());
        return Ok(StatusChange { status: Stated::Set(wanted), reviewed });
    }
    // As the page will be once it is reviewed, with no status of its own.
    let mut bare = PageRow { status: None, ..page.clone() };
    bare.properties.0.insert(0, ("reviewed".into(), Value::Text(memory.today())));
    let needed = schema.is_some_and(|schema| schema.required.iter().any(|key| key == "status"));
    let follows = !needed && is_state(&bare)? == status::ACTIVE;
    let status = match page.status.as_deref().map(status::known).as_deref() {
        None if follows => Stated::Kept,
        Some(status::ACTIVE) => Stated::Kept,
        Some(own) if follows && status::ALL.contains(&own) => Stated::Removed,
        _ => Stated::Set(wanted),
    };
    Ok(StatusChange { status, reviewed: Some(memory.today()) })
}

fn check_word(page: &PageRow, wanted: &str, values: Option<&[String]>) -> Result<()> {
    match values {
        Some(values) if values.iter().any(|value| value == wanted) => Ok(()),
        Some(values) => Err(Error::Denied {
            path: page.path.clone(),
            verb: "this status",
            rule: format!("its schema allows {}, not {wanted:?}", values.join(", ")),
        }),
        None if status::ALL.contains(&wanted) => Ok(()),
        None => Err(Error::BadInput {
            message: format!("{wanted:?} is not a status"),
            hint: format!("the statuses are {}; a schema may allow others", status::ALL.join(", ")),
        }),
    }
}

/// Only what is stale is compacted, and what is compacted stays so: its summary speaks for it.
fn check_step(page: &PageRow, now: &str, wanted: &str) -> Result<()> {
    let (message, hint) = match (now, wanted) {
        (status::COMPACTED, wanted) if wanted != status::COMPACTED => {
            let (into, key) = match compacted_into(page) {
                Some(into) => (format!(" into {into}"), "compacted_into"),
                None => (String::new(), "status"),
            };
            (
                format!("{} is compacted{into} and cannot become {wanted}", page.slug),
                format!("its summary speaks for it; to bring it back: `lore edit REF --unset {key}`"),
            )
        }
        (status::STALE | status::SUPERSEDED | status::COMPACTED, _) => return Ok(()),
        (now, status::COMPACTED) => (
            format!("{} is {now} and cannot be compacted: only a stale page can", page.slug),
            "make it stale first".into(),
        ),
        _ => return Ok(()),
    };
    Err(Error::BadInput { message, hint })
}
