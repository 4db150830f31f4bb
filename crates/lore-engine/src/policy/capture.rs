//! What `lore capture` makes, which pages it shows first, and which it links to.

use serde::Deserialize;

/// What `lore capture` makes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Capture {
    /// The folder of new pages.
    pub folder: String,
    /// Their names: `{slug}` is made from the title, `{date}` is the day, `{time}` the moment.
    pub name: String,
    /// The tag of a page that is given none of those its schema wants.
    pub tag: Option<String>,
    /// From which likeness on by the words they share, between 0 and 1, another page counts as similar.
    pub similar: f64,
    /// From which cosine on by their meaning; without one, what suits the model.
    pub meaning: Option<f64>,
    /// From which cosine on a new page links to another; 0 is never; without one, what suits the model.
    pub related: Option<f64>,
    /// Whether tags are found for a new page: names and tags of the vault that stand in it.
    pub auto_tags: bool,
}

impl Default for Capture {
    fn default() -> Self {
        let (folder, name) = ("captures".into(), "{slug}".into());
        Capture { folder, name, tag: None, similar: 0.5, meaning: None, related: None, auto_tags: true }
    }
}

impl Capture {
    /// What only shows when the parts are held against each other.
    pub(super) fn check(&self) -> Result<(), String> {
        let given = [Some(self.similar), self.meaning, self.related];
        if let Some(value) = given.into_iter().flatten().find(|value| !(0.0..=1.0).contains(value)) {
            return Err(format!(
                "{value} is not from 0 to 1, as capture.similar, capture.meaning and capture.related are"
            ));
        }
        match (self.related, self.meaning) {
            (Some(related), Some(meaning)) if related > meaning => Err(format!(
                "capture.related is {related} and capture.meaning {meaning}: what says the same is related, too"
            )),
            _ => Ok(()),
        }
    }
}
