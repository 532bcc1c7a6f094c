// The table behind benchdnn's names of element types.
#include "assay/verify/DataType.h"

using namespace assay;
using namespace assay::verify;

namespace {
struct Row {
  const char *name;
  ElementType type;
  bool supported;
};
} // namespace

static constexpr Row kRows[] = {
#define ASSAY_DATA_TYPE(name, kind, bits, format, supported)                   \
  {name,                                                                       \
   {numerics::Kind::kind, bits, numerics::FloatFormat::format},                \
   supported},
#include "assay/verify/DataTypes.def"
#undef ASSAY_DATA_TYPE
};

static const Row *rowOf(ElementType type) {
  for (const Row &row : kRows)
    if (row.type == type)
      return &row;
  return nullptr;
}

std::optional<ElementType> verify::parseDataType(llvm::StringRef name) {
  for (const Row &row : kRows)
    if (name == row.name)
      return row.type;
  return std::nullopt;
}

std::string verify::supportedTypes() {
  std::string names;
  for (const Row &row : kRows)
    if (row.supported && row.type != types::None)
      names += (names.empty() ? "" : " ") + std::string(row.name);
  return names;
}

const char *verify::nameOf(ElementType type) {
  const Row *row = rowOf(type);
  return row ? row->name : "?";
}

bool verify::isSupported(ElementType type) {
  const Row *row = rowOf(type);
  return row && row->supported;
}
