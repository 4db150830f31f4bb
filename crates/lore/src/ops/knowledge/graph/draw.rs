//! Renders a graph as Graphviz DOT, or as SVG with pages on rings around the centre.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use super::GraphView;
use crate::app::xml::escape;

/// Distance between two rings.
const RING: f64 = 190.0;

/// Colours by type, distinguishable on white.
const COLOURS: [&str; 6] = ["#4477aa", "#228833", "#aa3377", "#ccbb44", "#66ccee", "#ee6677"];

/// Returns Graphviz DOT.
pub(super) fn dot(graph: &GraphView) -> String {
    let mut text = String::from("digraph lore {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    for node in &graph.nodes {
        text.push_str(&format!("  {} [label={}];\n", quoted(&node.slug), quoted(&node.title)));
    }
    for edge in &graph.edges {
        let to = edge.to.as_deref().unwrap_or(&edge.target);
        let label = format!("{}{}", edge.relationship, edge.interval());
        text.push_str(&format!("  {} -> {} [label={}];\n", quoted(&edge.from), quoted(to), quoted(&label)));
    }
    text.push_str("}\n");
    text
}

/// Returns a self-contained SVG, without scripts or external fonts.
pub(super) fn svg(graph: &GraphView) -> String {
    let positions = positions(graph);
    let rings = graph.nodes.iter().map(|node| node.hops).max().unwrap_or(0);
    let half = RING * rings as f64 + 130.0;
    let at = |slug: &str| graph.nodes.iter().position(|node| node.slug == slug).map(|at| positions[at]);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0} {0} {1} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n",
        -half,
        half * 2.0
    );
    let mut drawn = BTreeSet::new();
    for edge in &graph.edges {
        let (Some((x1, y1)), Some((x2, y2))) = (at(&edge.from), edge.to.as_deref().and_then(at)) else {
            continue;
        };
        if !drawn.insert((edge.from.clone(), edge.to.clone(), edge.relationship.clone())) {
            continue;
        }
        text.push_str(&format!(
            "<line x1=\"{x1:.0}\" y1=\"{y1:.0}\" x2=\"{x2:.0}\" y2=\"{y2:.0}\" stroke=\"#bbb\"/>\n"
        ));
        if edge.relationship != lore_page::LINKS_TO {
            let (x, y) = ((x1 + x2) / 2.0, (y1 + y2) / 2.0);
            let label = escape(&edge.relationship);
            text.push_str(&format!("<text x=\"{x:.0}\" y=\"{y:.0}\" fill=\"#777\" text-anchor=\"middle\" font-size=\"9\">{label}</text>\n"));
        }
    }
    let kinds: BTreeSet<&str> = graph.nodes.iter().map(|node| node.kind.as_str()).collect();
    for (node, (x, y)) in graph.nodes.iter().zip(positions) {
        let colour = COLOURS[kinds.iter().position(|kind| *kind == node.kind).unwrap_or(0) % COLOURS.len()];
        let radius = if node.hops == 0 { 14 } else { 8 };
        text.push_str(&format!("<circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{radius}\" fill=\"{colour}\"><title>{}</title></circle>\n", escape(&node.slug)));
        text.push_str(&format!(
            "<text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>\n",
            y + 24.0,
            escape(&node.title)
        ));
    }
    text.push_str("</svg>\n");
    text
}

/// Returns the positions of pages, spread evenly on each ring.
fn positions(graph: &GraphView) -> Vec<(f64, f64)> {
    let on_ring = |hops: usize| graph.nodes.iter().filter(|node| node.hops == hops).count().max(1);
    let mut next: Vec<usize> = vec![0; graph.nodes.iter().map(|node| node.hops).max().unwrap_or(0) + 1];
    graph
        .nodes
        .iter()
        .map(|node| {
            let angle =
                TAU * (next[node.hops] as f64 + 0.5 * (node.hops % 2) as f64) / on_ring(node.hops) as f64;
            next[node.hops] += 1;
            let radius = RING * node.hops as f64;
            (radius * angle.cos(), radius * angle.sin())
        })
        .collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
