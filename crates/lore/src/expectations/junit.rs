//! Renders a test run as JUnit XML for CI servers.

use std::time::Duration;

use crate::app::xml::escape;

/// One test case of a run.
#[derive(Debug)]
pub struct Case<'a> {
    /// The name of the test.
    pub name: &'a str,
    /// `question` or `fact`; becomes the class name.
    pub kind: &'a str,
    /// Its line in the file.
    pub line: usize,
    /// Why it failed; none if it passed.
    pub failure: Option<&'a str>,
    /// Time taken.
    pub time: Duration,
}

/// Returns the JUnit report of a run.
pub fn junit(project: &str, file: &str, cases: &[Case]) -> String {
    let failed = cases.iter().filter(|case| case.failure.is_some()).count();
    let time: Duration = cases.iter().map(|case| case.time).sum();
    let (count, seconds) = (cases.len(), time.as_secs_f64());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{count}\" failures=\"{failed}\" errors=\"0\" \
         time=\"{seconds:.3}\">\n  <testsuite name=\"lore {}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\" \
         skipped=\"0\" time=\"{seconds:.3}\">\n",
        escape(project)
    );
    for case in cases {
        text.push_str(&format!(
            "    <testcase name=\"{}\" classname=\"lore.{}\" file=\"{}\" line=\"{}\" time=\"{:.3}\"",
            escape(case.name),
            escape(case.kind),
            escape(file),
            case.line,
            case.time.as_secs_f64()
        ));
        match case.failure {
            None => text.push_str("/>\n"),
            Some(failure) => {
                let first = escape(failure.lines().next().unwrap_or_default());
                text.push_str(&format!(
                    ">\n      <failure message=\"{first}\" type=\"expectation\">{}</failure>\n    </testcase>\n",
                    escape(failure)
                ));
            }
        }
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_survives_an_xml_parser() {
        let unusual = "who says \"<&>\" and ]]> in\ttwo\nlines\u{1}?";
        let cases = [
            Case { name: unusual, kind: "question", line: 3, failure: None, time: Duration::from_millis(12) },
            Case { name: "b", kind: "fact", line: 9, failure: Some(unusual), time: Duration::from_millis(1) },
        ];
        let text = junit("my \"brain\" & <co>", "expectations.toml", &cases);
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
        assert_eq!(suite.attribute("name"), Some("lore my \"brain\" & <co>"));
        assert_eq!((suite.attribute("tests"), suite.attribute("failures")), (Some("2"), Some("1")));
        let read: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
        let expected = unusual.replace('\u{1}', "\u{fffd}");
        assert_eq!(read[0].attribute("name"), Some(expected.as_str()));
        assert_eq!(read[0].attribute("time"), Some("0.012"));
        let failure = read[1].first_element_child().expect("a failure");
        assert_eq!(failure.text(), Some(expected.as_str()));
        assert_eq!(failure.attribute("type"), Some("expectation"));
    }
}
