//! `zp_call`: the context that is passed to every call.

use super::{
    error,
    guard::{Answer, Ended, Fault, Guard, Wrong},
    quietly,
};
use crate::abi::{self, Str};
use std::{
    any::Any,
    collections::HashMap,
    ffi::c_void,
    mem::ManuallyDrop,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};
use zarr_core::{
    Error, Result,
    call::{Buffers, CallContext, Executor, InnerChunkOrder, Options, Scratch, Sequential},
    limits::Limits,
    source::Cached,
};

/// The data that an exported call retains until it ends.
pub(crate) struct CallState<'c> {
    call: &'c CallContext<'c>,
    // Most calls retain nothing.
    retained: ManuallyDrop<OnceLock<Box<Mutex<Retained<'c>>>>>,
}

/// The address of the reader, the number of the owner, and the start of the owner's window in the value.
pub(crate) type CacheKey = (usize, usize, u64);

#[derive(Default)]
struct Retained<'c> {
    error: Option<Error>,
    scratch: Vec<Scratch<'c>>,
    /// A key has more than one value only if two owners chose the same number.
    cached: HashMap<CacheKey, Vec<Cached>>,
}

/// Exports a call context for `f`. `roots` is only passed where files may be opened.
#[inline(always)]
pub(crate) fn to_abi(call: &CallContext<'_>, roots: &[Str], f: impl FnOnce(*const abi::Call) -> Answer) -> Ended {
    let state = CallState { call, retained: ManuallyDrop::new(OnceLock::new()) };
    let inner_chunk_order = match call.options.inner_chunk_order {
        InnerChunkOrder::ColumnMajor => abi::ORDER_COLUMN_MAJOR,
        InnerChunkOrder::Morton => abi::ORDER_MORTON,
        _ => abi::ORDER_ROW_MAJOR,
    };
    let usual = !call.options.store_fill && inner_chunk_order == abi::ORDER_ROW_MAJOR && roots.is_empty();
    let options;
    let options = if usual {
        std::ptr::null()
    } else {
        options = abi::Options {
            struct_size: abi::size32::<abi::Options>(),
            flags: if call.options.store_fill { abi::OPTION_STORE_FILL } else { 0 },
            inner_chunk_order,
            reserved0: 0,
            roots: roots.as_ptr(),
            n_roots: roots.len(),
        };
        &raw const options
    };
    let ffi = abi::Call {
        struct_size: abi::size32::<abi::Call>(),
        max_threads: u32::try_from(call.executor.threads()).unwrap_or(u32::MAX),
        chunk_limit: call.limits.chunk_bytes,
        options,
        host: std::ptr::from_ref(&state).cast_mut().cast(),
        set_error: Some(SET_ERROR),
        scratch: Some(scratch),
        join: Some(join),
    };
    let (status, fault) = f(&raw const ffi);
    if state.retained.get().is_none() && fault.is_none() {
        return Ended { status, wrong: None };
    }
    Ended { status, wrong: state.end(fault) }
}

