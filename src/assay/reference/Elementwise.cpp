// Finds the loop of an elementwise operation and runs it. The fast path is one
// call of the loop. Operands that are splats or of a type that the loop does
// not support are first copied into blocks that stay in the L1 cache. So a
// family file needs only one contiguous loop per type.
#include "assay/reference/Elementwise.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/ops/Loops.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

namespace loops {
#define ASSAY_ELEMENTWISE(NAME, FUNCTION)                                      \
  LoopChoice FUNCTION(const LoopQuery &query);
#include "assay/reference/Elementwise.def"
} // namespace loops

namespace {
struct Row {
  llvm::StringLiteral name;
  LoopChoice (*choose)(const LoopQuery &);
};
} // namespace

static constexpr Row kRows[] = {
#define ASSAY_ELEMENTWISE(NAME, FUNCTION) {NAME, loops::FUNCTION},
#include "assay/reference/Elementwise.def"
};

static constexpr int64_t kBlock = 512;
static constexpr int64_t kMaxBytes = 32; // maximum size of an element
                                         // (complex<f128>)

static const Row *findRow(llvm::StringRef name) {
  auto find = [](llvm::StringRef dialect,
                 llvm::StringRef operation) -> const Row * {
    for (const Row &row : kRows) {
      llvm::StringRef candidate = row.name;
      if (candidate.consume_front(dialect) && candidate == operation)
        return &row;
    }
    return nullptr;
  };
  if (name.consume_front("stablehlo."))
    return find("stablehlo.", name);
  if (!name.consume_front("chlo."))
    return nullptr;
  if (!name.consume_front("broadcast_"))
    return find("chlo.", name);
  const Row *row = find("stablehlo.", name);
  return row ? row : find("chlo.", name);
}

int loopLevel() {
#ifdef ASSAY_LOOP_LEVELS
  static const int kLevel = __builtin_cpu_supports("x86-64-v4")   ? 4
                            : __builtin_cpu_supports("x86-64-v3") ? 3
                                                                  : 1;
  return kLevel;
#else
  return 1;
#endif
}

ElementType widened(ElementType type, Widen widen) {
  if (type.isInteger() && type.bits < 8) {
    type.bits = 8;
    return type;
  }
  if (!type.isFloat() || type.bits > 16)
    return type;
  bool toDouble =
      widen == Widen::ToDouble || type.format == FloatFormat::F8E8M0FNU;
  return ElementType::floating(toDouble ? FloatFormat::F64 : FloatFormat::F32);
}

bool ElementwiseFunction::knows(mlir::Operation *op) {
  return findRow(op->getName().getStringRef()) != nullptr;
}

llvm::Expected<ElementwiseFunction>
ElementwiseFunction::make(mlir::Operation *op,
                          llvm::ArrayRef<ElementType> operands,
                          ElementType result) {
  llvm::StringRef name = op->getName().getStringRef();
  const Row *row = findRow(name);
  if (!row)
    return makeError(ErrorCode::Unsupported,
                     "'{0}' is not an elementwise operation", name);
  // A loop would treat quantised elements as integers; Quantized.h dequantises
  // them first.
  auto quantized = [](ElementType type) {
    return type.quantization != nullptr;
  };
  if (quantized(result) || llvm::any_of(operands, quantized))
    return makeError(ErrorCode::Unsupported,
                     "'{0}' has no loop on stored integers of a quantised type",
                     name);
  ElementwiseFunction function;
  function.choice_ = row->choose({op, operands, result});
  const LoopChoice &choice = function.choice_;
  if (!choice.loop && !choice.conversion && !choice.constant) {
    std::string types;
    for (ElementType type : operands)
      types += (types.empty() ? "" : ", ") + numerics::toString(type);
    return makeError(ErrorCode::Unsupported,
                     "'{0}' is not defined for elements of type ({1}) -> {2}",
                     name, types, numerics::toString(result));
  }
  function.operands_.assign(operands.begin(), operands.end());
  function.result_ = result;
  function.direct_ = choice.loop && choice.result == result &&
                     llvm::ArrayRef<ElementType>(choice.operands) == operands;
  return function;
}

