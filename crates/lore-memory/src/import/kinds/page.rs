//! Builds the text of a page from a source that has none.

use lore_page::{Format, Value, edit};
use lore_text::on_one_line;

/// Maximum number of characters of a title.
const TITLE_CHARS: usize = 120;

/// A page under construction.
pub(in crate::import) struct PageText {
    properties: Vec<(String, Value)>,
    title: String,
    body: String,
}

impl PageText {
    /// Starts a page with a title.
    pub(in crate::import) fn new(title: &str) -> PageText {
        let title: String = on_one_line(title).chars().take(TITLE_CHARS).collect();
        let title = if title.trim().is_empty() { "Untitled".to_owned() } else { title.trim().to_owned() };
        let properties = vec![("title".to_owned(), Value::Text(title.clone()))];
        PageText { properties, title, body: String::new() }
    }

    /// Adds a property unless its value is empty.
    pub(in crate::import) fn property(&mut self, key: &str, value: &str) {
        let value = on_one_line(value);
        if !value.trim().is_empty() {
            self.properties.push((key.to_owned(), Value::Text(value.trim().to_owned())));
        }
    }

    /// Adds a list unless it is empty.
    pub(in crate::import) fn list(&mut self, key: &str, values: &[String]) {
        if !values.is_empty() {
            let values = values.iter().map(|value| Value::Text(on_one_line(value))).collect();
            self.properties.push((key.to_owned(), Value::List(values)));
        }
    }

    /// Adds a line to the body.
    pub(in crate::import) fn line(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }

    /// Returns the text.
    pub(in crate::import) fn finish(self) -> String {
        let heading = self.title.replace(['[', ']', '<', '>', '`', '#', '|', '*'], " ");
        let mut text = format!("# {}\n\n{}", on_one_line(&heading), self.body);
        for (key, value) in self.properties {
            // Keys come from the readers, and every scalar can be written.
            text = edit::set_property(Format::Markdown, &text, &key, &value).unwrap_or(text);
        }
        text
    }
}

/// Returns a name as the target of a link.
pub(in crate::import) fn link_target(name: &str) -> String {
    on_one_line(&name.replace(['[', ']', '|', '#', '^'], " "))
}

/// Returns text of the source as prose: nothing at the beginning of a line means anything on a page.
pub(in crate::import) fn as_prose(text: &str) -> String {
    let plain = text.replace("\r\n", "\n");
    plain.lines().map(|line| if line.trim() == "---" { "* * *" } else { line }).collect::<Vec<_>>().join("\n")
}
