//! Infers a schema from the notes of a type, and compares a schema with its notes.

use std::collections::{BTreeMap, HashMap};

use lore_engine::{Result, VaultContext};
use lore_text::capitalize;
use serde::Serialize;

use super::{lines_of, notes_of, schema_for, schemas};

/// Share of the notes from which a field is required.
const REQUIRED: f64 = 0.95;
/// Share of the notes from which a field belongs to a schema, unless the caller says otherwise.
const NEW: f64 = 0.25;
/// Share of the notes below which a field of a schema has been dropped.
const DROPPED: f64 = 0.1;
/// Number of values that are shown.
const SAMPLES: usize = 5;

/// A field as the notes of a type use it.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct FieldFrequency {
    /// Name of the field.
    pub name: String,
    /// `observation` or `relation`.
    pub source: &'static str,
    /// Number of notes that have it.
    pub count: usize,
    /// Number of notes.
    pub total: usize,
    /// Share of the notes that have it.
    pub percentage: f64,
    /// A few of its values.
    pub sample_values: Vec<String>,
    /// Whether most notes that have it have several.
    pub is_array: bool,
    /// Type of the notes that a relation points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_type: Option<String>,
    #[serde(skip)]
    several: usize,
}

/// A schema inferred from notes.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SchemaInference {
    /// The type.
    pub note_type: String,
    /// Number of its notes.
    pub notes_analyzed: usize,
    /// The fields, most frequent first.
    pub field_frequencies: Vec<FieldFrequency>,
    /// The schema, in order.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub suggested_schema: lore_page::Properties,
    /// Names of required fields.
    pub suggested_required: Vec<String>,
    /// Names of optional fields.
    pub suggested_optional: Vec<String>,
    /// Names of fields that are too rare.
    pub excluded: Vec<String>,
}

/// How notes and their schema differ.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SchemaDrift {
    /// The type.
    pub note_type: String,
    /// Whether there is a schema.
    pub schema_found: bool,
    /// Fields of notes that the schema does not name.
    pub new_fields: Vec<FieldFrequency>,
    /// Fields of the schema that notes hardly have.
    pub dropped_fields: Vec<FieldFrequency>,
    /// Fields that have one value here and several there.
    pub cardinality_changes: Vec<String>,
}

/// Infers a schema; fields below the threshold are left out.
pub fn infer(context: &VaultContext, kind: &str, threshold: Option<f64>) -> Result<SchemaInference> {
    let (notes_analyzed, fields) = frequencies(context, kind)?;
    let (mut schema, mut required, mut optional, mut excluded) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for field in &fields {
        if field.percentage < threshold.unwrap_or(NEW) {
            excluded.push(field.name.clone());
            continue;
        }
        let is_required = field.percentage >= REQUIRED;
        let mark = if is_required { "" } else { "?" };
        let array = if field.is_array { "(array)" } else { "" };
        let target = field.target_type.as_deref().map(capitalize);
        let value = lore_page::Value::Text(target.unwrap_or_else(|| "string".into()));
        schema.push((format!("{}{mark}{array}", field.name), value));
        if is_required { &mut required } else { &mut optional }.push(field.name.clone());
    }
    Ok(SchemaInference {
        note_type: kind.to_owned(),
        notes_analyzed,
        field_frequencies: fields,
        suggested_schema: lore_page::Properties(schema),
        suggested_required: required,
        suggested_optional: optional,
        excluded,
    })
}

/// Compares a schema with the notes of its type.
pub fn drift(context: &VaultContext, kind: &str) -> Result<SchemaDrift> {
    let none = SchemaDrift {
        note_type: kind.to_owned(),
        schema_found: false,
        new_fields: Vec::new(),
        dropped_fields: Vec::new(),
        cardinality_changes: Vec::new(),
    };
    let Some(schema) = schema_for(&schemas(context)?, kind) else { return Ok(none) };
    let (total, fields) = frequencies(context, kind)?;
    let mut drift = SchemaDrift { schema_found: true, ..none };
    for field in &schema.fields {
        let used = fields.iter().find(|used| used.name == field.name);
        let percentage = used.map_or(0.0, |used| used.percentage);
        if percentage < DROPPED {
            let source = if field.is_relation() { "relation" } else { "observation" };
            let unused = FieldFrequency::new(&field.name, source, total);
            drift.dropped_fields.push(used.cloned().unwrap_or(unused));
            continue;
        }
        match (field.array, used.is_some_and(|used| used.is_array)) {
            (true, false) => drift
                .cardinality_changes
                .push(format!("{}: schema declares array but usage is typically single-value", field.name)),
            (false, true) => drift
                .cardinality_changes
                .push(format!("{}: schema declares single-value but usage is typically array", field.name)),
            _ => {}
        }
    }
    let is_new = |used: &FieldFrequency| {
        used.percentage >= NEW && !schema.fields.iter().any(|field| field.name == used.name)
    };
    drift.new_fields = fields.into_iter().filter(is_new).collect();
    Ok(drift)
}

impl FieldFrequency {
    fn new(name: &str, source: &'static str, total: usize) -> FieldFrequency {
        FieldFrequency {
            name: name.to_owned(),
            source,
            count: 0,
            total,
            percentage: 0.0,
            sample_values: Vec::new(),
            is_array: false,
            target_type: None,
            several: 0,
        }
    }

    fn add(&mut self, values: &[(&str, Option<&str>)]) {
        self.count += 1;
        self.several += usize::from(values.len() > 1);
        for (value, target) in values {
            if self.sample_values.len() < SAMPLES && !self.sample_values.iter().any(|known| known == value) {
                self.sample_values.push((*value).to_owned());
            }
            if self.target_type.is_none() {
                self.target_type = target.map(str::to_owned);
            }
        }
        self.percentage = self.count as f64 / self.total as f64;
        self.is_array = self.several * 2 > self.count;
    }
}

/// Whether a field is an observation or a relation, and its name.
type FieldName = (&'static str, String);

/// Counts the fields of the notes of a type: observations first, then relations, each by frequency.
fn frequencies(context: &VaultContext, kind: &str) -> Result<(usize, Vec<FieldFrequency>)> {
    let notes = notes_of(context, kind)?;
    let total = notes.len();
    let mut fields: Vec<FieldFrequency> = Vec::new();
    let mut places: HashMap<FieldName, usize> = HashMap::new();
    for note in &notes {
        let lines = lines_of(context, note)?;
        let mut own: BTreeMap<usize, Vec<(&str, Option<&str>)>> = BTreeMap::new();
        let mut add = |source, name: &String, value| {
            let at = *places.entry((source, name.clone())).or_insert_with(|| {
                fields.push(FieldFrequency::new(name, source, total));
                fields.len() - 1
            });
            own.entry(at).or_default().push(value);
        };
        for (name, value) in &lines.observations {
            add("observation", name, (value.as_str(), None));
        }
        for (name, target, kind) in &lines.relations {
            add("relation", name, (target.as_str(), kind.as_deref()));
        }
        own.into_iter().for_each(|(at, values)| fields[at].add(&values));
    }
    fields.sort_by(|a, b| a.source.cmp(b.source).then(b.count.cmp(&a.count)));
    Ok((total, fields))
}
