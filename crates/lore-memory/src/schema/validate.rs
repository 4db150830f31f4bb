//! Checks notes against their schemas.

use std::collections::BTreeMap;

use lore_engine::{Result, VaultContext};
use lore_page::Value;
use lore_ports::PageRow;
use serde::Serialize;

use super::parse::{Field, Mode, Schema};
use super::{NoteLines, all_notes, lines_of, notes_of, schema_for, schemas};

/// What the notes of one type, one note, or all notes with a schema look like.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub struct ValidationReport {
    /// The type that was asked for, or that of the note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note_type: Option<String>,
    /// Number of notes checked.
    pub total_notes: usize,
    /// The same.
    pub total_entities: usize,
    /// Number of notes without errors.
    pub valid_count: usize,
    /// Number of warnings.
    pub warning_count: usize,
    /// Number of errors.
    pub error_count: usize,
    /// One report per note.
    pub results: Vec<NoteReport>,
    /// Counts by type, if all were asked for.
    pub type_summaries: Vec<TypeSummary>,
    /// Whether there is a schema for any of the notes.
    #[serde(skip)]
    pub schema_found: bool,
}

/// The notes of one type.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub struct TypeSummary {
    /// The type.
    pub note_type: String,
    /// Number of its notes.
    pub total_notes: usize,
    /// The same.
    pub total_entities: usize,
    /// Number of them without errors.
    pub valid_count: usize,
    /// Number of warnings.
    pub warning_count: usize,
    /// Number of errors.
    pub error_count: usize,
}

/// A note against its schema.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct NoteReport {
    /// Title of the note.
    pub note_identifier: String,
    /// Type that the schema describes.
    pub schema_entity: String,
    /// Whether it has no errors.
    pub passed: bool,
    /// One result per field.
    pub field_results: Vec<FieldResult>,
    /// Categories that the schema does not name, with their numbers.
    pub unmatched_observations: BTreeMap<String, usize>,
    /// Relations that the schema does not name.
    pub unmatched_relations: Vec<String>,
    /// Findings that are warnings.
    pub warnings: Vec<String>,
    /// Findings that are errors.
    pub errors: Vec<String>,
}

/// A field of a schema in a note.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct FieldResult {
    /// Name of the field.
    pub field_name: String,
    /// Its type.
    pub field_type: String,
    /// Whether the schema requires it.
    pub required: bool,
    /// Whether the note has it.
    pub status: FieldStatus,
    /// Its values.
    pub values: Vec<String>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Whether a note has a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldStatus {
    /// It has it.
    Present,
    /// It does not.
    Missing,
    /// It has a value that the schema does not list.
    EnumMismatch,
}

/// Checks one note, the notes of a type, or every note with a schema.
pub fn validate(
    context: &VaultContext,
    note: Option<&PageRow>,
    kind: Option<&str>,
) -> Result<ValidationReport> {
    let schemas = schemas(context)?;
    let (notes, note_type) = match (note, kind) {
        (Some(note), _) => (vec![note.clone()], Some(note.kind.clone())),
        (None, Some(kind)) => (notes_of(context, kind)?, Some(kind.to_owned())),
        (None, None) => {
            let mut notes = all_notes(context)?;
            notes.retain(|note| note.kind != "schema" && schema_of(&schemas, note).is_some());
            (notes, None)
        }
    };
    let mut report = ValidationReport { note_type, ..ValidationReport::default() };
    report.schema_found = kind.is_some_and(|kind| schema_for(&schemas, kind).is_some());
    let mut summaries: BTreeMap<String, TypeSummary> = BTreeMap::new();
    for note in &notes {
        let Some(schema) = schema_of(&schemas, note) else { continue };
        report.schema_found = true;
        let checked = check(note, &lines_of(context, note)?, &schema);
        let summary = summaries.entry(note.kind.clone()).or_default();
        summary.note_type.clone_from(&note.kind);
        summary.total_notes += 1;
        summary.total_entities += 1;
        summary.valid_count += usize::from(checked.passed);
        summary.warning_count += checked.warnings.len();
        summary.error_count += checked.errors.len();
        report.results.push(checked);
    }
    report.total_notes = report.results.len();
    report.total_entities = report.results.len();
    report.valid_count = report.results.iter().filter(|note| note.passed).count();
    report.warning_count = report.results.iter().map(|note| note.warnings.len()).sum();
    report.error_count = report.results.iter().map(|note| note.errors.len()).sum();
    if note.is_none() && kind.is_none() {
        report.type_summaries = summaries.into_values().collect();
    }
    Ok(report)
}

