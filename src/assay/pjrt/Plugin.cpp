// GetPjrtApi: the table of functions, made from Calls.def; and the plugin's
// attributes. A function that the plugin lacks returns an error instead of
// having a null pointer, so a framework can safely call it.
#include "Answers.h"
#include "Objects.h"

#include "assay/dialect/vhlo/Version.h"

#include <iterator>

namespace assay::pjrt {

template <typename Args> static Error *call(Args *a) { return answer(a); }

static Error *absent(const char *name) {
  return fail(kUnimplemented, llvm::Twine("the plugin assay has no ") + name);
}

static NamedValue integer(const char *name, int64_t value) {
  NamedValue made = {};
  made.struct_size = sizeof made;
  made.name = name;
  made.name_size = std::char_traits<char>::length(name);
  made.type = NamedValue::Int64;
  made.int64_value = value;
  made.value_size = 1;
  return made;
}

static NamedValue list(const char *name, llvm::ArrayRef<int64_t> values) {
  NamedValue made = integer(name, 0);
  made.type = NamedValue::Int64List;
  made.int64_array_value = values.data();
  made.value_size = values.size();
  return made;
}

Error *answer(args::PluginInitialize *) { return nullptr; }

// The framework passes programs as portable artifacts of the version named
// here.
Error *answer(args::PluginAttributes *a) {
  auto parts = [](const vhlo::Version &version) {
    return std::array<int64_t, 3>{version.parts[0], version.parts[1],
                                  version.parts[2]};
  };
  static const auto current = parts(vhlo::kNewest),
                    oldest = parts(vhlo::kOldest);
  static const NamedValue attributes[] = {
      integer("xla_version", 2), list("stablehlo_current_version", current),
      list("stablehlo_minimum_version", oldest)};
  a->attributes = attributes;
  a->num_attributes = std::size(attributes);
  return nullptr;
}

static const Api kApi = {
    sizeof(Api),
    nullptr,
    {sizeof(ApiVersion), nullptr, kApiMajor, kApiMinor},
#define CALL(NAME, ...) call<args::NAME>,
#define ABSENT(NAME, ...) [](args::NAME *) { return absent(#NAME); },
#include "assay/pjrt_abi/Calls.def"
#undef ABSENT
#undef CALL
};

} // namespace assay::pjrt

extern "C" __attribute__((visibility("default"))) const assay::pjrt::Api *
GetPjrtApi() {
  return &assay::pjrt::kApi;
}
