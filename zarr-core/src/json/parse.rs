//! The parser: RFC 8259 exactly, on bytes, with limits on depth and memory.

use super::{
    text::{Text, block},
    value::{Json, Number, Object, same_names},
};
use crate::{
    error::{Error, ErrorKind, Result},
    limits::Limits,
};

#[cfg(test)]
mod tests;

impl Json {
    /// Parses a document. [`str::parse`] does the same with the default limits.
    ///
    /// # Errors
    /// If RFC 8259 does not allow the text, it has a byte order mark or duplicate members, or its size, depth or memory
    /// exceeds the limits.
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self> {
        document(text, limits)
    }
}

fn document(text: &[u8], limits: &Limits) -> Result<Json> {
    if text.len() as u64 > limits.metadata_bytes {
        let (what, asked) = ("the size of the metadata document in bytes", text.len() as u64);
        return Err(ErrorKind::Limit { what, asked, limit: limits.metadata_bytes }.into());
    }
    let most_memory = limits.json_memory(text.len());
    let mut p = Parser { text, at: 0, depth: 0, max_depth: limits.json_depth, memory: 0, most_memory };
    if text.starts_with(b"\xEF\xBB\xBF") {
        return p.fail("unexpected byte order mark");
    }
    if let Err(e) = std::str::from_utf8(text) {
        p.at = e.valid_up_to();
        return p.fail("invalid UTF-8");
    }
    let value = p.value()?;
    p.space();
    if p.at < text.len() { p.fail("unexpected characters after the document") } else { Ok(value) }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
    max_depth: u32,
    /// The memory of the values so far.
    memory: u64,
    most_memory: u64,
}

/// Lists of at least this length are shrunk in place.
const MANY: usize = 1024;

/// Returns the items without excess capacity.
///
/// Short lists are moved to a new allocation: shrinking each in place would leave gaps that are too small for the next
/// one.
fn exact<T>(mut items: Vec<T>) -> Vec<T> {
    if items.len() >= MANY {
        items.shrink_to_fit();
        return items;
    }
    let mut exact = Vec::with_capacity(items.len());
    exact.append(&mut items);
    exact
}

