
/* Changes nothing, the store above is the one below. Replace it with your store. */

static zp_status wrap(const void *self, const zp_call *call, const zp_store *below, zp_store *above) ZP_NOEXCEPT {
  (void)self, (void)call;
  *above = *below;
  return ZP_OK;
}

static const zp_storage_transformer table = {
    sizeof(zp_storage_transformer),
    0, /* reserved0 */
    create,
    destroy,
    configuration,
    0, /* abilities */
    wrap,
};
