// A reduce of (value, place) that finds the largest or the smallest value
// (Comparators.h): argmax and argmin. Keys are made so that the wanted value,
// or a NaN, has the largest key. Each row is read twice: for the largest key,
// then for its place. The result is what the reducer would compute element by
// element: the last of equal values (-0 or +0), the smallest of their places,
// the first NaN.
#include "assay/reference/ops/ArgReduce.h"
#include "assay/reference/Indices.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

namespace {
class ArgReduce final : public Step {
public:
  ArgReduce(Split split, ArgReducer reducer, ElementType type)
      : split_(std::move(split)), reducer_(reducer), type_(type) {}
  bool jointShadow() const override { return true; }
  llvm::Error run(StepContext &context) const override {
    return hasNarrowKeys(type_) ? runBy<uint32_t>(context)
                                : runBy<uint64_t>(context);
  }

private:
  template <typename Key> llvm::Error runBy(StepContext &context) const;

  Split split_;
  ArgReducer reducer_;
  ElementType type_;
};

// The element of the row that a result's value and its place are taken from; -1
// stands for the initial value.
struct Choice {
  int64_t value = -1, place = -1;
};

template <typename Key>
Choice choose(const std::vector<Key> &keys, Key first, bool isFloat,
              const Tensor &places, int64_t initial,
              llvm::function_ref<int64_t(int64_t)> elementOf) {
  using Signed = std::make_signed_t<Key>; // signed max vectorises even before
                                          // SSE4.1
  constexpr Key kTop = Key{1} << (8 * sizeof(Key) - 1);
  auto largest = static_cast<Signed>(first ^ kTop);
  for (Key key : keys)
    largest = std::max(largest, static_cast<Signed>(key ^ kTop));
  Key best = static_cast<Key>(largest) ^ kTop;
  bool isNan = isFloat && best == Key(~Key{0});
  Choice choice;
  if (isNan && first == best)
    return choice;
  bool isFirst = first != best;
  int64_t least = initial;
  auto count = static_cast<int64_t>(keys.size());
  for (int64_t i = 0; i < count; ++i) {
    if (keys[static_cast<size_t>(i)] != best)
      continue;
    if (isNan)
      return {i, i};
    choice.value = i;
    int64_t place = indexAt(places, elementOf(i));
    if (isFirst || place < least) {
      choice.place = i;
      least = place;
    }
    isFirst = false;
  }
  return choice;
}

// Sets to[result] to an element of `from`, or to `initial` where element < 0.
void take(const Tensor &from, const Tensor &initial, int64_t element,
          int64_t result, std::byte *to) {
  int64_t width = from.elementType().storageBytes();
  const Tensor &source = element < 0 ? initial : from;
  std::memcpy(to + result * width,
              source.bytes() +
                  (element < 0 || source.isSplat() ? 0 : element * width),
              static_cast<size_t>(width));
}
} // namespace

template <typename Key>
llvm::Error ArgReduce::runBy(StepContext &context) const {
  llvm::Expected<Tensor> dense = context.operandValue(0).tensor().dense();
  if (!dense)
    return dense.takeError();
  const Tensor &values = *dense, &places = context.operandValue(1).tensor(),
               &initial = context.operandValue(2).tensor(),
               &initialPlace = context.operandValue(3).tensor();
  const Tensor &shadow = context.operandValue(0).shadow(),
               &initialShadow = context.operandValue(2).shadow();
  bool withShadow =
      context.withShadow() && shadow.valid() && initialShadow.valid();
  std::byte *out = context.results[0].tensor().mutableBytes(),
            *outPlaces = context.results[1].tensor().mutableBytes(),
            *outShadow =
                withShadow ? context.shadows[0].mutableBytes() : nullptr;
  KeyRule rule{.descending = !reducer_.largest, .total = false};
  Key first;
  makeKeys(type_, rule, initial.bytes(), 1, &first);
  int64_t width = type_.storageBytes(), firstPlace = indexAt(initialPlace, 0);
  bool contiguous =
      split_.reducedStrides == tensor::rowMajorStrides(split_.reducedShape);
  context.run.threads.parallelFor(
      split_.results, std::max<int64_t>(1, 16384 / split_.reduced),
      [&](int64_t begin, int64_t end) {
        std::vector<Key> keys(static_cast<size_t>(split_.reduced));
        std::vector<std::byte> row(
            contiguous ? 0 : static_cast<size_t>(split_.reduced * width));
        Shape kept(split_.keptShape.size()),
            reduced(split_.reducedShape.size());
        for (int64_t r = begin; r < end; ++r) {
          unflatten(r, split_.keptShape, kept);
          int64_t base = dotIndex(kept, split_.keptStrides);
          const std::byte *elements = values.bytes() + base * width;
          if (!contiguous) {
            copyStrided(width, split_.reducedShape, elements,
                        split_.reducedStrides, row.data(),
                        tensor::rowMajorStrides(split_.reducedShape));
            elements = row.data();
          }
          makeKeys(type_, rule, elements, split_.reduced, keys.data());
          auto elementOf = [&](int64_t i) {
            if (contiguous)
              return base + i;
            unflatten(i, split_.reducedShape, reduced);
            return base + dotIndex(reduced, split_.reducedStrides);
          };
          Choice choice = choose(keys, first, type_.isFloat(), places,
                                 firstPlace, elementOf);
          int64_t value = choice.value < 0 ? -1 : elementOf(choice.value),
                  place = choice.place < 0 ? -1 : elementOf(choice.place);
          take(values, initial, value, r, out);
          take(places, initialPlace, place, r, outPlaces);
          if (withShadow)
            take(shadow, initialShadow, value, r, outShadow);
        }
      });
  return llvm::Error::success();
}

std::unique_ptr<Step> makeArgReduce(const StepSpec &spec, Split split) {
  if (spec.operands.size() != 4 || split.reduced == 0 || split.results == 0)
    return nullptr;
  std::optional<ArgReducer> reducer = argReducer(spec.op->getRegion(0));
  ElementType type = spec.operands[0].element, place = spec.operands[1].element;
  if (!reducer || !hasKeys(type) || !place.isInteger() || place.bits > 64 ||
      (type.isFloat() && !reducer->keepsNan))
    return nullptr;
  return std::make_unique<ArgReduce>(std::move(split), *reducer, type);
}

} // namespace assay::reference