/// Returns the schema of a note: its own, the one that it names, else that of its type.
fn schema_of(schemas: &[Schema], note: &PageRow) -> Option<Schema> {
    match note.properties.get("schema") {
        Some(Value::Map(_)) => {
            let own = Schema::of_page(&note.properties, &note.title)?;
            Some(Schema { entity: note.kind.clone(), ..own })
        }
        Some(Value::Text(name)) => {
            let named = schemas.iter().find(|schema| schema.title.eq_ignore_ascii_case(name.trim()));
            named.cloned().or_else(|| schema_for(schemas, name.trim()))
        }
        _ => schema_for(schemas, &note.kind),
    }
}

fn check(note: &PageRow, lines: &NoteLines, schema: &Schema) -> NoteReport {
    let mut report = NoteReport {
        note_identifier: note.title.clone(),
        schema_entity: schema.entity.clone(),
        passed: true,
        field_results: Vec::new(),
        unmatched_observations: BTreeMap::new(),
        unmatched_relations: Vec::new(),
        warnings: Vec::new(),
        errors: Vec::new(),
    };
    let mut findings = Vec::new();
    for field in &schema.fields {
        let (result, finding) = line_field(field, lines);
        report.field_results.push(result);
        findings.extend(finding);
    }
    for field in &schema.properties {
        let values = note.properties.list(&field.name);
        let missing = format!("Missing frontmatter key: {}", field.name);
        let required = format!("Missing required frontmatter key: {}", field.name);
        let (result, finding) = judged(field, values, missing, required);
        report.field_results.push(result);
        findings.extend(finding);
    }
    let is_named = |name: &str| schema.fields.iter().any(|field| field.name == name);
    for (category, _) in lines.observations.iter().filter(|(category, _)| !is_named(category)) {
        *report.unmatched_observations.entry(category.clone()).or_default() += 1;
    }
    for (relation, ..) in lines.relations.iter().filter(|(relation, ..)| !is_named(relation)) {
        if !report.unmatched_relations.contains(relation) {
            report.unmatched_relations.push(relation.clone());
        }
    }
    match schema.mode {
        Mode::Strict => report.errors = findings,
        Mode::Warn => report.warnings = findings,
        Mode::Off => {}
    }
    report.passed = report.errors.is_empty();
    report
}

/// Judges a field that is an observation or a relation.
fn line_field(field: &Field, lines: &NoteLines) -> (FieldResult, Option<String>) {
    let name = &field.name;
    if field.is_relation() {
        let values = lines.relations.iter().filter(|(relation, ..)| relation == name);
        let values = values.map(|(_, target, _)| target.clone()).collect();
        let about = format!("{name} (no '{name} [[...]]' relation found)");
        return judged(
            field,
            values,
            format!("Missing relation: {about}"),
            format!("Missing required field: {about}"),
        );
    }
    let values = lines.observations.iter().filter(|(category, _)| category == name);
    let values = values.map(|(_, content)| content.clone()).collect();
    let about = format!("{name} (expected [{name}] observation)");
    let wanted = if field.required { "required" } else { "optional" };
    judged(
        field,
        values,
        format!("Missing {wanted} field: {about}"),
        format!("Missing required field: {about}"),
    )
}

/// Returns the result for a field with these values, and what counts as a finding.
fn judged(
    field: &Field,
    values: Vec<String>,
    missing: String,
    required: String,
) -> (FieldResult, Option<String>) {
    let is_wrong = |value: &&String| !field.allowed.is_empty() && !field.allowed.contains(value);
    let wrong: Vec<&str> = values.iter().filter(is_wrong).map(String::as_str).collect();
    let (status, message, finding) = if values.is_empty() {
        (FieldStatus::Missing, Some(missing), field.required.then_some(required))
    } else if !wrong.is_empty() {
        let allowed = field.allowed.join(", ");
        let text =
            format!("Field '{}' has invalid value(s): {} (allowed: {allowed})", field.name, wrong.join(", "));
        (FieldStatus::EnumMismatch, Some(text.clone()), Some(text))
    } else {
        (FieldStatus::Present, None, None)
    };
    let result = FieldResult {
        field_name: field.name.clone(),
        field_type: field.kind.clone(),
        required: field.required,
        status,
        values,
        message,
    };
    (result, finding)
}
