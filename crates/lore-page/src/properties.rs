//! Lookups in [`Properties`], and their serialized form: one map, in file order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::page::{Properties, Value};

impl Properties {
    /// Returns the value of a key, preferring an exact match over one that differs only in case.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let exact = self.0.iter().find(|(name, _)| name == key);
        let found = exact.or_else(|| self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)));
        found.map(|(_, value)| value)
    }

    /// Returns the text of a key whose value is a scalar.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the texts of a key whose value is a list or a scalar; other values give nothing.
    pub fn list(&self, key: &str) -> Vec<String> {
        match self.get(key) {
            Some(Value::Text(text)) => vec![text.clone()],
            Some(Value::List(items)) => items
                .iter()
                .filter_map(|item| match item {
                    Value::Text(text) => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Iterates over the keys and values in file order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl Serialize for Properties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Properties;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of properties")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Option<Value>>()? {
            entries.extend(value.map(|value| (key, value)));
        }
        Ok(Properties(entries))
    }
}
