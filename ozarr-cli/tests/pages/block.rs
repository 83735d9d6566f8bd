//! Finds the blocks of pages.

use std::{fs, path::Path};

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// The first word after the fence.
    pub(crate) language: String,
    /// The words after the language.
    pub(crate) attributes: String,
    pub(crate) text: String,
    /// The number of the line with the opening fence, from 1.
    pub(crate) line: usize,
    /// The heading of level 2 above.
    pub(crate) section: String,
}

pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let (mut found, mut section) = (Vec::new(), String::new());
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line.starts_with("## ") {
            line.clone_into(&mut section);
        }
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let indent = line.len() - line.trim_start().len();
        let inside = lines.by_ref().map(|(_, l)| l).take_while(|l| l.trim() != "```");
        let text: String = inside.map(|l| format!("{}\n", l.get(indent..).unwrap_or_default())).collect();
        let (language, attributes) = info.split_once([',', ' ']).unwrap_or((info, ""));
        let (language, attributes) = (language.to_owned(), attributes.to_owned());
        found.push(Block { language, attributes, text, line: number + 1, section: section.clone() });
    }
    found
}

/// Replaces lines, each given by the index of the first and the number of lines, in the order of the page.
pub(crate) fn replace(page: &str, parts: &[(usize, usize, String)]) -> String {
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let (mut to, mut at) = (String::new(), 0);
    for (from, count, text) in parts {
        to.extend(lines[at..*from].iter().copied());
        to.push_str(text);
        at = from + count;
    }
    to.extend(lines[at..].iter().copied());
    to
}

/// The first line of code that is marked by indentation only.
pub(crate) fn indented(page: &str) -> Option<&str> {
    let (mut before, mut in_list, mut in_fence) = ("", false, false);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if !in_fence && before.is_empty() && line.starts_with("    ") && !in_list {
            return Some(line);
        }
        if !line.is_empty() && !line.starts_with(' ') {
            let item = line.trim_start_matches(|c: char| c.is_ascii_digit());
            in_list = ["- ", "* ", ". "].iter().any(|mark| item.starts_with(mark));
        }
        before = line;
    }
    None
}

/// The pages of the repository, without reports that programs write.
pub(crate) fn pages(tree: &Path) -> Vec<String> {
    let (mut found, mut left) = (Vec::new(), vec![tree.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(tree).unwrap().to_str().unwrap().to_owned();
            let last = path.file_name().unwrap().to_str().unwrap();
            let skipped = last.starts_with('.') || last == "target" || last == "node_modules" || last == "__pycache__";
            if skipped
                || ["docs/api", "docs/conformance-results.md", "conformance/cases", "fuzz/corpus"].contains(&&*name)
            {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                left.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(name);
            }
        }
    }
    found
}
