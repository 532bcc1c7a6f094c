// One batch, its samples in another order: the model's inputs show the order,
// by samples of equal bytes, and every later tensor is then compared sample by
// sample.
#include "assay/trace/SampleOrder.h"
#include "assay/numerics/Convert.h"
#include "assay/trace/ComparePair.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

namespace assay::trace {

using numerics::ElementType;
using tensor::Tensor;

/// The hash of each sample's bytes along a dimension, in a common type.
static std::vector<uint64_t> hashSamples(const Tensor &tensor, ElementType type,
                                         size_t axis) {
  Tensor wide = tensor;
  if (!(tensor.elementType() == type)) {
    llvm::Expected<Tensor> converted =
        Tensor::allocate({type, tensor.type().shape});
    if (!converted) {
      llvm::consumeError(converted.takeError());
      return {};
    }
    numerics::convertArray(tensor.elementType(), tensor.bytes(), type,
                           converted->mutableBytes(), tensor.size());
    wide = *converted;
  }
  int64_t samples = tensor.shape()[axis], outer = 1;
  for (size_t i = 0; i < axis; ++i)
    outer *= tensor.shape()[i];
  auto bytes = static_cast<size_t>(tensor.size() / (samples * outer) *
                                   type.storageBytes());
  std::vector<uint64_t> result(static_cast<size_t>(samples));
  for (size_t o = 0; o < static_cast<size_t>(outer); ++o)
    for (size_t s = 0; s < result.size(); ++s) {
      const std::byte *at = wide.bytes() + (o * result.size() + s) * bytes;
      uint64_t part[2] = {result[s],
                          llvm::xxh3_64bits(llvm::ArrayRef(
                              reinterpret_cast<const uint8_t *>(at), bytes))};
      result[s] = llvm::xxh3_64bits(llvm::ArrayRef(
          reinterpret_cast<const uint8_t *>(part), sizeof(part)));
    }
  return result;
}

/// The order that turns the bench's samples into the target's; empty: there is
/// none.
static SampleOrder orderOf(llvm::ArrayRef<uint64_t> target,
                           llvm::ArrayRef<uint64_t> bench) {
  std::multimap<uint64_t, int64_t> places;
  for (size_t i = 0; i < bench.size(); ++i)
    places.emplace(bench[i], static_cast<int64_t>(i));
  SampleOrder order;
  for (uint64_t sample : target) {
    auto it = places.lower_bound(sample);
    if (it == places.end() || it->first != sample)
      return {};
    order.push_back(it->second);
    places.erase(it);
  }
  return order;
}

/// The order of the samples in the rows of a call's inputs along a dimension.
static SampleOrder orderAlong(const PairFiles &files,
                              llvm::ArrayRef<const ComparedRow *> inputs,
                              size_t axis) {
  std::vector<uint64_t> sides[2];
  for (const ComparedRow *row : inputs) {
    const tensor::TensorType &type = files.targetOf(*row).type;
    if (type.shape.size() <= axis ||
        type.shape != files.benchOf(*row).type.shape)
      return {};
    ElementType common =
        commonType(type.element, files.benchOf(*row).type.element);
    for (bool ofTarget : {false, true}) {
      llvm::Expected<Tensor> tensor =
          ofTarget ? files.target.readTensor(files.targetOf(*row))
                   : files.bench.readTensor(files.benchOf(*row));
      if (!tensor) {
        llvm::consumeError(tensor.takeError());
        return {};
      }
      std::vector<uint64_t> own = hashSamples(*tensor, common, axis);
      std::vector<uint64_t> &all = sides[ofTarget];
      if (all.empty())
        all.resize(own.size());
      if (own.size() < 2 || own.size() != all.size())
        return {};
      for (size_t i = 0; i < own.size(); ++i)
        all[i] = all[i] * 0x9E3779B97F4A7C15u + own[i];
    }
  }
  return orderOf(sides[1], sides[0]);
}

std::map<int64_t, std::shared_ptr<const SampleOrder>>
findSampleOrders(const Comparison &comparison, const PairFiles &files) {
  struct Inputs {
    std::string call;
    std::vector<const ComparedRow *> rows; // differing rows
  };
  std::map<int64_t, Inputs> ofStep;
  for (const ComparedRow &row : comparison.rows) {
    if (row.pair.target < 0 || row.pair.bench < 0)
      continue;
    const AlignItem &target = comparison.item(row, true);
    if (target.name.kind != TensorKind::ForwardInput)
      continue;
    std::string call = target.name.callText();
    Inputs &inputs =
        ofStep.try_emplace(target.name.step, Inputs{call, {}}).first->second;
    const std::string &hash = comparison.item(row, false).hash;
    if (inputs.call == call && (hash.empty() || hash != target.hash))
      inputs.rows.push_back(&row);
  }
  std::map<int64_t, std::shared_ptr<const SampleOrder>> result;
  for (const auto &[step, inputs] : ofStep)
    for (size_t axis : {0, 1}) {
      if (inputs.rows.empty())
        break;
      SampleOrder order = orderAlong(files, inputs.rows, axis);
      bool other = false;
      for (size_t i = 0; i < order.size(); ++i)
        other |= order[i] != static_cast<int64_t>(i);
      if (!other)
        continue;
      result[step] = std::make_shared<const SampleOrder>(std::move(order));
      break;
    }
  return result;
}

std::vector<SampleView>
sampleViews(llvm::ArrayRef<int64_t> shape,
            const std::shared_ptr<const SampleOrder> &order) {
  auto samples = static_cast<int64_t>(order->size());
  std::vector<SampleView> result;
  int64_t before = 1, all = 1;
  for (int64_t size : shape)
    all *= size;
  auto add = [&](int64_t outer) {
    bool known = llvm::any_of(
        result, [&](const SampleView &view) { return view.outer == outer; });
    if (!known)
      result.push_back({outer, all / (outer * samples), order});
  };
  for (int64_t size : shape) {
    if (all > 0 && size % samples == 0) {
      add(before);                    // samples as the outer part
      add(before * (size / samples)); // and as the inner part
    }
    before *= size;
  }
  return result;
}

void putInOrder(const SampleView &view, int64_t elementBytes,
                const std::byte *bench, std::byte *out) {
  auto bytes = static_cast<size_t>(view.inner * elementBytes);
  size_t samples = view.order->size();
  for (size_t o = 0; o < static_cast<size_t>(view.outer); ++o)
    for (size_t s = 0; s < samples; ++s)
      std::memcpy(
          out + (o * samples + s) * bytes,
          bench + (o * samples + static_cast<size_t>((*view.order)[s])) * bytes,
          bytes);
}

std::string sampleOrderText(const SampleOrder &order) {
  constexpr size_t kShown = 16;
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kShown); ++i)
    text += (i ? " " : "") + std::to_string(order[i]);
  return text + (order.size() > kShown ? " ..." : "");
}

} // namespace assay::trace