impl Parser<'_> {
    #[cold]
    fn fail<T>(&self, reason: &'static str) -> Result<T> {
        let before = &self.text[..self.at.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&b| b != b'\n').count();
        Err(Error::new(ErrorKind::Json { line, column, reason }))
    }
    /// Counts memory before it is allocated.
    fn take_memory(&mut self, bytes: usize) -> Result<()> {
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.memory > self.most_memory {
            let (what, asked) = ("the memory for the JSON document in bytes", self.memory);
            let e = Error::new(ErrorKind::Limit { what, asked, limit: self.most_memory });
            return Err(e.with_hint("raise `Limits::json_factor`"));
        }
        Ok(())
    }
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    fn take(&mut self, b: u8) -> bool {
        let found = self.peek() == Some(b);
        self.at += usize::from(found);
        found
    }
    fn word(&mut self, word: &str, value: Json) -> Result<Json> {
        if self.text[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        self.fail("expected a value")
    }
    fn value(&mut self) -> Result<Json> {
        self.space();
        match self.peek() {
            None => self.fail("unexpected end of document"),
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.fail("expected a value"),
        }
    }
    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Result<Json>) -> Result<Json> {
        self.depth += 1;
        if self.depth > self.max_depth {
            let (asked, limit) = (u64::from(self.depth), u64::from(self.max_depth));
            return Err(ErrorKind::Limit { what: "the nesting depth of the JSON document", asked, limit }.into());
        }
        self.at += 1;
        let value = inner(self)?;
        self.depth -= 1;
        Ok(value)
    }
    fn array(&mut self) -> Result<Json> {
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        self.take_memory(block(0))?;
        loop {
            self.take_memory(size_of::<Json>())?;
            items.push(self.value()?);
            self.space();
            if self.take(b']') {
                return Ok(Json::Array(exact(items)));
            }
            if !self.take(b',') {
                return self.fail("expected `,` or `]`");
            }
        }
    }
    fn object(&mut self) -> Result<Json> {
        let mut members: Vec<(Text, Json)> = Vec::new();
        let begin = self.at;
        self.space();
        if self.take(b'}') {
            return Ok(Json::Object(Object::new()));
        }
        self.take_memory(block(0))?;
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.fail("expected a member name in quotes");
            }
            self.take_memory(size_of::<(Text, Json)>())?;
            let start = self.at;
            let name = self.string()?;
            // In a large object duplicates are found at the end.
            let twice = members.len() < 16 && members.iter().any(|(n, _)| *n == name);
            if twice {
                self.at = start;
                return self.fail("duplicate member");
            }
            self.space();
            if !self.take(b':') {
                return self.fail("expected `:`");
            }
            let value = self.value()?;
            members.push((name, value));
            self.space();
            if self.take(b'}') {
                if let Some(&(_, again)) = same_names(&members).first() {
                    drop(members);
                    return self.fail_at_member(begin, again);
                }
                return Ok(Json::Object(Object(exact(members).into())));
            }
            if !self.take(b',') {
                return self.fail("expected `,` or `}`");
            }
        }
    }
    /// Reports an error at a member of an object that begins at `begin` and was parsed before.
    fn fail_at_member<T>(&mut self, begin: usize, number: usize) -> Result<T> {
        (self.at, self.memory) = (begin, 0);
        for _ in 0..number {
            self.space();
            self.string()?;
            self.space();
            self.take(b':');
            self.value()?;
            self.space();
            self.take(b',');
        }
        self.space();
        self.fail("duplicate member")
    }
    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { self.fail("expected a digit") } else { Ok(()) }
    }
    fn number(&mut self) -> Result<Json> {
        let start = self.at;
        self.take(b'-');
        if self.take(b'0') {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.fail("leading zeros are not allowed");
            }
        } else {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _signed = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        match std::str::from_utf8(&self.text[start..self.at]) {
            Ok(text) => {
                self.take_memory(Text::memory(text.len()))?;
                Ok(Json::Number(Number(text.into())))
            }
            Err(_) => self.fail("invalid UTF-8"),
        }
    }
    fn string(&mut self) -> Result<Text> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            out.extend_from_slice(&self.text[start..self.at]);
            match self.peek() {
                None => return self.fail("unterminated string"),
                Some(b'"') => break,
                Some(b'\\') => self.escape(&mut out)?,
                Some(_) => return self.fail("unescaped control character"),
            }
        }
        self.at += 1;
        self.take_memory(Text::memory(out.len()))?;
        let text: Result<String> = String::from_utf8(out).or_else(|_| self.fail("invalid UTF-8"));
        text.map(Text::from)
    }
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let plain = match self.text.get(self.at + 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(&c @ (b'"' | b'\\' | b'/')) => c,
            Some(b'u') => return self.unicode(out),
            _ => return self.fail("invalid escape"),
        };
        out.push(plain);
        self.at += 2;
        Ok(())
    }
    fn unicode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let high = self.hex()?;
        let code = match high {
            0xD800..=0xDBFF => match self.hex() {
                Ok(low @ 0xDC00..=0xDFFF) => 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00),
                _ => return self.fail("unpaired surrogate"),
            },
            code => code,
        };
        match char::from_u32(code) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => return self.fail("unpaired surrogate"),
        }
        Ok(())
    }
    fn hex(&mut self) -> Result<u32> {
        let digits = match self.text.get(self.at..self.at + 6) {
            Some([b'\\', b'u', digits @ ..]) if digits.iter().all(u8::is_ascii_hexdigit) => digits,
            _ => return self.fail("expected \\u and four hexadecimal digits"),
        };
        self.at += 6;
        let text = std::str::from_utf8(digits).unwrap_or_default();
        u32::from_str_radix(text, 16).or_else(|_| self.fail("expected four hexadecimal digits"))
    }
}
