
/* ---- the manifest and the descriptor, which must agree ----------------------------------------------------------- */

ZP_MANIFEST(manifest,
            "{\"manifest\":1,\"id\":\"{{id}}\",\"version\":\"0.1.0\",\"license\":\"MIT\","
            "\"abi\":{\"major\":1,\"min_minor\":0},\"extensions\":[{\"kind\":\"{{kind}}\","
            "\"name\":\"{{name}}\",\"aliases\":[],\"caps\":[],\"needs\":[]}]}");

static const zp_str id = ZP_STR("{{id}}");
static const zp_str version = ZP_STR("0.1.0");
static const zp_str name = ZP_STR("{{name}}");

static const zp_extension extension = {
    sizeof(zp_extension),
    ZP_EXTENSION_{{KIND}},
    0, /* caps */
    0, /* needs */
    &name,
    0, /* aliases */
    0, /* n_aliases */
    &table,
};
static const zp_extension *const extensions[] = {&extension};
static const zp_plugin plugin = {
    sizeof(zp_plugin),
    ZP_ABI_MINOR,
    ZP_MAGIC,
    &id,
    &version,
    extensions,
    1, /* n_extensions */
    &manifest,
};

const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) ZP_NOEXCEPT {
  (void)host, (void)call;
  return &plugin;
}
