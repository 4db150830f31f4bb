//! Edits JSON settings, with or without comments, and leaves everything else unchanged.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::SettingsError;

/// The byte order mark that some editors write.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// An editable JSON document.
pub struct Json {
    root: CstRootNode,
    has_mark: bool,
}

impl Json {
    /// Parses a document; empty text counts as an empty object.
    pub fn parse(text: &str) -> Result<Json, SettingsError> {
        let (has_mark, text) = (text.starts_with(BYTE_ORDER_MARK), text.trim_start_matches(BYTE_ORDER_MARK));
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let root = CstRootNode::parse(text, &options).map_err(|error| SettingsError {
            line: Some(text[..error.range().start].matches('\n').count() + 1),
            message: error.kind().to_string(),
        })?;
        if root.object_value_or_create().is_none() {
            return Err(SettingsError { line: Some(1), message: "the file is not a JSON object".into() });
        }
        Ok(Json { root, has_mark })
    }

    /// Returns the document as text.
    pub fn text(&self) -> String {
        format!("{}{}", if self.has_mark { BYTE_ORDER_MARK.to_string() } else { String::new() }, self.root)
    }

    /// Returns the value at a path of keys.
    pub fn get(&self, path: &[&str]) -> Option<Value> {
        self.property(path)?.value()?.to_serde_value()
    }

    /// Sets the value at a path; in an existing object, only the keys of the new object change. Returns the paths of the
    /// objects created on the way.
    pub fn set(&self, path: &[&str], value: &Value) -> Result<Vec<Vec<String>>, SettingsError> {
        let Some((key, parents)) = path.split_last() else { return Ok(Vec::new()) };
        let (object, created_keys) = self.object(parents)?;
        match (object.get(key), value) {
            (None, _) => drop(object.append(key, input(value))),
            (Some(existing), Value::Object(fields)) if existing.object_value().is_some() => {
                for (field, value) in fields {
                    self.set(&[path, &[field.as_str()]].concat(), value)?;
                }
            }
            (Some(existing), _) => {
                let same = existing.value().and_then(|node| node.to_serde_value()).as_ref() == Some(value);
                if !same {
                    existing.set_value(input(value));
                }
            }
        }
        Ok(created_keys)
    }

    /// Removes the value at a path; returns whether there was one.
    pub fn remove(&self, path: &[&str]) -> bool {
        self.property(path).map(CstObjectProp::remove).is_some()
    }

    /// Removes an empty object or list.
    pub fn remove_empty(&self, path: &[&str]) {
        let empty = match self.get(path) {
            Some(Value::Object(fields)) => fields.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            _ => false,
        };
        if empty {
            self.remove(path);
        }
    }

    /// Adds a hook to the list of its event, replacing the one that `own` matches. Returns the paths of the objects
    /// created on the way.
    pub fn set_hook(
        &self,
        path: &[&str],
        hook: &Value,
        group: impl Fn(Value) -> Value,
        own: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Vec<String>>, SettingsError> {
        let (list, created_keys) = self.list(path)?;
        let mut matching = hooks(&list).into_iter().filter(|node| matches(node, &own));
        let Some(first) = matching.next() else {
            list.append(input(&group(hook.clone())));
            return Ok(created_keys);
        };
        if first.to_serde_value().as_ref() != Some(hook)
            && let Some(object) = first.as_object()
        {
            object.replace_with(input(hook));
        }
        // Removes duplicates.
        for duplicate in matching.collect::<Vec<_>>() {
            self.drop_hook(duplicate);
        }
        Ok(created_keys)
    }

    /// Removes the hooks that `own` matches from the list of their event.
    pub fn remove_hook(&self, path: &[&str], own: impl Fn(&Value) -> bool) -> bool {
        let Some(list) = self.property(path).and_then(|property| property.array_value()) else {
            return false;
        };
        let matching: Vec<CstNode> = hooks(&list).into_iter().filter(|node| matches(node, &own)).collect();
        let is_removed = !matching.is_empty();
        matching.into_iter().for_each(|node| self.drop_hook(node));
        is_removed
    }

    /// Removes a hook, and its group if the hook was alone in it.
    fn drop_hook(&self, node: CstNode) {
        let group = node.ancestors().find_map(|above| above.as_object()).filter(|group| {
            group.array_value("hooks").is_some_and(|hooks| hooks.elements().len() == 1)
                && group.ancestors().next().is_some_and(|above| above.is_array())
        });
        match group {
            Some(group) => group.remove(),
            None => node.remove(),
        }
    }

    fn property(&self, path: &[&str]) -> Option<CstObjectProp> {
        let (key, parents) = path.split_last()?;
        let object = parents.iter().try_fold(self.root.object_value()?, |at, key| at.object_value(key))?;
        object.get(key)
    }

    fn object(&self, path: &[&str]) -> Result<(CstObject, Vec<Vec<String>>), SettingsError> {
        let mut created_keys = Vec::new();
        let mut object = self.root.object_value_or_set();
        for (depth, key) in path.iter().enumerate() {
            if object.get(key).is_none() {
                created_keys.push(owned(&path[..=depth]));
            }
            object =
                object.object_value_or_create(key).ok_or_else(|| type_error(&path[..=depth], "an object"))?;
        }
        Ok((object, created_keys))
    }

    fn list(&self, path: &[&str]) -> Result<(CstArray, Vec<Vec<String>>), SettingsError> {
        let Some((key, parents)) = path.split_last() else { return Err(type_error(path, "a list")) };
        let (object, mut created_keys) = self.object(parents)?;
        if object.get(key).is_none() {
            created_keys.push(owned(path));
        }
        Ok((object.array_value_or_create(key).ok_or_else(|| type_error(path, "a list"))?, created_keys))
    }
}

/// Returns the hooks of an event: the items of its list, or the items of their groups.
fn hooks(list: &CstArray) -> Vec<CstNode> {
    let inner = |node: CstNode| match node.as_object().and_then(|group| group.array_value("hooks")) {
        Some(hooks) => hooks.elements(),
        None => vec![node],
    };
    list.elements().into_iter().flat_map(inner).collect()
}

fn matches(node: &CstNode, own: &impl Fn(&Value) -> bool) -> bool {
    node.to_serde_value().is_some_and(|value| own(&value))
}

fn type_error(path: &[&str], what: &str) -> SettingsError {
    SettingsError { line: None, message: format!("{} is not {what}", path.join(".")) }
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|key| (*key).to_owned()).collect()
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
