//! How good a ranking is, as pure functions of the ranks and of what is known to answer.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

/// How good rankings are, each from 0 to 1, over all questions that have an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Measures {
    /// Questions with one of their answers among the first five.
    pub any_at_5: f64,
    /// Questions with all of their answers among the first five.
    pub all_at_5: f64,
    /// The part of the answers that is among the first five.
    pub recall_at_5: f64,
    /// The part of the answers that is among the first ten.
    pub recall_at_10: f64,
    /// Normalised discounted cumulative gain of the first ten.
    pub ndcg_at_10: f64,
    /// One over the rank of the first answer among the first ten.
    pub mrr: f64,
}

/// Sums over questions.
#[derive(Debug, Default)]
pub struct Scores {
    sum: Measures,
    count: usize,
}

impl Scores {
    /// Adds a ranking, best first, and what answers the question, with how well.
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

    /// The means.
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

fn ndcg(ranking: &[String], answers: &HashMap<String, f64>) -> f64 {
    let gain = |gains: &mut dyn Iterator<Item = f64>| -> f64 {
        gains.take(10).enumerate().map(|(at, gain)| gain / ((at + 2) as f64).log2()).sum()
    };
    let mut best: Vec<f64> = answers.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let got = gain(&mut ranking.iter().map(|id| answers.get(id).copied().unwrap_or(0.0)));
    let ideal = gain(&mut best.into_iter());
    if ideal > 0.0 { got / ideal } else { 0.0 }
}

/// The value below which this part of the values lies.
pub fn percentile(sorted: &[f64], part: f64) -> f64 {
    let at = ((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
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
    fn a_perfect_ranking_has_one_everywhere() {
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
    fn a_miss_has_nothing() {
        assert_eq!(measured(&["x", "y"], &[("a", 1.0)]), Measures::default());
        assert_eq!(measured(&[], &[("a", 1.0)]), Measures::default());
    }

    #[test]
    fn each_measure_counts_what_it_says() {
        let ranking = ["x", "a", "x2", "x3", "x4", "b", "x5"];
        let found = measured(&ranking, &[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]);
        assert_eq!((found.any_at_5, found.all_at_5), (1.0, 0.0));
        assert_eq!((found.recall_at_5, found.recall_at_10, found.mrr), (0.25, 0.5, 0.5));
        // Gains at ranks 2 and 6 over the best that four answers allow.
        let ideal: f64 = (2..6).map(|rank| 1.0 / f64::from(rank).log2()).sum();
        let expected = (1.0 / 3f64.log2() + 1.0 / 7f64.log2()) / ideal;
        assert!((found.ndcg_at_10 - expected).abs() < 1e-12, "{}", found.ndcg_at_10);
    }

    #[test]
    fn percentiles_are_values_that_were_seen() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([0.5, 0.95, 0.99, 1.0].map(|part| percentile(&values, part)), [50.0, 95.0, 99.0, 100.0]);
        assert_eq!(percentile(&[7.0], 0.5), 7.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
