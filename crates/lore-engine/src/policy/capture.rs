//! Settings of `lore capture`: what it creates, which similar pages it shows, and which it links to.

use serde::Deserialize;

/// Settings of `lore capture`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Capture {
    /// Directory of new pages.
    pub folder: String,
    /// File name: `{slug}` is derived from the title, `{date}` is the day, `{time}` the time.
    pub name: String,
    /// Tag of a page that is given none of those its schema requires.
    pub tag: Option<String>,
    /// Minimum word overlap, from 0 to 1, at which another page counts as similar.
    pub similar: f64,
    /// Minimum cosine similarity of embeddings; by default, one that suits the model.
    pub meaning: Option<f64>,
    /// Minimum cosine similarity at which a new page links to another; 0 disables it; by default, one that suits the
    /// model.
    pub related: Option<f64>,
    /// Whether tags of a new page are derived from names and tags of the vault that occur in it.
    pub auto_tags: bool,
}

impl Default for Capture {
    fn default() -> Self {
        let (folder, name) = ("captures".into(), "{slug}".into());
        Capture { folder, name, tag: None, similar: 0.5, meaning: None, related: None, auto_tags: true }
    }
}

impl Capture {
    /// Checks the settings.
    pub(super) fn check(&self) -> Result<(), String> {
        let given = [Some(self.similar), self.meaning, self.related];
        if let Some(value) = given.into_iter().flatten().find(|value| !(0.0..=1.0).contains(value)) {
            return Err(format!(
                "{value} is not from 0 to 1, as capture.similar, capture.meaning and capture.related must be"
            ));
        }
        match (self.related, self.meaning) {
            (Some(related), Some(meaning)) if related > meaning => Err(format!(
                "capture.related is {related} and must not be above capture.meaning, which is {meaning}"
            )),
            _ => Ok(()),
        }
    }
}
