//! Sets the status of a page.

use lore_page::edit::{EditError, remove_property, set_property};
use lore_page::{Format, Value};
use lore_ports::PageRow;

use super::{compacted_into, states, status};
use crate::context::VaultContext;
use crate::error::{Error, Result};

/// Edit of a file whose status is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    /// Change of the status.
    pub status: Stated,
    /// Review date to set.
    pub reviewed: Option<String>,
}

/// Change of `status:` in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stated {
    /// Set to this value.
    Set(String),
    /// Removed, so that the derived state applies.
    Removed,
    /// Unchanged.
    Kept,
}

impl StatusChange {
    /// Applies the change to a file's text.
    pub fn apply(&self, format: Format, text: &str) -> std::result::Result<String, EditError> {
        let text = match &self.status {
            Stated::Set(status) => set_property(format, text, "status", &Value::Text(status.clone()))?,
            Stated::Removed => remove_property(format, text, "status")?,
            Stated::Kept => text.to_owned(),
        };
        match &self.reviewed {
            Some(day) => set_property(format, &text, "reviewed", &Value::Text(day.clone())),
            None => Ok(text),
        }
    }
}

/// Plans how to set a page's status; refuses an unknown word and a transition that is not allowed.
pub fn plan_status(context: &VaultContext, page: &PageRow, wanted: &str) -> Result<StatusChange> {
    let policy = context.policy();
    let schema = policy.schema(&page.path);
    let values = schema.and_then(|schema| schema.values.get("status"));
    let wanted = status::known(wanted.trim());
    check_word(page, &wanted, values.map(Vec::as_slice))?;
    let is_state = |page: &PageRow| -> Result<String> {
        Ok(states(context, std::slice::from_ref(page))?.pop().map(|state| state.status).unwrap_or_default())
    };
    check_step(page, &is_state(page)?, &wanted)?;
    let usual = schema.and_then(|schema| schema.defaults.get("status"));
    if wanted != status::ACTIVE {
        let reviewed = (usual == Some(&wanted)).then(|| context.today());
        return Ok(StatusChange { status: Stated::Set(wanted), reviewed });
    }
    // The page after the review, without a status of its own.
    let mut bare = PageRow { status: None, ..page.clone() };
    bare.properties.0.insert(0, ("reviewed".into(), Value::Text(context.today())));
    let needed = schema.is_some_and(|schema| schema.required.iter().any(|key| key == "status"));
    let follows = !needed && is_state(&bare)? == status::ACTIVE;
    let status = match page.status.as_deref().map(status::known).as_deref() {
        None if follows => Stated::Kept,
        Some(status::ACTIVE) => Stated::Kept,
        Some(own) if follows && status::ALL.contains(&own) => Stated::Removed,
        _ => Stated::Set(wanted),
    };
    Ok(StatusChange { status, reviewed: Some(context.today()) })
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

/// Checks a transition. Only stale pages can be compacted, and compacted pages stay so, since their summary replaces
/// them.
fn check_step(page: &PageRow, now: &str, wanted: &str) -> Result<()> {
    let (message, hint) = match (now, wanted) {
        (status::COMPACTED, wanted) if wanted != status::COMPACTED => {
            let (slug, into) = (page.slug.clone(), compacted_into(page));
            return Err(Error::Compacted { slug, into, wanted: wanted.to_owned() });
        }
        (status::STALE | status::SUPERSEDED | status::COMPACTED, _) => return Ok(()),
        (now, status::COMPACTED) => (
            format!("{} is {now} and cannot be compacted: only a stale page can", page.slug),
            "set its status to stale first".into(),
        ),
        _ => return Ok(()),
    };
    Err(Error::BadInput { message, hint })
}
