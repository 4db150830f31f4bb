//! The summary page: its path, title and frontmatter.

use std::collections::{BTreeMap, HashSet};

use crate::capture::in_format;
use jiff::tz::TimeZone;
use lore_engine::status::ACTIVE;
use lore_engine::{Error, Result, VaultContext, touched, without_scheme};
use lore_page::{Format, LinkStyle, Value, edit};
use lore_ports::{LinkFilter, PageNo};
use lore_text::{fold, terms};
use lore_vault::{decode, exists, folder, is_page_path, relative};

use super::plan::{Cluster, Member};
use super::summarizer::SummarySource;
use crate::capture::{Naming, NewPage, free_path_of, is_title_taken, list, new_page};
use crate::derived::of_whole;

/// Words that a shortened title must not end with.
const DANGLING: [&str; 12] = ["of", "the", "a", "an", "in", "on", "for", "and", "to", "with", "by", "v"];

/// A summary before it becomes a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    /// Text; may start with a heading.
    pub content: String,
    /// Title; defaults to the heading, then to one made from the titles of the pages.
    pub title: Option<String>,
    /// Slug; defaults to one made from the title.
    pub slug: Option<String>,
    /// Tags; defaults to those shared by all pages.
    pub tags: Option<Vec<String>>,
    /// Author.
    pub by: String,
}

impl Draft {
    /// Returns the title of the page.
    pub(super) fn title_for(&self, cluster: &Cluster) -> String {
        let given = self.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let own = || Format::guess(&self.content).parse(&self.content).page.heading_title;
        given.map(str::to_owned).or_else(own).unwrap_or_else(|| cluster.title.clone())
    }
}

