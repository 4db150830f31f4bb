//! Captures that extend or update an existing page.

use super::in_format;
use lore_engine::{Action, Edit, Error, PageChange, Receipt, Result, VaultContext, Verb, write_as};
use lore_page::{Format, edit, parse};
use lore_vault::VaultPath;

use super::{CaptureRequest, write_options};

/// How the text changes the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeMode {
    /// Append the text.
    Extend,
    /// Replace the page's truth with the text.
    Update,
}

/// Applies a capture to an existing page.
pub(super) fn change(
    context: &VaultContext,
    reference: &str,
    request: &CaptureRequest,
    mode: ChangeMode,
) -> Result<Receipt> {
    if request.raw.is_some() || request.title.is_some() {
        return Err(Error::BadInput {
            message: "a title or a raw text can only be given for a new page".into(),
            hint: "omit them, or write a new page instead".into(),
        });
    }
    let page = context.page_to_write(reference)?;
    context.refuse_node(&page, reference)?;
    let body = in_format(context, &page.path, &body_of(request)?);
    let format = Format::of(&page.path);
    // On an append-only page, text can only be added at the end of the file.
    let may_patch = context.policy().allow(&page.path, &[Verb::Patch]).is_ok();
    let apply: Edit<'_> = Box::new(|text| {
        let failed = |source| Error::Edit { slug: page.slug.clone(), source };
        let has_timeline = parse(&page.path, text).page.timeline.is_some();
        let edited = match mode {
            ChangeMode::Update => edit::replace_truth(format, text, &body),
            ChangeMode::Extend if has_timeline && may_patch => edit::add_to_truth(format, text, &body),
            ChangeMode::Extend => edit::append(format, text, &format!("\n{body}")),
        };
        let mut edited = edited.map_err(failed)?;
        for tag in &request.tags {
            edited = edit::add_tag(format, &edited, tag).map_err(failed)?;
        }
        Ok(edited)
    });
    let change = PageChange {
        path: VaultPath::known(page.path.clone()),
        action: Action::Rewrite(apply),
        expected_version: request.expected_version,
    };
    let verb = if mode == ChangeMode::Update { "Update" } else { "Extend" };
    write_as(context, &[change], &write_options(format!("{verb} {}", page.path), request, &page.path))
}

/// Returns the text below its frontmatter, followed by its source.
fn body_of(request: &CaptureRequest) -> Result<String> {
    let page = Format::guess(&request.text).parse(&request.text).page;
    if page.timeline.is_some() {
        return Err(Error::BadInput {
            message: "the text has its own timeline (below its `---`), which would be lost".into(),
            hint: "add its entries to the timeline of the page, or write a new page instead".into(),
        });
    }
    let mut body = page.truth.of(&request.text).trim().to_owned();
    if let Some(source) = &request.source {
        body.push_str(&format!(" (source: {source})"));
    }
    Ok(body)
}
