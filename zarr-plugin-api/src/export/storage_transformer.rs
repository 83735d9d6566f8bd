//! Exports storage transformers as `zp_storage_transformer`.

use super::{
    instance::{create_fn, head, run},
    kind,
};
use crate::{
    abi::{self, Call, Status, Store as FfiStore},
    bridge::store::{ImportedStore, into_abi},
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{Error, storage_transformer};

type Kind = dyn storage_transformer::StorageTransformer;
type Extra = ();

kind! {
    /// Exports storage transformers.
    StorageTransformer, "storage_transformer", storage_transformer::StorageTransformer,
    abi::EXTENSION_STORAGE_TRANSFORMER, 0
}

impl<T: zarr_core::registry::ExtensionType + storage_transformer::StorageTransformer> StorageTransformer<T> {
    const VTABLE: &'static abi::StorageTransformer =
        &abi::StorageTransformer { head: head!(abi::StorageTransformer, create::<T>, None), wrap: Some(wrap) };
}

create_fn!(StorageTransformer, storage_transformer::StorageTransformer, |_: &Arc<Kind>, _| Ok(()));

unsafe extern "C" fn wrap(
    this: *const c_void,
    call: *const Call,
    below: *const FfiStore,
    above: *mut FfiStore,
) -> Status {
    // SAFETY: the host passes the instance that `create` returned; every other pointer is valid until this function
    // returns; the host gives up `below`.
    unsafe {
        run::<Kind, Extra>(this, call, |this, c| {
            let below = abi::copied(below).ok_or_else(|| Error::argument("the pointer to a store is null"))?;
            let below = Arc::new(ImportedStore::new(below, "the store below", None, c.limits, Box::new(())));
            abi::fill(above, into_abi::<true>(this.object.wrap(below)?));
            Ok(())
        })
    }
}