/// Returns the folder of a cluster's summary: the policy's, else the most common one among its pages.
pub(super) fn folder_of(context: &VaultContext, cluster: &Cluster) -> String {
    let policy = context.policy();
    if !policy.compact.folder.is_empty() {
        return policy.compact.folder.trim_matches('/').to_owned();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for member in &cluster.members {
        *counts.entry(folder(&member.page.path)).or_default() += 1;
    }
    let highest = counts.values().copied().max().unwrap_or(0);
    counts
        .into_iter()
        .find(|(_, count)| *count == highest)
        .map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// Returns the path of a cluster's summary: the requested one, else one that no file and no page slug uses.
pub(super) fn path_of(context: &VaultContext, cluster: &Cluster, draft: &Draft) -> Result<String> {
    if let Some(slug) = &draft.slug {
        let plain = without_scheme(slug);
        let file = if is_page_path(plain) {
            plain.to_owned()
        } else {
            format!("{plain}.{}", context.extension_for(lore_vault::folder(plain))?)
        };
        let path = context.vault().page_path(&file)?;
        return match exists(&context.vault().root().join(&path)) {
            true => Err(Error::Exists { path }),
            false => Ok(path),
        };
    }
    let (folder, title) = (folder_of(context, cluster), draft.title_for(cluster));
    let name = &context.policy().compact.name;
    free_path_of(context, &Naming { folder: &folder, name, title: &title, day: &context.today() })
}

/// Returns the text of the summary page.
pub(super) fn text_of(
    context: &VaultContext,
    cluster: &Cluster,
    draft: &Draft,
    path: &str,
) -> Result<String> {
    let policy = context.policy();
    let schema = policy.schema(path).cloned().unwrap_or_default();
    let title = draft.title_for(cluster);
    let slugs: Vec<String> = cluster.members.iter().map(|member| member.page.slug.clone()).collect();
    let allowed =
        |value: &str| schema.values.get("status").is_none_or(|all| all.iter().any(|one| one == value));
    let status = match schema.defaults.get("status") {
        Some(default_status) if !allowed(ACTIVE) => default_status.clone(),
        _ => ACTIVE.to_owned(),
    };
    let mut properties = vec![
        ("title", Value::Text(title.clone())),
        ("status", Value::Text(status)),
        ("source_type", Value::Text("compaction".into())),
        ("compacted_from", list(slugs)),
        ("summarized_by", Value::Text(draft.by.clone())),
        ("created", Value::Text(context.today())),
    ];
    if schema.required.iter().any(|key| key == "projects") {
        let projects = union(cluster.members.iter().map(|member| member.page.properties.list("projects")));
        properties.extend((!projects.is_empty()).then(|| ("projects", list(projects))));
    }
    let mut text = in_format(context, path, draft.content.trim()) + "\n";
    let marks = of_whole(context, cluster.members.iter().map(|member| &member.page));
    let marks = marks.iter().map(|(key, value)| (key.as_str(), value));
    for (key, value) in properties.iter().map(|(key, value)| (*key, value)).chain(marks) {
        text = edit::set_property(Format::of(path), &text, key, value)
            .map_err(|source| Error::Edit { slug: path.to_owned(), source })?;
    }
    let tags = draft.tags.clone().unwrap_or_else(|| tags_of(cluster, &schema.tags));
    let needs_source = schema.required.iter().any(|key| key == "source");
    let source = needs_source.then(|| "compaction".to_owned());
    new_page(context, path, &NewPage { text: &text, title: &title, tags, source, ..NewPage::default() })
}

/// Returns the tags shared by all pages; if the schema requires one of its own, also the most common of those.
fn tags_of(cluster: &Cluster, schema_tags: &[String]) -> Vec<String> {
    let Some((first, rest)) = cluster.members.split_first() else { return Vec::new() };
    let everywhere = |tag: &&String| rest.iter().all(|member| member.page.tags.contains(tag));
    let mut tags: Vec<String> = first.page.tags.iter().filter(everywhere).cloned().collect();
    if !schema_tags.is_empty() && !tags.iter().any(|tag| schema_tags.contains(tag)) {
        let count =
            |tag: &String| cluster.members.iter().filter(|member| member.page.tags.contains(tag)).count();
        tags.extend(schema_tags.iter().filter(|tag| count(tag) > 0).max_by_key(|tag| count(tag)).cloned());
    }
    tags
}

fn union(lists: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    lists.flatten().fold(Vec::new(), |mut all, one| {
        if !all.contains(&one) {
            all.push(one);
        }
        all
    })
}

/// Gives each cluster a title that no page and no other cluster has: what its pages have in common, if need be with their
/// dates, the title of the newest page or a number.
pub(super) fn set_titles(context: &VaultContext, clusters: &mut [Cluster]) {
    let mut taken: HashSet<String> = HashSet::new();
    for cluster in clusters {
        let numbered = (2..).map(|number| format!("{} {number}", title_of(cluster)));
        let mut titles = [Some(title_of(cluster)), dated_title(cluster), newest_title(cluster)]
            .into_iter()
            .flatten()
            .chain(numbered);
        let free = titles.find(|title| !taken.contains(&fold(title)) && !is_title_taken(context, title));
        let title = free.unwrap_or_default();
        taken.insert(fold(&title));
        cluster.title = title;
    }
}

/// Returns the title with the months of the first and the last change.
fn dated_title(cluster: &Cluster) -> Option<String> {
    let days = cluster.members.iter().map(|member| touched(&member.page, &TimeZone::UTC));
    let (first, last) = (days.clone().min()?, days.max()?);
    let month = |day: jiff::civil::Date| day.strftime("%B %Y").to_string();
    let span = match month(first) == month(last) {
        true => month(first),
        false => format!("{} to {}", month(first), month(last)),
    };
    Some(format!("{}, {span} (summary)", title_of(cluster).trim_end_matches(" (summary)")))
}

/// Returns the title with that of the newest page.
fn newest_title(cluster: &Cluster) -> Option<String> {
    let newest = cluster.members.iter().max_by_key(|member| touched(&member.page, &TimeZone::UTC))?;
    Some(format!("{} and {} more (summary)", newest.page.title, cluster.members.len().saturating_sub(1)))
}

/// Returns a title for a summary: the common prefix of the titles, else that of the newest page and the number of
/// others.
fn title_of(cluster: &Cluster) -> String {
    let titles: Vec<&str> = cluster.members.iter().map(|member| member.page.title.as_str()).collect();
    let shared = common_prefix(&titles);
    if !terms(&shared).is_empty() {
        return format!("{shared} (summary)");
    }
    newest_title(cluster).unwrap_or_else(|| "Pages (summary)".into())
}

/// Returns the words that all titles start with.
fn common_prefix(titles: &[&str]) -> String {
    let Some((first, rest)) = titles.split_first() else { return String::new() };
    let fits = |(at, word): &(usize, &str)| {
        rest.iter().all(|title| {
            title.split_whitespace().nth(*at).is_some_and(|other| other.to_lowercase() == word.to_lowercase())
        })
    };
    let mut words: Vec<&str> =
        first.split_whitespace().enumerate().take_while(fits).map(|(_, word)| word).collect();
    let dangles = |word: &str| DANGLING.contains(&word.to_lowercase().as_str());
    while words.last().is_some_and(|word| dangles(word) || !word.contains(char::is_alphanumeric)) {
        words.pop();
    }
    words.join(" ").trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')').to_owned()
}

/// Returns the pages of a cluster as input for a summarizer, oldest first, with links relative to the summary's folder.
pub(super) fn sources(context: &VaultContext, cluster: &Cluster) -> Result<Vec<SummarySource>> {
    let folder = folder_of(context, cluster);
    let path = if folder.is_empty() { "summary.md".to_owned() } else { format!("{folder}/summary.md") };
    let numbers: Vec<PageNo> = cluster.members.iter().map(|member| member.page.number).collect();
    let links = context.store().links(context.project(), &LinkFilter::From(&numbers))?;
    let now = context.now();
    let source = |member: &Member| -> Result<SummarySource> {
        let bytes = context.read(&member.page)?.bytes;
        let within = links
            .iter()
            .filter(|row| row.from == member.page.number && row.to.is_some_and(|to| numbers.contains(&to)));
        Ok(SummarySource {
            slug: member.page.slug.clone(),
            title: member.page.title.clone(),
            date: touched(&member.page, now.time_zone()).to_string(),
            text: rebase_links(&path, &member.page.path, &decode(&bytes).text)?,
            within: within.map(|row| row.link.target.clone()).collect(),
            path: path.clone(),
        })
    };
    let mut sources = cluster.members.iter().map(source).collect::<Result<Vec<SummarySource>>>()?;
    sources.sort_by(|a, b| (&a.date, &a.slug).cmp(&(&b.date, &b.slug)));
    Ok(sources)
}

/// Returns a page's text with its Markdown links rewritten for another path.
pub(crate) fn rebase_links(path: &str, own: &str, text: &str) -> Result<String> {
    if folder(path) == folder(own) {
        return Ok(text.to_owned());
    }
    let mut retarget = |link: &lore_page::Link| match link.style {
        LinkStyle::Markdown => Some(relative(path, &link.target)),
        LinkStyle::Wiki => None,
    };
    let edited = edit::retarget_links(text, own, &mut retarget);
    edited.map_err(|source| Error::Edit { slug: own.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_is_the_common_prefix_of_all_titles() {
        for (titles, expected) in [
            (["Pricing v1", "Pricing v2", "pricing v3"], "Pricing"),
            (["Notes on the harbour", "Notes on the sea", "Notes on a ship"], "Notes"),
            (["Client X: March", "Client X: April", "Client X: May"], "Client X"),
            (["Same", "Same", "Same"], "Same"),
            (["One", "Two", "Three"], ""),
            (["The cat", "The dog", "The fish"], ""),
            (["— a", "— b", "— c"], ""),
        ] {
            assert_eq!(common_prefix(&titles), expected, "{titles:?}");
        }
    }
}
