//! Names the file of a new page as the files beside it are named: after its title in a folder such as Obsidian's, by its slug
//! otherwise.

use lore_page::Format;
use lore_ports::{Filter, Order, Window};
use lore_text::{date_in_name, slugify};
use lore_vault::{folder, without_extension};

use crate::context::VaultContext;
use crate::error::Result;
use crate::policy::PageFormat;

/// Number of pages that are looked at to learn how files are named.
const SAMPLE: usize = 200;

/// Maximum length of a file name in bytes, without its extension.
const LENGTH: usize = 200;

/// Characters that Obsidian or some file system refuses in a name, or that end a link's target.
const REFUSED: &str = "*\"<>?|#^[]";

/// How the files of a folder are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameStyle {
    /// `Ada Lovelace.md`.
    Title,
    /// `ada-lovelace.md`.
    Slug,
}

impl VaultContext {
    /// Returns the name without extension of a new page with this title, as its neighbours are named. Empty if the title has
    /// no letter or digit.
    pub fn file_name_for(&self, directory: &str, title: &str) -> Result<String> {
        let slug = slugify(title).replace('/', "-");
        let name = title_name(title);
        if name == slug || name.is_empty() || slug.is_empty() {
            return Ok(slug);
        }
        Ok(match self.name_style(directory)? {
            NameStyle::Title => name,
            NameStyle::Slug => slug,
        })
    }

    /// Returns a folder as it exists on disk. `daily-notes` is the folder `Daily Notes`, whose pages have slugs that begin with
    /// it, unless another folder has exactly that name. What does not exist stays as it is given.
    pub fn folder_on_disk(&self, requested: &str) -> String {
        let mut found = String::new();
        for name in self.vault().spelled(requested).split('/').filter(|name| !name.is_empty()) {
            let listed = self.vault().list(&found).ok().flatten().unwrap_or_default();
            let folders: Vec<&str> =
                listed.iter().filter(|(_, is_folder)| *is_folder).map(|(name, _)| name.as_str()).collect();
            let slug = slugify(name);
            let alike: Vec<&str> = folders.iter().copied().filter(|other| slugify(other) == slug).collect();
            let spelled = match alike.as_slice() {
                [one] if !slug.is_empty() && !folders.contains(&name) => *one,
                _ => name,
            };
            if !found.is_empty() {
                found.push('/');
            }
            found.push_str(spelled);
        }
        found
    }

    /// Returns the extension of a new page in a directory: that of the policy, else that of most pages there or in the
    /// nearest directory above that has pages.
    pub fn extension_for(&self, directory: &str) -> Result<&'static str> {
        if let Some(format) = self.policy().format {
            return Ok(format.extension());
        }
        let mut at = directory;
        loop {
            let names = self.names_in(at)?;
            let org = names.iter().filter(|path| Format::of(path) == Format::Org).count();
            if !names.is_empty() || at.is_empty() {
                let format = if org * 2 > names.len() { PageFormat::Org } else { PageFormat::Markdown };
                return Ok(format.extension());
            }
            at = folder(at);
        }
    }

    /// Returns how the pages of a directory are named; if they do not tell, those of the nearest directory above that do, then
    /// those of the whole vault.
    fn name_style(&self, directory: &str) -> Result<NameStyle> {
        let mut at = directory;
        loop {
            let names = self.names_in(at)?;
            let own = names.iter().filter(|path| folder(path) == at);
            if let Some(style) =
                majority(own).or_else(|| at.is_empty().then(|| majority(names.iter())).flatten())
            {
                return Ok(style);
            }
            if at.is_empty() {
                return Ok(NameStyle::Slug);
            }
            at = folder(at);
        }
    }

    fn names_in(&self, directory: &str) -> Result<Vec<String>> {
        let path = (!directory.is_empty()).then(|| format!("{directory}/"));
        let filter = Filter { path, ..Filter::default() };
        let window = Window { limit: SAMPLE, offset: 0 };
        let rows = self.store().list(self.project(), &filter, Order::Updated, window)?;
        Ok(rows.into_iter().map(|row| row.path).collect())
    }
}

/// Returns the style of most of the files that have one.
fn majority<'a>(paths: impl Iterator<Item = &'a String>) -> Option<NameStyle> {
    let (mut titles, mut slugs) = (0, 0);
    for path in paths {
        match style_of(path) {
            Some(NameStyle::Title) => titles += 1,
            Some(NameStyle::Slug) => slugs += 1,
            None => {}
        }
    }
    match titles > slugs {
        true => Some(NameStyle::Title),
        false => (slugs > 0).then_some(NameStyle::Slug),
    }
}

/// Returns the style of one file name; `None` if it fits both: `readme`, `README`, `2024-01-05`.
fn style_of(path: &str) -> Option<NameStyle> {
    let stem = without_extension(path);
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let is_shouted = !name.chars().any(char::is_lowercase) && !name.contains(' ');
    if date_in_name(name).is_some() || is_shouted && name.is_ascii() {
        return None;
    }
    if name.chars().any(|letter| letter.is_uppercase() || letter.is_whitespace()) {
        return Some(NameStyle::Title);
    }
    (name.contains(['-', '_']) && slugify(name) == name).then_some(NameStyle::Slug)
}

/// Returns a title as a file name that every system and Obsidian accept.
fn title_name(title: &str) -> String {
    let plain = title.chars().filter(|letter| !REFUSED.contains(*letter) && !letter.is_control());
    let plain: String = plain.map(|letter| if "/\\:".contains(letter) { '-' } else { letter }).collect();
    let mut name = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    while name.len() > LENGTH {
        name.pop();
    }
    name.trim_start_matches(['.', ' ', '~']).trim_end_matches(['.', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_their_style() {
        for (path, expected) in [
            ("People/Ada Lovelace.md", Some(NameStyle::Title)),
            ("People/Ada.md", Some(NameStyle::Title)),
            ("people/ada-lovelace.md", Some(NameStyle::Slug)),
            ("people/ada.md", None),
            ("README.md", None),
            ("daily/2024-01-05.md", None),
            ("笔记.md", None),
        ] {
            assert_eq!(style_of(path), expected, "{path}");
        }
        let style =
            |names: &[&str]| majority(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().iter());
        assert_eq!(style(&["A B.md", "Cello.md", "d-e.md"]), Some(NameStyle::Title));
        assert_eq!(style(&["A B.md", "d-e.md"]), Some(NameStyle::Slug));
        assert_eq!(style(&["readme.md"]), None);
    }

    #[test]
    fn titles_become_valid_file_names() {
        for (title, expected) in [
            ("Bob Smith", "Bob Smith"),
            ("C#", "C"),
            ("AC/DC: live?", "AC-DC- live"),
            ("../up", "-up"),
            ("  .hidden. ", "hidden"),
            ("[[link]]|x", "linkx"),
        ] {
            assert_eq!(title_name(title), expected);
        }
        assert!(title_name(&"é".repeat(300)).len() <= LENGTH);
    }
}
