// bitcast_convert: reads the bits of the operand as another type, low bits
// first. Several narrow elements become one wide one along the last dimension,
// or the reverse. Between types of whole bytes only the type changes; narrower
// elements, which are stored in one byte each, are packed or unpacked. Source:
// StableHLO specification, bitcast_convert.
#include "assay/reference/Ops.h"

#include <cstring>

namespace assay::reference {

namespace {
// Maps bit numbers, counted from the lowest bit of the first element, to
// positions in storage that has whole bytes per element.
struct Bits {
  int64_t logical, stored; // bits per element
  int64_t positionOf(int64_t bit) const {
    return bit / logical * stored + bit % logical;
  }
};
} // namespace

static void repack(const std::byte *from, Bits source, std::byte *to,
                   Bits target, int64_t totalBits) {
  for (int64_t bit = 0; bit < totalBits; ++bit) {
    int64_t read = source.positionOf(bit), write = target.positionOf(bit);
    auto value = (static_cast<unsigned>(from[read / 8]) >> (read % 8)) & 1u;
    to[write / 8] |= static_cast<std::byte>(value << (write % 8));
  }
}

// Signed narrow integers are stored sign-extended in their byte.
static void extendSigns(Tensor &tensor) {
  ElementType type = tensor.elementType();
  if (!type.isSigned() || type.bits >= 8)
    return;
  auto *values = tensor.mutableData<int8_t>();
  int shift = 8 - type.bits;
  for (int64_t i = 0; i < tensor.size(); ++i)
    values[i] = static_cast<int8_t>(
        static_cast<int8_t>(static_cast<uint8_t>(values[i]) << shift) >> shift);
}

llvm::Expected<std::unique_ptr<Step>> bitcastConvert(const StepSpec &spec) {
  if (spec.shadow)
    return makeError(ErrorCode::Unsupported,
                     "bits have no shadow; the value's is converted");
  return program::makeOwningStep([from = spec.operands[0],
                                  to = spec.results[0]](
                                     StepContext &context) -> llvm::Error {
    bool sameStorage = from.element.bits == to.element.bits;
    if (sameStorage && context.operand(0).isSplat()) {
      context.setOut(0, Tensor::splat(to, context.operand(0).bytes()));
      return llvm::Error::success();
    }
    llvm::Expected<Tensor> operand = context.dense(0);
    if (!operand)
      return operand.takeError();
    if (from.element.bits >= 8 && to.element.bits >= 8) {
      llvm::Expected<Tensor> result = Tensor::fromBuffer(to, operand->buffer());
      if (!result)
        return result.takeError();
      context.setOut(0, std::move(*result));
      return llvm::Error::success();
    }
    llvm::Expected<Tensor> result = context.allocate(to);
    if (!result)
      return result.takeError();
    std::memset(result->mutableBytes(), 0,
                static_cast<size_t>(result->denseBytes()));
    repack(operand->bytes(),
           {from.element.bits, from.element.storageBytes() * 8},
           result->mutableBytes(),
           {to.element.bits, to.element.storageBytes() * 8},
           operand->size() * from.element.bits);
    extendSigns(*result);
    context.setOut(0, std::move(*result));
    return llvm::Error::success();
  });
}

} // namespace assay::reference
