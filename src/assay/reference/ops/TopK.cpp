// chlo.top_k: values and indices of the k largest elements of the last
// dimension, by total order, largest first, ties by index. The selection is
// made by the values and also applied to their shadows.
#include "assay/reference/KeyOrder.h"
#include "assay/reference/Ops.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

namespace {
class TopKStep final : public Step {
public:
  TopKStep(TensorType operand, int64_t k)
      : operand_(std::move(operand)), k_(k) {}
  bool jointShadow() const override { return true; }
  llvm::Error run(StepContext &context) const override;

private:
  template <typename Key> llvm::Error runBy(StepContext &context) const;
  TensorType operand_;
  int64_t k_;
};
} // namespace

llvm::Error TopKStep::run(StepContext &context) const {
  return hasNarrowKeys(operand_.element) ? runBy<uint32_t>(context)
                                         : runBy<uint64_t>(context);
}

template <typename Key>
llvm::Error TopKStep::runBy(StepContext &context) const {
  llvm::Expected<Tensor> values = context.operandValue(0).tensor().dense();
  if (!values)
    return values.takeError();
  int64_t length = operand_.shape.back();
  if (length == 0 || k_ == 0)
    return llvm::Error::success();
  // Where the chosen elements are copied from and to; once for the values and
  // once for their shadows.
  struct Moved {
    int64_t width;
    const Tensor &from;
    std::byte *to;
  };
  llvm::SmallVector<Moved, 2> moved = {
      {operand_.element.storageBytes(), *values,
       context.results[0].tensor().mutableBytes()}};
  const Tensor &shadow = context.operandValue(0).shadow();
  if (context.withShadow() && shadow.valid())
    moved.push_back({shadow.elementType().storageBytes(), shadow,
                     context.shadows[0].mutableBytes()});
  auto *indices = context.results[1].tensor().mutableData<int32_t>();
  context.run.threads.parallelFor(
      values->size() / length, std::max<int64_t>(1, 16384 / length),
      [&](int64_t begin, int64_t end) {
        std::vector<Key> keys(static_cast<size_t>(length));
        std::vector<Entry<Key>> entries, scratch;
        for (int64_t row = begin; row < end; ++row) {
          makeKeys(operand_.element, {.descending = true, .total = true},
                   values->bytes() + row * length * moved[0].width, length,
                   keys.data());
          selectEntries(keys.data(), length, k_, entries, scratch);
          for (int64_t i = 0; i < k_; ++i) {
            int64_t at = placeOf(entries[static_cast<size_t>(i)]);
            indices[row * k_ + i] = static_cast<int32_t>(at);
            for (const Moved &each : moved)
              std::memcpy(each.to + (row * k_ + i) * each.width,
                          each.from.bytes() +
                              (each.from.isSplat() ? 0 : row * length + at) *
                                  each.width,
                          static_cast<size_t>(each.width));
          }
        }
      });
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> topK(const StepSpec &spec) {
  int64_t k = intOf(spec.op, "k");
  if (spec.operands[0].shape.empty() || k < 0 ||
      k > spec.operands[0].shape.back())
    return makeError(ErrorCode::InvalidArgument,
                     "k = {0} does not fit the last dimension of {1}", k,
                     tensor::toString(spec.operands[0]));
  TensorType stored =
      spec.operands[0]; // quantised numbers are ordered by their stored
                        // integers
  stored.element.quantization = nullptr;
  return std::make_unique<TopKStep>(std::move(stored), k);
}

} // namespace assay::reference
