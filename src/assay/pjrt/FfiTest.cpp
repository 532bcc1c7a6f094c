// Handlers that were built for other versions of XLA's FFI, and the functions
// of the table that they call. test/python has one that is compiled from the
// interface's headers.
#include "assay/pjrt/Ffi.h"
#include "assay/pjrt/FfiTable.h"

#include "gtest/gtest.h"

#include <string>

namespace assay::ffi {
namespace {

/// A handler that reports a given version and calls the functions of version
/// 0.5.
template <int Minor> Error *handler(CallFrame *frame) {
  auto *asked = reinterpret_cast<MetadataExtension *>(frame->extension_start);
  asked->metadata->api_version.major_version = kMajor;
  asked->metadata->api_version.minor_version = Minor;
  const Api &api = *frame->api;
  if (Minor < 5)
    return nullptr;
  FindExtensionArgs find = {sizeof find, nullptr, nullptr, 7, frame};
  CustomOptionsArgs options = {sizeof options, nullptr, nullptr, nullptr};
  if (api.InvokeContext_FindExtension(&find) || find.extension ||
      api.CustomOptions_Get(&options) || options.attrs->size != 0) {
    ErrorCreateArgs create = {sizeof create, nullptr, "options of a call", 13};
    return api.Error_Create(&create);
  }
  return nullptr;
}

std::string registered(Handler *execute) {
  void *stages[4] = {nullptr, nullptr, nullptr,
                     reinterpret_cast<void *>(execute)};
  const char *why = assay_pjrt_register_ffi("tried", stages);
  return why ? why : "";
}

TEST(Ffi, HandlersOfVersionsUpToOursAreTaken) {
  EXPECT_EQ(registered(handler<3>), "");
  EXPECT_EQ(registered(handler<5>), "");
  EXPECT_EQ(registered(handler<6>), "it was built for version 0.6 of XLA's "
                                    "FFI, here is 0.5");
}

TEST(Ffi, AnErrorsCodeIsToldToThoseThatHaveAFieldForIt) {
  const Api &api = table();
  ErrorCreateArgs create = {sizeof create, nullptr, "text", 9};
  Error *error = api.Error_Create(&create);
  ErrorGetDetailsArgs details = {sizeof details, nullptr, error, nullptr, -1};
  api.Error_GetDetails(&details);
  EXPECT_STREQ(details.message, "text");
  EXPECT_EQ(details.errc, 9);
  details.errc = -1;
  details.struct_size = offsetof(ErrorGetDetailsArgs, errc); // version 0.3
  api.Error_GetDetails(&details);
  EXPECT_EQ(details.errc, -1);
  ErrorDestroyArgs destroy = {sizeof destroy, nullptr, error};
  api.Error_Destroy(&destroy);
}

} // namespace
} // namespace assay::ffi
