//! A data type of a plugin.

use super::{
    guard::PluginGuard,
    handle::{Handle, missing},
};
use crate::{
    abi::{self, Bytes},
    bridge::representation::layout_from,
};
use std::{fmt, sync::Arc};
use zarr_core::{
    Result,
    data_type::{CheckElements, DataType},
    extension::Extension,
    json::Json,
    layout::Layout,
    limits::Limits,
    registry::{CreateContext, Instance},
};

/// A data type of a plugin.
pub(super) struct PluginType {
    handle: Handle,
    table: abi::DataType,
    name: String,
    layout: Layout,
    default_fill: Json,
    limits: Limits,
    // The handle of the whole instance that this data type is a part of.
    _whole: Option<Arc<Handle>>,
}

impl fmt::Debug for PluginType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

pub(super) fn make(
    guard: &Arc<PluginGuard>,
    table: &abi::DataType,
    _strided: bool,
    extension: &Extension,
    cx: &CreateContext<'_>,
) -> Result<Instance<dyn DataType>> {
    let (handle, configuration) = Handle::create(guard, &table.head, extension, cx)?;
    let made = PluginType::new(handle, None, table, extension.name(), cx.limits)?;
    Ok(Instance::new(Arc::new(made), Box::new(Json::Object(configuration))))
}

// SAFETY of the blocks below: the instance is alive, required functions are not null, and everything that is borrowed
// lives until the function returns.

impl PluginType {
    pub(super) fn new(
        handle: Handle,
        whole: Option<Arc<Handle>>,
        table: &abi::DataType,
        name: &str,
        limits: &Limits,
    ) -> Result<Self> {
        let table = *table;
        let mut ffi: abi::Layout = abi::blank();
        let done = handle.without_call(|this| match table.layout {
            // SAFETY: see above.
            Some(f) => unsafe { f(this, &raw mut ffi) },
            None => abi::E_INTERNAL,
        });
        if done.is_err() {
            return Err(handle.fault("it returned no layout of its elements"));
        }
        // SAFETY: everything that the layout points to lives as long as the instance.
        let layout = unsafe { layout_from(&raw const ffi) }?;
        let mut made = Self {
            handle,
            table,
            name: name.to_owned(),
            layout,
            default_fill: Json::from(0),
            limits: limits.clone(),
            _whole: whole,
        };
        if let Some(f) = table.default_fill {
            // SAFETY: see above.
            made.default_fill = made.json(|this, call, out| unsafe { f(this, call, out) })?;
        }
        Ok(made)
    }
    fn json(
        &self,
        f: impl FnOnce(*const std::ffi::c_void, *const abi::Call, *mut abi::Out) -> abi::Status,
    ) -> Result<Json> {
        let text = self.handle.text(&self.limits, f)?;
        Json::parse(&text, &self.limits)
            .map_err(|_| self.handle.fault("it returned a fill value that is not valid JSON"))
    }
}

impl DataType for PluginType {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        let f = self.table.fill_from_json.ok_or_else(missing)?;
        let text = value.to_string();
        let json = Bytes::new(text.as_bytes());
        // SAFETY: see above.
        let element =
            self.handle.text(&self.limits, |this, call, out| unsafe { f(this, call, &raw const json, out) })?;
        let fits = match &self.layout {
            Layout::Variable { text } => !*text || std::str::from_utf8(&element).is_ok(),
            fixed => element.len() == fixed.size(),
        };
        if fits { Ok(element) } else { Err(self.handle.fault("it returned a fill value that is not an element")) }
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        let f = self.table.fill_to_json.ok_or_else(missing)?;
        let element = Bytes::new(element);
        // SAFETY: see above.
        self.json(|this, call, out| unsafe { f(this, call, &raw const element, out) })
    }
    fn default_fill(&self) -> Json {
        self.default_fill.clone()
    }
    fn check(&self) -> Option<&dyn CheckElements> {
        // Elements of variable length are handles here, which have no meaning for a plugin. Their bytes were checked
        // when they were imported.
        (self.table.check_elements.is_some() && !self.layout.is_variable()).then_some(self as _)
    }
}

impl CheckElements for PluginType {
    fn check_elements(&self, elements: &[u8]) -> Result<()> {
        let f = self.table.check_elements.ok_or_else(missing)?;
        let elements = Bytes::new(elements);
        // SAFETY: see above.
        self.handle.plain(&self.limits, |this, call| Ok((unsafe { f(this, call, &raw const elements) }, None)))
    }
}
