//! `schema validate|infer|diff`: schemas of notes.

use clap::Args;
use lore_engine::Code;
use lore_memory::schema::{
    FieldFrequency, NoteReport, SchemaDrift, SchemaInference, ValidationReport, drift, infer, validate,
};
use lore_text::capitalize;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::{Operation, Render};

/// Check notes against their schemas
///
/// A schema is a page of type schema: `entity` names the type it describes, `schema` its fields, such as
/// `name: string`, `role?(array): string`, `state(enum): [open, done]` or `works_at?: Organization`. With
/// `settings.validation: strict`, findings are errors; they are warnings otherwise.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore schema validate\n  lore schema validate person\n  lore schema validate --note people/ada"
)]
pub struct Validate {
    /// Type of the notes [default: every type with a schema]
    #[serde(default)]
    note_type: Option<String>,
    /// Check only this note
    #[arg(long, value_name = "REF", conflicts_with = "note_type")]
    #[serde(default)]
    note: Option<String>,
}

/// Infer a schema from the notes of a type
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore schema infer person\n  lore schema infer person --threshold 0.5")]
pub struct Infer {
    /// Type of the notes
    note_type: String,
    /// Share of the notes that must have a field, from 0 to 1 [default: 0.25]
    #[arg(long)]
    #[serde(default)]
    threshold: Option<f64>,
}

/// Compare a schema with the notes of its type
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore schema diff person")]
pub struct Diff {
    /// Type of the notes
    note_type: String,
}

/// Output of `schema validate`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Validated(ValidationReport);

/// Output of `schema infer`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Inferred(SchemaInference);

/// Output of `schema diff`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Drift(SchemaDrift);

impl Operation for Validate {
    const NAME: &'static str = "schema validate";
    type Output = Validated;

    fn run(self, session: &Session) -> Result<Validated> {
        let context = session.fresh()?;
        let note = self.note.as_deref().map(|note| context.page(note)).transpose()?;
        let report = validate(context, note.as_ref(), self.note_type.as_deref())?;
        match &report.note_type {
            Some(kind) if !report.schema_found => Err(no_schema(kind)),
            _ => Ok(Validated(report)),
        }
    }
}

impl Operation for Infer {
    const NAME: &'static str = "schema infer";
    type Output = Inferred;

    fn run(self, session: &Session) -> Result<Inferred> {
        if self.threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
            return Err(AppError::usage("the threshold is out of range", "use a number from 0 to 1"));
        }
        Ok(Inferred(infer(session.fresh()?, &self.note_type, self.threshold)?))
    }
}

impl Operation for Diff {
    const NAME: &'static str = "schema diff";
    type Output = Drift;

    fn run(self, session: &Session) -> Result<Drift> {
        let drift = drift(session.fresh()?, &self.note_type)?;
        if drift.schema_found { Ok(Drift(drift)) } else { Err(no_schema(&self.note_type)) }
    }
}

fn no_schema(kind: &str) -> AppError {
    AppError::new(
        Code::NotFound,
        format!("No schema found for type '{kind}'"),
        format!("run `lore schema infer {kind}` for one, and write it as a page of type schema"),
    )
}

impl Render for Validated {
    fn human(&self) -> String {
        let report = &self.0;
        let about = report.note_type.as_deref().unwrap_or("all");
        let mut text = format!(
            "# Schema Validation: {about}\n\nNotes: {} | Valid: {} | Warnings: {} | Errors: {}\n",
            report.total_notes, report.valid_count, report.warning_count, report.error_count
        );
        if !report.type_summaries.is_empty() {
            text.push_str("\n## By Type\n\n");
            for one in &report.type_summaries {
                let (valid, total) = (one.valid_count, one.total_notes);
                text.push_str(&format!("- **{}**: {valid}/{total} valid\n", one.note_type));
            }
        }
        text.push('\n');
        text.extend(report.results.iter().map(note_lines));
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.0.error_count > 0)
    }
}

fn note_lines(note: &NoteReport) -> String {
    let verdict = if note.passed { "valid" } else { "INVALID" };
    let mut text = format!("- **{}** — {verdict}\n", note.note_identifier);
    text.extend(note.warnings.iter().map(|warning| format!("  - warning: {warning}\n")));
    text.extend(note.errors.iter().map(|error| format!("  - error: {error}\n")));
    text
}

impl Render for Inferred {
    fn human(&self) -> String {
        let found = &self.0;
        let mut text =
            format!("# Schema Inference: {}\n\nNotes analyzed: {}\n", found.note_type, found.notes_analyzed);
        if found.field_frequencies.is_empty() {
            return text;
        }
        let kind = &found.note_type;
        let title = capitalize(kind);
        text.push_str(&format!(
            "\n## Suggested Schema\n\n```yaml\n---\ntitle: {title}\ntype: schema\nentity: {kind}\nversion: 1\nschema:\n"
        ));
        for (key, value) in found.suggested_schema.iter() {
            let value = match value {
                lore_page::Value::Text(value) => value.as_str(),
                _ => "string",
            };
            text.push_str(&format!("  {key}: {value}\n"));
        }
        text.push_str("---\n```\n\n## Field Frequencies\n\n");
        for field in &found.field_frequencies {
            let role = if found.suggested_required.contains(&field.name) {
                "required"
            } else if found.suggested_optional.contains(&field.name) {
                "optional"
            } else {
                "excluded"
            };
            let samples = field.sample_values.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            text.push_str(&format!("- {} [{role}] (e.g. {samples})\n", frequency(field)));
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.0.notes_analyzed == 0)
    }
}

fn frequency(field: &FieldFrequency) -> String {
    let percent = (field.percentage * 100.0).round();
    format!("**{}** ({}) — {percent}% ({}/{})", field.name, field.source, field.count, field.total)
}

impl Render for Drift {
    fn human(&self) -> String {
        let drift = &self.0;
        let mut text = format!("# Schema Drift: {}\n", drift.note_type);
        let mut section = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                text.push_str(&format!("\n## {title}\n\n"));
                text.extend(lines.iter().map(|line| format!("- {line}\n")));
            }
        };
        section("New Fields (in notes but not in schema)", drift.new_fields.iter().map(frequency).collect());
        section(
            "Dropped Fields (in schema but rare in notes)",
            drift.dropped_fields.iter().map(frequency).collect(),
        );
        section("Cardinality Changes", drift.cardinality_changes.clone());
        if drift.new_fields.is_empty()
            && drift.dropped_fields.is_empty()
            && drift.cardinality_changes.is_empty()
        {
            text.push_str("\nno differences\n");
        }
        text
    }
}
