// Parses words to types and layouts; the messages name the known words.
#include "assay/kernels/Kind.h"

namespace assay::kernels {

llvm::Expected<KernelKind> parseKind(llvm::StringRef op, llvm::StringRef dtype,
                                     llvm::StringRef layout) {
  if (op != "gemm")
    return makeError(ErrorCode::Unsupported,
                     "--op '{0}': kernels exist for gemm", op);
  std::optional<TypePair> types = parseTypePair(dtype);
  if (!types)
    return makeError(
        ErrorCode::InvalidArgument,
        "--dtype '{0}' is not one of f32 f64 bf16 f16 s8 u8 u8s8 s8u8", dtype);
  std::optional<Layout> parsed = parseLayout(layout);
  if (!parsed)
    return makeError(ErrorCode::InvalidArgument,
                     "--layout '{0}' is not one of rcr rrr crr ccr", layout);
  return KernelKind{*types, *parsed};
}

} // namespace assay::kernels
