//! The JSON value, and access to its parts.

use super::text::Text;

/// A JSON value, exactly as it was written.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, stored as text.
    Number(Number),
    /// A string.
    String(Text),
    /// An array.
    Array(Vec<Json>),
    /// An object, with its members in order.
    Object(Object),
}

/// The text of a JSON number.
///
/// Two numbers are equal only if their texts are.
#[derive(Debug, Clone, PartialEq)]
pub struct Number(pub(super) Text);

impl Number {
    /// Returns the digits as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// Returns the value, if it is written without a fraction or exponent and fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }
    /// Returns the value, if it is written without a fraction or exponent and fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }
    /// Returns the nearest 64-bit number; infinity if it is too large.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl Json {
    /// Creates the shortest number that reads back as the same bits; `None` if `v` is not finite.
    pub fn from_f64(v: f64) -> Option<Self> {
        v.is_finite().then(|| Json::Number(Number(format!("{v:?}").into())))
    }
    /// Creates the shortest number that reads back as the same 32-bit number; `None` if `v` is not finite.
    pub fn from_f32(v: f32) -> Option<Self> {
        v.is_finite().then(|| Json::Number(Number(format!("{v:?}").into())))
    }
    /// Returns the members, if this is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Json::Object(o) => Some(o),
            _ => None,
        }
    }
    /// Returns the elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(a) => Some(a),
            _ => None,
        }
    }
    /// Returns the text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(s) => Some(s),
            _ => None,
        }
    }
    /// Returns the value, if this is an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Json::Number(n) => n.as_u64(),
            _ => None,
        }
    }
    /// Returns the value, if this is an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Json::Number(n) => n.as_i64(),
            _ => None,
        }
    }
    /// Returns the nearest 64-bit number, if this is a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Number(n) => Some(n.as_f64()),
            _ => None,
        }
    }
    /// Returns the value, if this is `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(b) => Some(*b),
            _ => None,
        }
    }
    /// True if both have the same meaning: the order of members is ignored.
    pub fn is_same(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b)),
            (Json::Object(a), Json::Object(b)) => {
                let is_same = |((n, v), (m, w)): ((&str, &Json), (&str, &Json))| n == m && v.is_same(w);
                a.len() == b.len() && a.by_name().into_iter().zip(b.by_name()).all(is_same)
            }
            _ => self == other,
        }
    }
    /// Returns the kind of the value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// The members of a JSON object, in order, with unique names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object(pub(super) Box<[(Text, Json)]>);

impl Object {
    /// Creates an object without members.
    pub fn new() -> Self {
        Self::default()
    }
    /// Returns the member with this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(n, _)| n.as_str() == name).map(|(_, v)| v)
    }
    /// Returns the member with this name, for changing it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        self.0.iter_mut().find(|(n, _)| n.as_str() == name).map(|(_, v)| v)
    }
    /// Replaces a member in place, or appends it.
    pub fn set(&mut self, name: impl Into<Text>, value: impl Into<Json>) {
        let (name, value) = (name.into(), value.into());
        match self.get_mut(&name) {
            Some(v) => *v = value,
            None => {
                let mut members = std::mem::take(&mut self.0).into_vec();
                members.reserve_exact(1);
                members.push((name, value));
                self.0 = members.into();
            }
        }
    }
    /// Removes a member and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let at = self.0.iter().position(|(n, _)| n.as_str() == name)?;
        let mut members = std::mem::take(&mut self.0).into_vec();
        let (_, value) = members.remove(at);
        self.0 = members.into();
        Some(value)
    }
    /// Returns the members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v))
    }
    /// Returns the members sorted by name.
    ///
    /// [`get`](Self::get) takes linear time, so sort the members once to look up many.
    pub fn by_name(&self) -> Vec<(&str, &Json)> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        members
    }
    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// True if there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Like [`from_iter`](Self::from_iter): `[("level", 3)]`.
