//! Filters by properties: a value, a list of which all must be there, or an object of operators.

use std::cmp::Ordering;

use lore_page::{Properties, Value as Property};
use serde_json::{Map, Value};

use crate::app::error::{AppError, Result};

const OPERATORS: [&str; 6] = ["$in", "$gt", "$gte", "$lt", "$lte", "$between"];

/// Returns an error if a filter has an unknown operator.
pub(super) fn check(filters: &Map<String, Value>) -> Result<()> {
    let operators = filters.values().filter_map(Value::as_object).flat_map(Map::iter);
    for (operator, operand) in operators {
        let is_list = matches!(operator.as_str(), "$in" | "$between");
        let fits = match operand {
            Value::Array(items) if operator == "$between" => items.len() == 2,
            Value::Array(_) => is_list,
            _ => !is_list,
        };
        if !OPERATORS.contains(&operator.as_str()) || !fits {
            return Err(AppError::usage(
                format!("{operator}: {operand} is not a filter"),
                "use $gt, $gte, $lt and $lte with a value, $in with a list, or $between with two values",
            ));
        }
    }
    Ok(())
}

/// Whether properties fit all filters. A key may name a value in a map: `meta.owner`.
pub(super) fn matches(properties: &Properties, filters: &Map<String, Value>) -> bool {
    filters.iter().all(|(key, wanted)| {
        let texts = texts(properties, key);
        match wanted {
            Value::Object(operators) => {
                operators.iter().all(|(name, operand)| operated(&texts, name, operand))
            }
            Value::Array(items) => items.iter().all(|item| has(&texts, item)),
            one => has(&texts, one),
        }
    })
}

fn texts(properties: &Properties, key: &str) -> Vec<String> {
    match (properties.list(key), key.split_once('.')) {
        (found, None) => found,
        (found, _) if !found.is_empty() => found,
        (_, Some((outer, inner))) => match properties.get(outer) {
            Some(Property::Map(map)) => texts(map, inner),
            _ => Vec::new(),
        },
    }
}

fn has(texts: &[String], wanted: &Value) -> bool {
    let wanted = text(wanted);
    texts.iter().any(|text| text.eq_ignore_ascii_case(&wanted))
}

fn operated(texts: &[String], operator: &str, operand: &Value) -> bool {
    let items = operand.as_array().map(Vec::as_slice).unwrap_or_default();
    let compare = |operand: &Value, fits: &dyn Fn(Ordering) -> bool| {
        texts.iter().any(|one| fits(order(one, &text(operand))))
    };
    match operator {
        "$in" => items.iter().any(|item| has(texts, item)),
        "$gt" => compare(operand, &Ordering::is_gt),
        "$gte" => compare(operand, &Ordering::is_ge),
        "$lt" => compare(operand, &Ordering::is_lt),
        "$lte" => compare(operand, &Ordering::is_le),
        "$between" => match items {
            [low, high] => compare(low, &Ordering::is_ge) && compare(high, &Ordering::is_le),
            _ => false,
        },
        _ => false,
    }
}

/// Compares numbers as numbers, and everything else, such as dates, as text.
fn order(one: &str, other: &str) -> Ordering {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one.total_cmp(&other),
        _ => one.cmp(other),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn filters_compare_values_lists_and_operators() {
        let text = "---\nborn: 1815\nok: true\ntags: [math, pioneer]\nmeta:\n  owner: Ann\n---\n";
        let properties = lore_page::parse("a.md", text).page.properties;
        for (filter, expected) in [
            (json!({ "born": 1815 }), true),
            (json!({ "born": "1816" }), false),
            (json!({ "ok": true }), true),
            (json!({ "tags": ["math", "pioneer"] }), true),
            (json!({ "tags": ["math", "poet"] }), false),
            (json!({ "born": { "$gt": 900, "$lt": 1900 } }), true),
            (json!({ "born": { "$between": [1815, 1815] } }), true),
            (json!({ "born": { "$in": ["3", "1815"] } }), true),
            (json!({ "meta.owner": "ann" }), true),
            (json!({ "none": { "$gt": 1 } }), false),
        ] {
            let Value::Object(filter) = filter else { panic!("an object") };
            assert!(check(&filter).is_ok());
            assert_eq!(matches(&properties, &filter), expected, "{filter:?}");
        }
        for wrong in [
            json!({ "a": { "$regex": "x" } }),
            json!({ "a": { "$in": 1 } }),
            json!({ "a": { "$between": [1] } }),
        ] {
            assert!(check(wrong.as_object().expect("an object")).is_err(), "{wrong}");
        }
    }
}