static void fill(void *out, const void *value, int64_t bytes, int64_t count) {
  numerics::dispatchStorage(bytes, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T element;
    std::memcpy(&element, value, sizeof(T));
    std::fill_n(static_cast<T *>(out), count, element);
  });
}

void ElementwiseFunction::evaluate(llvm::ArrayRef<const void *> in,
                                   llvm::ArrayRef<int64_t> strides, void *out,
                                   int64_t count) const {
  if (count <= 0)
    return;
  if (choice_.constant)
    return fill(out, choice_.constant.get(), result_.storageBytes(), count);
  bool anyStride = false, allStrides = true;
  for (int64_t stride : strides) {
    anyStride |= stride != 0;
    allStrides &= stride != 0;
  }
  if (count > 1 && !anyStride) {
    alignas(16) char one[kMaxBytes];
    evaluate(in, strides, one, 1);
    return fill(out, one, result_.storageBytes(), count);
  }
  if (choice_.conversion)
    return numerics::convertArray(operands_[0], in[0], result_, out, count);
  if (!direct_ || (count > 1 && !allStrides))
    return evaluateBlocks(in, strides, out, count);
  ElementwiseArgs args{{},
                       out,
                       count,
                       choice_.bits,
                       {choice_.parameter[0], choice_.parameter[1]}};
  std::copy(in.begin(), in.end(), args.in);
  choice_.loop(args);
}

void ElementwiseFunction::evaluateOne(llvm::ArrayRef<const void *> in,
                                      void *out) const {
  if (!direct_) {
    static constexpr int64_t kStrides[3] = {1, 1, 1};
    return evaluate(in, {kStrides, in.size()}, out, 1);
  }
  ElementwiseArgs args{
      {}, out, 1, choice_.bits, {choice_.parameter[0], choice_.parameter[1]}};
  for (size_t k = 0; k < in.size(); ++k)
    args.in[k] = in[k];
  choice_.loop(args);
}

void ElementwiseFunction::evaluateBlocks(llvm::ArrayRef<const void *> in,
                                         llvm::ArrayRef<int64_t> strides,
                                         void *out, int64_t count) const {
  alignas(64) char buffers[3][kBlock * kMaxBytes];
  alignas(64) char outBuffer[kBlock * kMaxBytes];
  // 1. Splats are converted once and repeated.
  int64_t blockCount = std::min(kBlock, count);
  for (size_t k = 0; k < in.size(); ++k)
    if (strides[k] == 0 && count > 1) {
      alignas(16) char one[kMaxBytes];
      numerics::convertArray(operands_[k], in[k], choice_.operands[k], one, 1);
      fill(buffers[k], one, choice_.operands[k].storageBytes(), blockCount);
    }
  // 2. Block by block.
  bool sameResult = result_ == choice_.result;
  for (int64_t first = 0; first < count; first += kBlock) {
    int64_t n = std::min(kBlock, count - first);
    ElementwiseArgs args{{},
                         outBuffer,
                         n,
                         choice_.bits,
                         {choice_.parameter[0], choice_.parameter[1]}};
    char *target = static_cast<char *>(out) + first * result_.storageBytes();
    if (sameResult)
      args.out = target;
    for (size_t k = 0; k < in.size(); ++k) {
      const char *source = static_cast<const char *>(in[k]) +
                           first * operands_[k].storageBytes();
      args.in[k] = buffers[k];
      if (strides[k] == 0 && count > 1)
        continue;
      if (operands_[k] == choice_.operands[k])
        args.in[k] = source;
      else
        numerics::convertArray(operands_[k], source, choice_.operands[k],
                               buffers[k], n);
    }
    choice_.loop(args);
    if (!sameResult)
      numerics::convertArray(choice_.result, outBuffer, result_, target, n);
  }
}

} // namespace assay::reference