impl<N: Into<Text>, V: Into<Json>, const M: usize> From<[(N, V); M]> for Object {
    fn from(members: [(N, V); M]) -> Self {
        members.into_iter().collect()
    }
}
/// Of several members with the same name, the last value is used, at the position of the first.
impl<N: Into<Text>, V: Into<Json>> FromIterator<(N, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(items: I) -> Self {
        let mut members: Vec<(Text, Json)> = items.into_iter().map(|(n, v)| (n.into(), v.into())).collect();
        let same = same_names(&members);
        if !same.is_empty() {
            let mut gone = vec![false; members.len()];
            for (first, again) in same {
                (members[first].1, gone[again]) = (std::mem::replace(&mut members[again].1, Json::Null), true);
            }
            let mut gone = gone.into_iter();
            members.retain(|_| gone.next() == Some(false));
        }
        Self(members.into())
    }
}

/// Returns the members whose name an earlier one has, in order: the index of the first member of that name, and their
/// own.
pub(super) fn same_names(members: &[(Text, Json)]) -> Vec<(usize, usize)> {
    let name = |i: usize| members[i].0.as_str();
    if members.len() <= 16 {
        let earlier = |i: usize| (0..i).find(|j| name(*j) == name(i)).map(|j| (j, i));
        return (0..members.len()).filter_map(earlier).collect();
    }
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_unstable_by(|a, b| name(*a).cmp(name(*b)).then(a.cmp(b)));
    let mut same: Vec<(usize, usize)> = order
        .chunk_by(|a, b| name(*a) == name(*b))
        .flat_map(|alike| alike.iter().skip(1).map(|again| (alike[0], *again)))
        .collect();
    same.sort_unstable_by_key(|(_, again)| *again);
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn members(count: u32) -> Object {
        (0..count).map(|i| (format!("member {i}"), i)).collect()
    }
    fn reversed(object: &Object) -> Object {
        let mut members: Vec<_> = object.iter().map(|(name, value)| (name, value.clone())).collect();
        members.reverse();
        members.into_iter().collect()
    }

    /// Takes minutes if each member is looked up individually.
    #[test]
    fn large_objects_are_compared_in_linear_time() {
        let there = members(100_000);
        assert!(Json::Object(reversed(&there)).is_same(&Json::Object(there)));
    }

    /// Takes minutes if each member is removed individually.
    #[test]
    fn many_duplicate_members_are_collected_in_linear_time() {
        let there = members(50_000);
        let twice = reversed(&there).iter().chain(there.iter()).map(|(name, value)| (name, value.clone())).collect();
        assert_eq!(reversed(&there), twice);
    }

    #[test]
    fn objects_with_different_members_differ() {
        for count in [3, 40] {
            let there = Json::Object(members(count));
            let mut other = reversed(&members(count));
            assert!(there.is_same(&Json::Object(other.clone())));
            other.set("member 1", 2);
            assert!(!there.is_same(&Json::Object(other.clone())), "another value");
            other.remove("member 1");
            assert!(!there.is_same(&Json::Object(other.clone())), "fewer");
            other.set("member -1", 1);
            assert!(!there.is_same(&Json::Object(other)), "another name");
        }
    }

    #[test]
    fn the_last_duplicate_wins_in_the_place_of_the_first() {
        for more in [0, 40] {
            let others = (0..more).map(|i| (format!("other {i}"), i));
            let members = [("b", 1), ("a", 2), ("b", 3), ("c", 4), ("b", 5), ("a", 6)].map(|(n, v)| (n.to_owned(), v));
            let object: Object = members.into_iter().chain(others).collect();
            let first: Vec<_> = object.iter().take(3).map(|(n, v)| (n, v.as_u64())).collect();
            assert_eq!(first, [("b", Some(5)), ("a", Some(6)), ("c", Some(4))]);
            assert_eq!(object.len(), 3 + more);
        }
    }

    #[test]
    fn member_order_is_ignored_at_any_depth() {
        let parse = |text: &str| Json::parse(text.as_bytes(), &Limits::default()).unwrap();
        let one = parse(r#"{"a":{"x":1,"y":[{"p":0,"q":1}]},"b":2}"#);
        assert!(one.is_same(&parse(r#"{"b":2,"a":{"y":[{"q":1,"p":0}],"x":1}}"#)));
        assert!(!one.is_same(&parse(r#"{"b":2,"a":{"y":[{"q":1,"p":2}],"x":1}}"#)));
        assert!(!one.is_same(&parse(r#"{"b":2,"c":{"y":[{"q":1,"p":0}],"x":1}}"#)));
    }
}
