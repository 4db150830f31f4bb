//! Retrieval metrics as pure functions of the ranking and the known answers.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

/// Retrieval metrics, each from 0 to 1, averaged over all questions that have an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Measures {
    /// Share of questions with at least one answer in the top five.
    pub any_at_5: f64,
    /// Share of questions with all of their answers in the top five.
    pub all_at_5: f64,
    /// Share of the answers in the top five.
    pub recall_at_5: f64,
    /// Share of the answers in the top ten.
    pub recall_at_10: f64,
    /// Normalized discounted cumulative gain of the top ten.
    pub ndcg_at_10: f64,
    /// Mean reciprocal rank of the first answer in the top ten.
    pub mrr: f64,
}

/// Sums of the metrics over questions.
#[derive(Debug, Default)]
pub struct Scores {
    sum: Measures,
    count: usize,
}

impl Scores {
    /// Adds one question: its ranking, best first, and its answers with their relevance.
    pub fn add(&mut self, ranking: &[String], answers: &HashMap<String, f64>) {
        let found =
            |first: usize| ranking.iter().take(first).filter(|id| answers.contains_key(*id)).count() as f64;
        let all = answers.len() as f64;
        let first = ranking.iter().take(10).position(|id| answers.contains_key(id));
        self.sum.any_at_5 += f64::from(u8::from(found(5) > 0.0));
        self.sum.all_at_5 += f64::from(u8::from(found(5) == all));
        self.sum.recall_at_5 += found(5) / all;
        self.sum.recall_at_10 += found(10) / all;
        self.sum.ndcg_at_10 += ndcg(ranking, answers);
        self.sum.mrr += first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
        self.count += 1;
    }

    /// Returns the means.
    pub fn mean(&self) -> Measures {
        let count = (self.count.max(1)) as f64;
        let Measures { any_at_5, all_at_5, recall_at_5, recall_at_10, ndcg_at_10, mrr } = self.sum;
        Measures {
            any_at_5: any_at_5 / count,
            all_at_5: all_at_5 / count,
            recall_at_5: recall_at_5 / count,
            recall_at_10: recall_at_10 / count,
            ndcg_at_10: ndcg_at_10 / count,
            mrr: mrr / count,
        }
    }
}

/// Returns the normalized discounted cumulative gain of the top ten.
pub fn ndcg(ranking: &[String], answers: &HashMap<String, f64>) -> f64 {
    let gain = |gains: &mut dyn Iterator<Item = f64>| -> f64 {
        gains.take(10).enumerate().map(|(at, gain)| gain / ((at + 2) as f64).log2()).sum()
    };
    let mut best: Vec<f64> = answers.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let actual = gain(&mut ranking.iter().map(|id| answers.get(id).copied().unwrap_or(0.0)));
    let ideal = gain(&mut best.into_iter());
    if ideal > 0.0 { actual / ideal } else { 0.0 }
}

/// Returns the nearest-rank percentile of sorted values; `fraction` is between 0 and 1.
pub fn percentile(sorted: &[f64], fraction: f64) -> f64 {
    let at = ((sorted.len() as f64 * fraction).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(ranking: &[&str], answers: &[(&str, f64)]) -> Measures {
        let mut scores = Scores::default();
        let ranking: Vec<String> = ranking.iter().map(ToString::to_string).collect();
        scores.add(&ranking, &answers.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect());
        scores.mean()
    }

    #[test]
    fn perfect_ranking_scores_one() {
        let all = Measures {
            any_at_5: 1.0,
            all_at_5: 1.0,
            recall_at_5: 1.0,
            recall_at_10: 1.0,
            ndcg_at_10: 1.0,
            mrr: 1.0,
        };
        assert_eq!(measured(&["a", "b", "c"], &[("a", 2.0), ("b", 1.0)]), all);
    }

    #[test]
    fn miss_scores_zero() {
        assert_eq!(measured(&["x", "y"], &[("a", 1.0)]), Measures::default());
        assert_eq!(measured(&[], &[("a", 1.0)]), Measures::default());
    }

    #[test]
    fn each_metric_is_computed_independently() {
        let ranking = ["x", "a", "x2", "x3", "x4", "b", "x5"];
        let found = measured(&ranking, &[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]);
        assert_eq!((found.any_at_5, found.all_at_5), (1.0, 0.0));
        assert_eq!((found.recall_at_5, found.recall_at_10, found.mrr), (0.25, 0.5, 0.5));
        // Gains at ranks 2 and 6, divided by the ideal gain of four answers.
        let ideal: f64 = (2..6).map(|rank| 1.0 / f64::from(rank).log2()).sum();
        let expected = (1.0 / 3f64.log2() + 1.0 / 7f64.log2()) / ideal;
        assert!((found.ndcg_at_10 - expected).abs() < 1e-12, "{}", found.ndcg_at_10);
    }

    #[test]
    fn percentiles_are_observed_values() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(
            [0.5, 0.95, 0.99, 1.0].map(|fraction| percentile(&values, fraction)),
            [50.0, 95.0, 99.0, 100.0]
        );
        assert_eq!(percentile(&[7.0], 0.5), 7.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
