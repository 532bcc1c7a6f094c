// The names of configurations: written field by field, parsed field by field.
// Logs, data sets and models refer to kernels by these names, so their form is
// part of the interface.
#include "assay/kernels/Config.h"

#include "llvm/ADT/SmallVector.h"

namespace assay::kernels {

namespace {
struct FamilyRow {
  const char *name, *description;
};
} // namespace

static constexpr FamilyRow kFamilies[] = {
#define ASSAY_FAMILY(id, name, description) {#name, description},
#include "assay/kernels/Families.def"
#undef ASSAY_FAMILY
};

const char *toString(Family family) {
  return kFamilies[static_cast<int>(family)].name;
}
const char *describe(Family family) {
  return kFamilies[static_cast<int>(family)].description;
}

std::string GemmConfig::name() const {
  std::string text;
  text.reserve(72); // thousands of names are hashed when a model is loaded
  auto add = [&](auto... parts) {
    auto one = [&](auto part) {
      if constexpr (std::is_integral_v<decltype(part)>)
        text += std::to_string(part);
      else
        text += part;
    };
    (one(parts), ...);
  };
  add(toString(family), "_", mr, "x", nr, "x", kr, "_", mc, "x", nc, "x", kc);
  add(packA == Packing::Pack ? "_p" : "_n", packB == Packing::Pack ? "p" : "n",
      order == LoopOrder::NKM ? "_nkm" : "_mkn");
  if (pipeline == Pipeline::Prefetch)
    add("_pf", prefetch);
  else
    add(pipeline == Pipeline::Plain ? "_plain" : "_pipe");
  add("_sk", splitK, "_t", gridM, "x", gridN,
      edge == Edge::Exact ? "_exact" : "_padded",
      epilogue == EpilogueMode::Fused ? "_fused" : "_apart");
  return text;
}

static bool parseNumbers(llvm::StringRef text,
                         std::initializer_list<int32_t *> values) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, 'x');
  if (parts.size() != values.size())
    return false;
  size_t index = 0;
  for (int32_t *value : values)
    if (parts[index++].getAsInteger(10, *value) || *value < 0)
      return false;
  return true;
}

/// Parses one of two words.
template <typename E>
static bool parseWord(llvm::StringRef text, const char *first,
                      const char *second, E &value) {
  if (text != first && text != second)
    return false;
  value = text == first ? E(0) : E(1);
  return true;
}

static bool parseFamily(llvm::StringRef text, GemmConfig &config) {
  for (size_t index = 0; index < std::size(kFamilies); ++index)
    if (text == kFamilies[index].name) {
      config.family = static_cast<Family>(index);
      return true;
    }
  return false;
}

static bool parsePipeline(llvm::StringRef text, GemmConfig &config) {
  if (text == "plain" || text == "pipe")
    return parseWord(text, "plain", "pipe", config.pipeline);
  config.pipeline = Pipeline::Prefetch;
  return text.consume_front("pf") && parseNumbers(text, {&config.prefetch}) &&
         config.prefetch > 0;
}

static bool parseGrid(llvm::StringRef text, GemmConfig &config) {
  return text.consume_front("t") &&
         parseNumbers(text, {&config.gridM, &config.gridN});
}

static bool parseSplit(llvm::StringRef text, GemmConfig &config) {
  return text.consume_front("sk") && parseNumbers(text, {&config.splitK}) &&
         config.splitK > 0;
}

static bool parsePacking(llvm::StringRef text, GemmConfig &config) {
  return text.size() == 2 &&
         parseWord(text.take_front(1), "n", "p", config.packA) &&
         parseWord(text.drop_front(1), "n", "p", config.packB);
}

llvm::Expected<GemmConfig> parseConfig(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 10> fields;
  name.split(fields, '_');
  GemmConfig config;
  if (fields.size() != 10)
    return makeError(ErrorCode::InvalidArgument,
                     "kernel name '{0}' has {1} fields, expected 10 (see "
                     "`assay kernels list`)",
                     name, fields.size());
  bool good[] = {
      parseFamily(fields[0], config),
      parseNumbers(fields[1], {&config.mr, &config.nr, &config.kr}),
      parseNumbers(fields[2], {&config.mc, &config.nc, &config.kc}),
      parsePacking(fields[3], config),
      parseWord(fields[4], "nkm", "mkn", config.order),
      parsePipeline(fields[5], config),
      parseSplit(fields[6], config),
      parseGrid(fields[7], config),
      parseWord(fields[8], "exact", "padded", config.edge),
      parseWord(fields[9], "fused", "apart", config.epilogue),
  };
  for (size_t index = 0; index < fields.size(); ++index)
    if (!good[index])
      return makeError(ErrorCode::InvalidArgument,
                       "kernel name '{0}': field {1} '{2}' is not valid", name,
                       index + 1, fields[index]);
  return config;
}

} // namespace assay::kernels