/// Runs `f` with a call context of its own: one thread, and the given limits and options.
pub(crate) fn plain<R>(limits: &Limits, options: &Options, f: impl FnOnce(&CallContext<'_>) -> R) -> R {
    let buffers = Buffers::default();
    f(&CallContext { limits, options, executor: &Sequential, buffers: &buffers })
}

/// Exports a call context of its own for `f`.
pub(crate) fn to_abi_plain(limits: &Limits, f: impl FnOnce(*const abi::Call) -> Answer) -> Ended {
    plain(limits, const { &Options::DEFAULT }, |call| to_abi(call, &[], f))
}

/// Runs an exported call and returns its result. A guard monitors the call if the other side is not trusted.
pub(crate) fn outcome(guard: Option<&dyn Guard>, run: &mut dyn FnMut() -> Ended) -> Result<()> {
    match guard {
        Some(guard) => guard.run(run),
        None => {
            let ended = run();
            match ended.wrong.map(|wrong| *wrong) {
                Some(Wrong::Contract(Fault(what))) => Err(zarr_core::ErrorKind::Contract(what).into()),
                // The status of a trusted side is taken literally: the value does not exist.
                Some(Wrong::Reported(e)) if error::is_missing(&e) => Err(error::relayed(abi::E_MISSING)),
                Some(Wrong::Reported(e)) => Err(e),
                None => error::check(ended.status),
            }
        }
    }
}

impl<'c> CallState<'c> {
    /// Returns the state of a call that this library exported; `None` for any other call.
    ///
    /// # Safety
    /// `call` is null or points to a `zp_call` that is being served.
    pub(crate) unsafe fn of(call: *const abi::Call) -> Option<&'c Self> {
        let is_ours = abi::member!(call, Call.set_error)?.is_some_and(|f| std::ptr::fn_addr_eq(f, SET_ERROR));
        // SAFETY: a call with this function was created by `to_abi`, which keeps the state for as long as the call.
        if is_ours { unsafe { (*call).host.cast::<Self>().as_ref() } } else { None }
    }
    /// Returns the state of a call whose own function is running.
    ///
    /// # Safety
    /// `call` is the call that `to_abi` created, as the contract of its functions requires.
    unsafe fn served(call: *const abi::Call) -> &'c Self {
        // SAFETY: the caller's promise; `to_abi` keeps the state for as long as the call.
        unsafe { &*(*call).host.cast::<Self>() }
    }
    /// Releases the retained data, and returns the fault or the reported error, if there is one.
    #[cold]
    fn end(self, fault: Option<Fault>) -> Option<Box<Wrong>> {
        let retained = ManuallyDrop::into_inner(self.retained).into_inner();
        let reported =
            retained.and_then(|retained| retained.into_inner().unwrap_or_else(PoisonError::into_inner).error);
        fault.map(Wrong::Contract).or(reported.map(Wrong::Reported)).map(Box::new)
    }
    /// Records the first error, but lets any other error replace a suspension.
    pub(crate) fn record(&self, e: Error) {
        let mut retained = self.retained();
        if retained.error.as_ref().is_none_or(Error::is_suspended) {
            retained.error = Some(e);
        }
    }
    /// Retains a value into which the other side has a pointer.
    pub(crate) fn cache(&self, key: CacheKey, value: Cached) {
        let mut retained = self.retained();
        let found = retained.cached.entry(key).or_default();
        if !found.iter().any(|m| Arc::ptr_eq(m, &value)) {
            found.push(value);
        }
    }
    /// Returns the first value that is cached under this key.
    pub(crate) fn cached_value(&self, key: CacheKey) -> Option<Cached> {
        self.retained().cached.get(&key)?.first().cloned()
    }
    fn retained(&self) -> MutexGuard<'_, Retained<'c>> {
        self.retained.get_or_init(Box::default).lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The only address of the function that identifies a call of this library. An optimizer may create several copies of a
/// function with different addresses, so no other code names the function.
static SET_ERROR: SetError = set_error;

type SetError = unsafe extern "C" fn(*const abi::Call, abi::Status, *const Str, *const Str);

#[inline(never)]
unsafe extern "C" fn set_error(call: *const abi::Call, status: abi::Status, message: *const Str, hint: *const Str) {
    let record = || {
        // SAFETY: the other side passes on the call that it received, and texts that live until this function returns.
        let (state, message, hint) = unsafe { (CallState::served(call), abi::text(message), abi::text(hint)) };
        state.record(error::rebuilt(status, message.unwrap_or("an error message that is not valid UTF-8"), hint));
    };
    // If there is no memory for the message, only the status remains.
    quietly(record);
}

const ALIGN: usize = 64;

unsafe extern "C" fn scratch(call: *const abi::Call, size: usize) -> *mut c_void {
    let mut found = std::ptr::null_mut();
    let allocate = || {
        // SAFETY: the other side passes on the call that it received.
        let state = unsafe { CallState::served(call) };
        let mut memory = state.call.scratch(size.saturating_add(ALIGN))?;
        let at = memory.as_mut_ptr();
        found = at.wrapping_add(at.align_offset(ALIGN)).cast();
        state.retained().scratch.push(memory);
        Ok(())
    };
    // SAFETY: as above.
    let status = unsafe { super::serve::<false>(call, allocate) };
    if status == abi::OK { found } else { std::ptr::null_mut() }
}

/// A pointer that is passed to the thread for which it is meant.
struct Pass(*mut c_void);
// SAFETY: by the contract of `join`, the function may run with these pointers on two threads.
unsafe impl Send for Pass {}
// SAFETY: as above.
unsafe impl Sync for Pass {}
impl Pass {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// Runs code of the other side on a thread that other code also uses, and restores the floating-point environment.
#[cfg(feature = "load")]
fn alone(f: impl FnOnce()) -> Result<()> {
    let before = super::float_env::Environment::now();
    f();
    if before.restore() {
        return Err(zarr_core::ErrorKind::Contract("an extension changed the floating-point environment").into());
    }
    Ok(())
}

#[cfg(not(feature = "load"))]
fn alone(f: impl FnOnce()) -> Result<()> {
    f();
    Ok(())
}

unsafe extern "C" fn join(call: *const abi::Call, f: abi::Run, a: *mut c_void, b: *mut c_void) {
    let Some(f) = f else { return };
    let (a, b) = (Pass(a), Pass(b));
    let run = || {
        // SAFETY: the other side passes on the call that it received.
        let call = unsafe { CallState::served(call) }.call;
        // SAFETY: the other side promises that its function may be called with these pointers, on two threads.
        let half = |p: &Pass| unsafe { f(p.get()) };
        let (mut first, mut second) = (Ok(()), Ok(()));
        call.join(&mut || first = alone(|| half(&a)), &mut || second = alone(|| half(&b)));
        first.and(second)
    };
    // SAFETY: as above.
    unsafe { super::serve::<false>(call, run) };
}

/// A call context that the other side passes.
pub(crate) struct ImportedCall {
    limits: Limits,
    options: Options,
    executor: Joiner,
}

/// The memory limit for extensions: the host counts the memory that it passes to them, but not memory that they
/// allocate.
const UNCOUNTED: u64 = u64::MAX;

/// The data that an extension reuses from call to call.
#[derive(Debug)]
pub(crate) struct OwnContext {
    limits: Limits,
    buffers: Buffers,
}

impl OwnContext {
    pub(crate) fn new(limits: &Limits) -> Self {
        let mut limits = limits.clone();
        limits.memory = UNCOUNTED;
        Self { limits, buffers: Buffers::default() }
    }
    /// Runs `f` with the call context that the other side passes.
    ///
    /// # Safety
    /// `call` points to a `zp_call` that is being served.
    #[inline(always)]
    pub(crate) unsafe fn with<R>(&self, call: *const abi::Call, f: impl FnOnce(&CallContext<'_>) -> R) -> R {
        // SAFETY: the caller's promise; minor 0 has these members.
        let (ffi, limit) = unsafe { ((*call).options, (*call).chunk_limit) };
        // Limit and options are almost always the same as when the extension was created.
        let usual = limit == self.limits.chunk_bytes && ffi.is_null();
        let options = const { &Options::DEFAULT };
        if usual {
            let Self { limits, buffers } = self;
            return f(&CallContext { limits, options, executor: &Joiner(call), buffers });
        }
        // SAFETY: the caller's promise.
        let imported = unsafe { ImportedCall::new(call) };
        f(&imported.call(&self.buffers))
    }
}

struct Joiner(*const abi::Call);
// SAFETY: the ABI allows calls of `join` from any thread during the call.
unsafe impl Send for Joiner {}
// SAFETY: as above.
unsafe impl Sync for Joiner {}

impl ImportedCall {
    /// # Safety
    /// `call` points to a `zp_call` that is being served for as long as this lives.
    pub(crate) unsafe fn new(call: *const abi::Call) -> Self {
        let (mut limits, mut options) = (Limits::default(), Options::DEFAULT);
        limits.memory = UNCOUNTED;
        if let Some(limit) = abi::member!(call, Call.chunk_limit) {
            limits.chunk_bytes = limit;
        }
        let ffi = abi::member!(call, Call.options).unwrap_or(std::ptr::null());
        options.store_fill = abi::member!(ffi, Options.flags).unwrap_or(0) & abi::OPTION_STORE_FILL != 0;
        options.inner_chunk_order = match abi::member!(ffi, Options.inner_chunk_order) {
            Some(abi::ORDER_COLUMN_MAJOR) => InnerChunkOrder::ColumnMajor,
            Some(abi::ORDER_MORTON) => InnerChunkOrder::Morton,
            _ => InnerChunkOrder::RowMajor,
        };
        if let (Some(roots), Some(n @ 1..)) = (abi::member!(ffi, Options.roots), abi::member!(ffi, Options.n_roots)) {
            // SAFETY: the other side passes `n` texts.
            let roots = unsafe { abi::slice(roots, n) };
            // SAFETY: as above.
            options.roots = roots.iter().filter_map(|r| unsafe { abi::text(r) }).map(str::to_owned).collect();
        }
        Self { limits, options, executor: Joiner(call) }
    }
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }
    /// Returns the call context, with the extension's own buffers.
    pub(crate) fn call<'c>(&'c self, buffers: &'c Buffers) -> CallContext<'c> {
        CallContext { limits: &self.limits, options: &self.options, executor: &self.executor, buffers }
    }
}

struct Half<'f> {
    run: &'f mut (dyn FnMut() + Send),
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn run_half(half: *mut c_void) {
    // SAFETY: `Joiner::join` passes each of its halves to one thread, and waits for both to return.
    let half = unsafe { &mut *half.cast::<Half<'_>>() };
    half.panic = catch_unwind(AssertUnwindSafe(|| (half.run)())).err();
}

impl Executor for Joiner {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        let Some(Some(join)) = abi::member!(self.0, Call.join) else { return Sequential.join(a, b) };
        let (mut a, mut b) = (Half { run: a, panic: None }, Half { run: b, panic: None });
        // SAFETY: the call is being served, see `ImportedCall::new`; `join` returns when both have run.
        unsafe { join(self.0, Some(run_half), (&raw mut a).cast(), (&raw mut b).cast()) };
        // This panic is caught where the host entered the extension.
        if let Some(payload) = a.panic.or(b.panic) {
            resume_unwind(payload);
        }
    }
    fn threads(&self) -> usize {
        abi::member!(self.0, Call.max_threads).unwrap_or(1).max(1) as usize
    }
}
