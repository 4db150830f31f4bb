//! The name of a project after the directory it is in.

use lore_page::slugify;

/// What has no project of its own.
const GENERAL: &str = "general";

/// The slug of a project from its directory's name, or from the last name of a path: without the dots it begins with
/// and without a last `.d` or `.git`; `general` where nothing is left.
///
/// ```
/// assert_eq!(lore_engine::project_slug("~/.emacs.d"), "emacs");
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
    fn projects_are_called_after_their_directories() {
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
