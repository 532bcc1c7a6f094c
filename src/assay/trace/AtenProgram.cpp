// The table of aten operators (aten/Ops.def) and the construction of a recorded
// call's program. A row's function is in its family's file in aten/.
#include "assay/trace/AtenProgram.h"
#include "assay/trace/aten/Builder.h"
#include "llvm/ADT/StringMap.h"

namespace assay::trace {

namespace aten {
#define ATEN_OP(NAME, FUNCTION) void FUNCTION(Builder &);
#include "assay/trace/aten/Ops.def"
#undef ATEN_OP
} // namespace aten

namespace {
struct Row {
  const char *name;
  void (*write)(aten::Builder &);
};
} // namespace

static constexpr Row kRows[] = {
#define ATEN_OP(NAME, FUNCTION) {NAME, aten::FUNCTION},
#include "assay/trace/aten/Ops.def"
#undef ATEN_OP
};

llvm::ArrayRef<const char *> atenOperators() {
  static const std::vector<const char *> names = [] {
    std::vector<const char *> result;
    for (const Row &row : kRows)
      result.push_back(row.name);
    return result;
  }();
  return names;
}

static const Row *findRow(llvm::StringRef opName) {
  if (!opName.consume_front("aten.") && !opName.consume_front("prims."))
    return nullptr;
  auto find = [](llvm::StringRef name) -> const Row * {
    for (const Row &row : kRows)
      if (name == row.name)
        return &row;
    return nullptr;
  };
  if (const Row *row = find(opName))
    return row;
  auto [base, overload] = opName.split('.');
  if (base.consume_back("_"))
    return find((base + "." + overload).str());
  return nullptr;
}

bool hasAtenRow(llvm::StringRef opName) { return findRow(opName) != nullptr; }

bool sumsInType(llvm::StringRef operation, size_t output) {
  bool ofNorm = operation.contains("norm") && output > 0;
  return operation.contains("convolution") ||
         operation.contains("index_put") || operation.contains("index_add") ||
         operation.contains("scatter_add") ||
         operation.contains("native_batch_norm") ||
         (operation.contains("backward") &&
          (ofNorm || operation.contains("embed") ||
           operation.contains("max_pool")));
}

llvm::Expected<AtenProgram> atenProgram(const TracedCall &call, Stages stages) {
  const Row *row = findRow(call.opName);
  if (!row)
    return makeError(ErrorCode::Unsupported, "{0} has no StableHLO form here",
                     call.opName);
  aten::Builder builder(call);
  if (stages == Stages::Wide)
    builder.allowSumsIn(builder.firstOutput().element);
  else
    builder.keepStagesIn(builder.firstOutput().element);
  if (stages == Stages::Narrow)
    builder.keepSumsIn(builder.firstOutput().element);
  if (!builder.refused())
    row->write(builder);
  return builder.finish();
}

} // namespace assay::trace
