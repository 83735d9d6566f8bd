//! Expands short inputs to long documents, and provides the thread on which they are read.

use std::{
    sync::{
        Mutex, OnceLock,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

/// The maximum length of a document.
const LONGEST: usize = 192 << 10;
/// The maximum nesting of repetitions.
const DEPTH: u32 = 4;

/// `01 COUNT COUNT LENGTH` and `LENGTH` bytes: repeats these bytes `COUNT` times.
const REPEAT: u8 = 1;
/// `02 COUNT COUNT LENGTH LENGTH` and two groups of bytes: the first group `COUNT` times, the following input, and the
/// second group as often.
const AROUND: u8 = 2;
/// `03`: the number of the innermost repetition, so that members have different names.
const NUMBER: u8 = 3;

/// Expands an input. Bytes that JSON allows stand for themselves, so that a document is its own input.
pub fn expanded(data: &[u8]) -> Vec<u8> {
    let mut document = Document { text: Vec::new(), steps: 4 * LONGEST };
    document.expand(data, 0, DEPTH);
    document.text
}

struct Document {
    text: Vec<u8>,
    /// The remaining steps: empty repetitions do not make a document longer.
    steps: usize,
}

impl Document {
    /// Returns true if the document may become longer.
    fn goes_on(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0 && self.text.len() <= LONGEST
    }
    fn expand(&mut self, mut data: &[u8], number: usize, depth: u32) {
        let mut closing: Vec<(&[u8], usize)> = Vec::new();
        while let Some((&first, rest)) = data.split_first()
            && self.goes_on()
        {
            data = rest;
            match (first, rest) {
                (REPEAT, [a, b, n, rest @ ..]) if depth > 0 => {
                    let (block, after) = rest.split_at(rest.len().min(usize::from(*n)));
                    self.repeat(block, count(*a, *b), depth);
                    data = after;
                }
                (AROUND, [a, b, n, m, rest @ ..]) if depth > 0 => {
                    let (open, rest) = rest.split_at(rest.len().min(usize::from(*n)));
                    let (close, after) = rest.split_at(rest.len().min(usize::from(*m)));
                    self.repeat(open, count(*a, *b), depth);
                    closing.push((close, count(*a, *b)));
                    data = after;
                }
                (NUMBER, _) => self.text.extend(number.to_string().bytes()),
                _ => self.text.push(first),
            }
        }
        for (close, count) in closing.into_iter().rev() {
            self.repeat(close, count, depth);
        }
    }
    fn repeat(&mut self, block: &[u8], count: usize, depth: u32) {
        for number in 0..count {
            if !self.goes_on() {
                return;
            }
            self.expand(block, number, depth - 1);
        }
    }
}

fn count(a: u8, b: u8) -> usize {
    usize::from(u16::from_le_bytes([a, b]))
}

/// The default stack size of threads in Rust and its thread pools.
const STACK: usize = 2 << 20;

type Work = (fn(&[u8]), Vec<u8>);

/// Runs on a thread with a stack of the default size: libFuzzer's own stack is larger than those of the threads that
/// read chunks.
pub fn on_a_usual_stack(work: fn(&[u8]), data: &[u8]) {
    static THREAD: OnceLock<Mutex<(SyncSender<Work>, Receiver<()>)>> = OnceLock::new();
    let thread = THREAD.get_or_init(|| {
        let ((send, work), (done, finished)) = (sync_channel::<Work>(0), sync_channel(0));
        let run = move || {
            work.iter().try_for_each(|(f, data)| {
                f(&data);
                done.send(())
            })
        };
        thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
        Mutex::new((send, finished))
    });
    let thread = thread.lock().expect("one call at a time");
    thread.0.send((work, data.to_vec())).expect("the thread runs");
    thread.1.recv().expect("the thread runs");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_expand_to_documents() {
        assert_eq!(expanded(b"{\"a\":\t[1]\n}"), b"{\"a\":\t[1]\n}");
        assert_eq!(expanded(b"[\x01\x03\x00\x021,0]"), b"[1,1,1,0]");
        assert_eq!(expanded(b"\x02\x02\x00\x01\x01[]7"), b"[[7]]");
        assert_eq!(expanded(b"{\x01\x03\x00\x06\"\x03\":0,}"), b"{\"0\":0,\"1\":0,\"2\":0,}");
        assert_eq!(expanded(b"\x01\x02\x00\x05\x01\x02\x00\x01a!"), b"aaaa!");
        assert!(expanded(b"\x01\xff\xff\x06\x01\xff\xff\x02ab").len() <= LONGEST + 2);
        assert_eq!(expanded(b"\x01\xff\xff\x0c\x01\xff\xff\x08\x01\xff\xff\x04\x01\xff\xff\x00"), b"", "and soon");
        assert_eq!(expanded(b"\x01\x02"), b"\x01\x02", "cut short");
    }
}
