//! The name of a project, derived from its directory.

use crate::slug::slugify;

/// Slug for a directory without a usable name.
const GENERAL: &str = "general";

/// Returns the slug of a project from its directory's name, or from the last component of a path, without leading dots
/// and without a trailing `.d` or `.git`; `general` if nothing is left.
///
/// ```
/// assert_eq!(lore_text::project_slug("~/.emacs.d"), "emacs");
/// ```
pub fn project_slug(directory_name: &str) -> String {
    let path = directory_name.trim().trim_end_matches(['/', '\\']);
    let mut name = path.rsplit(['/', '\\']).next().unwrap_or(path).trim_start_matches('.');
    while let Some(shorter) = name.strip_suffix(".git").or_else(|| name.strip_suffix(".d")) {
        name = shorter;
    }
    let slug = slugify(name);
    if slug.is_empty() { GENERAL.to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_is_named_after_its_directory() {
        for (directory, slug) in [
            ("~/.emacs.d", "emacs"),
            (".emacs.d", "emacs"),
            ("DeepSat", "deepsat"),
            ("my_project.git", "my-project"),
            ("conf.d.git", "conf"),
            ("Jürgen's App", "jurgens-app"),
            (".dotfiles", "dotfiles"),
            ("/home/ada/code/lore/", "lore"),
            (r"C:\code\Lore", "lore"),
            ("node.js", "node.js"),
            ("digit", "digit"),
            ("世界", "世界"),
            (".git", "git"),
            (".d", "d"),
            ("", "general"),
            ("/", "general"),
            ("..", "general"),
            ("~", "general"),
            ("🚀", "general"),
        ] {
            assert_eq!(project_slug(directory), slug, "{directory}");
        }
    }
}
