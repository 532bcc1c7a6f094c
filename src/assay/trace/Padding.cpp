// Texts of different lengths make one batch by padding. Kernels may compute
// these positions, skip them, or leave memory as it was; nothing reads that
// memory. The padding mask is an input of the model, so the recording has it.
#include "assay/trace/Padding.h"
#include "assay/trace/ComparePair.h"
#include "assay/trace/Values.h"

#include <algorithm>
#include <set>

namespace assay::trace {

using tensor::Tensor;

bool PaddingView::isKept(int64_t element) const {
  int64_t sample = element / sampleStride % mask->samples;
  return llvm::all_of(placeStrides, [&](int64_t stride) {
    int64_t place = element / stride % mask->places;
    return mask->kept[static_cast<size_t>(sample * mask->places + place)] != 0;
  });
}

// Row-major strides: of two, the smaller one divides the other.
int64_t PaddingView::run() const {
  int64_t least = sampleStride;
  for (int64_t stride : placeStrides)
    least = std::min(least, stride);
  return least;
}

namespace {
/// A recorded mask whose values have no meaning yet.
struct Candidate {
  std::string name;
  int64_t samples = 0, places = 0;
  std::vector<char> values; // 0 or 1
  std::optional<char> kept; // which value counts, where that is known
  bool isSure = true;       // it certainly is a mask
  bool isKnown() const { return kept && isSure; }
};
} // namespace

/// The value that means "token", found by the edges: tokens of all samples
/// begin at the first place, or end at the last. Nullopt: either value may mean
/// it, or this is not padding.
static std::optional<char> keptByEdges(const Candidate &mask) {
  auto at = [&](int64_t sample, int64_t place) {
    return mask.values[static_cast<size_t>(sample * mask.places + place)];
  };
  bool anyWhole = false;
  for (int64_t s = 0; s < mask.samples; ++s) {
    int64_t changes = 0;
    for (int64_t p = 1; p < mask.places; ++p)
      changes += at(s, p) != at(s, p - 1);
    if (changes > 1)
      return std::nullopt;
    anyWhole |= changes == 0;
  }
  if (!anyWhole)
    return std::nullopt;
  for (int64_t edge : {int64_t{0}, mask.places - 1}) {
    bool same = true;
    for (int64_t s = 1; s < mask.samples; ++s)
      same &= at(s, edge) == at(0, edge);
    if (same)
      return at(0, edge);
  }
  return std::nullopt;
}

static std::optional<char> keptByName(llvm::StringRef name) {
  if (name.contains_insensitive("padding") || name.contains_insensitive("pad_"))
    return 0;
  if (name.contains_insensitive("attention_mask"))
    return 1;
  return std::nullopt;
}

/// [samples, places]; a mask added to scores also has a dimension of queries,
/// none of which may see a masked place.
static std::optional<Candidate> candidateOf(const Tensor &tensor,
                                            llvm::StringRef item) {
  tensor::Shape shape;
  llvm::copy_if(tensor.shape(), std::back_inserter(shape),
                [](int64_t size) { return size != 1; });
  bool isAdded = tensor.elementType().isFloat();
  if (shape.size() != 2 && !(isAdded && shape.size() == 3))
    return std::nullopt;
  constexpr double kLeavesOut = -1e3;
  std::vector<double> values = doublesOf(tensor);
  for (double &value : values) {
    if (isAdded ? value != 0 && !(value <= kLeavesOut)
                : value != 0 && value != 1)
      return std::nullopt;
    value = isAdded ? value == 0 : value;
  }
  Candidate mask;
  mask.samples = shape.front();
  mask.places = shape.back();
  mask.values.assign(static_cast<size_t>(mask.samples * mask.places), 0);
  size_t places = static_cast<size_t>(mask.places),
         each = values.size() / static_cast<size_t>(mask.samples);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0)
      mask.values[i / each * places + i % places] = 1;
  if (llvm::all_equal(mask.values))
    return std::nullopt;
  mask.kept = isAdded ? std::optional<char>(1) : keptByName(item);
  if (!mask.kept)
    mask.kept = keptByEdges(mask);
  return mask;
}

/// Lengths [samples] that come with other inputs [samples, places, ...] of the
/// call.
static std::optional<Candidate> lengthsOf(const Tensor &tensor, bool isNamed,
                                          int64_t places) {
  Candidate mask;
  mask.samples = tensor.size();
  mask.places = places;
  bool some = false;
  for (double length : doublesOf(tensor)) {
    if (length < 1 || length > static_cast<double>(places))
      return std::nullopt;
    some |= length < static_cast<double>(places);
    for (int64_t p = 0; p < places; ++p)
      mask.values.push_back(static_cast<double>(p) < length);
  }
  if (!some)
    return std::nullopt;
  mask.kept = 1;
  mask.isSure = isNamed;
  return mask;
}

/// The masks of one step, each once; noConsequence: all results of the model
/// pass, whichever value masks.
static std::vector<std::shared_ptr<const PaddingMask>>
masksOf(llvm::ArrayRef<Candidate> found, bool noConsequence) {
  std::vector<std::shared_ptr<const PaddingMask>> result;
  for (const Candidate &mask : found)
    for (char kept : {1, 0}) {
      if ((mask.kept && *mask.kept != kept) ||
          (!mask.isKnown() && !noConsequence))
        continue;
      PaddingMask made{mask.name, mask.samples, mask.places, {}};
      for (char value : mask.values)
        made.kept.push_back(value == kept);
      if (llvm::none_of(result, [&](const auto &other) {
            return other->samples == made.samples &&
                   other->places == made.places && other->kept == made.kept;
          }))
        result.push_back(std::make_shared<const PaddingMask>(std::move(made)));
    }
  return result;
}

namespace {
/// Finds the inputs of a step's modules that may be masks or lengths.
class Finder {
public:
  Finder(const Comparison &comparison, llvm::ArrayRef<size_t> measured,
         const PairFiles &files)
      : comparison_(comparison), measured_(measured), files_(files) {}
  PaddingMasks run();

private:
  const DumpName &name(const ComparedRow &row) const {
    return comparison_.item(row, true).name;
  }
  struct Step {
    std::string call;            ///< the first one
    std::vector<int64_t> places; ///< second dimensions of its inputs
    std::vector<const ComparedRow *> lengths;
    std::vector<Candidate> masks;
    std::set<std::string> seen; ///< hashes
    std::vector<size_t> rows;   ///< rows with a counterpart
  };
  void look(const ComparedRow &row, Step &step);
  bool noConsequence(const Step &step) const;

  const Comparison &comparison_;
  llvm::ArrayRef<size_t> measured_;
  const PairFiles &files_;
  std::map<int64_t, Step> steps_;
};
} // namespace

void Finder::look(const ComparedRow &row, Step &step) {
  constexpr int64_t kMost = 1 << 24; // bytes
  const formats::Hdf5Dataset &dataset = files_.targetOf(row);
  const tensor::Shape &shape = dataset.type.shape;
  if (step.call.empty())
    step.call = name(row).callText();
  bool ofFirst = step.call == name(row).callText();
  if (ofFirst && shape.size() >= 2)
    step.places.push_back(shape[1]);
  const numerics::ElementType &type = dataset.type.element;
  bool plain = type.isBool() || type.isInteger();
  if (dataset.sizeBytes > kMost || (!plain && !type.isFloat()))
    return;
  if (ofFirst && plain && shape.size() == 1 && shape[0] > 1)
    step.lengths.push_back(&row);
  // A mask added to scores has a dimension that is broadcast.
  if (shape.size() < 2 || (!plain && (shape.size() != 4 || shape[1] != 1)) ||
      (!dataset.hash.empty() && !step.seen.insert(dataset.hash).second))
    return;
  llvm::Expected<Tensor> tensor = files_.target.readTensor(dataset);
  if (!tensor)
    return llvm::consumeError(tensor.takeError());
  if (std::optional<Candidate> mask = candidateOf(*tensor, name(row).item)) {
    mask->name = name(row).text();
    step.masks.push_back(std::move(*mask));
  }
}

/// Whether all outputs of the first call, and all gradients of parameters, pass
/// at all positions.
bool Finder::noConsequence(const Step &step) const {
  bool any = false;
  for (size_t i : step.rows) {
    const ComparedRow &own = comparison_.rows[i],
                      &row = comparison_.rows[measured_[i]];
    bool isOutput = name(own).kind == TensorKind::ForwardOutput &&
                    name(own).callText() == step.call;
    if (!isOutput && name(own).kind != TensorKind::ParamsGrad)
      continue;
    any |= isOutput;
    if (!row.compared || row.undecided || row.status == RowStatus::Fail)
      return false;
  }
  return any;
}

PaddingMasks Finder::run() {
  for (size_t i = 0; i < measured_.size(); ++i) {
    const ComparedRow &row = comparison_.rows[i];
    const ComparedRow &figures = comparison_.rows[measured_[i]];
    if (row.pair.target < 0 || row.pair.bench < 0)
      continue;
    Step &step = steps_[name(row).step];
    step.rows.push_back(i);
    if (figures.compared && figures.mismatches == 0 && !row.pair.part &&
        !figures.samples && name(row).kind == TensorKind::ForwardInput &&
        !isNumbered(name(row).module))
      look(row, step);
  }
  PaddingMasks result;
  for (auto &[number, step] : steps_) {
    llvm::sort(step.places);
    step.places.erase(llvm::unique(step.places), step.places.end());
    for (const ComparedRow *row : step.lengths) {
      llvm::Expected<Tensor> tensor =
          files_.target.readTensor(files_.targetOf(*row));
      if (!tensor) {
        llvm::consumeError(tensor.takeError());
        continue;
      }
      for (int64_t places : step.places)
        if (std::optional<Candidate> mask =
                lengthsOf(*tensor,
                          llvm::StringRef(name(*row).item)
                              .contains_insensitive("len"),
                          places)) {
          mask->name = name(*row).text();
          step.masks.push_back(std::move(*mask));
        }
    }
    bool anyUnknown = llvm::any_of(
        step.masks, [](const Candidate &mask) { return !mask.isKnown(); });
    if (!step.masks.empty())
      result[number] = masksOf(step.masks, anyUnknown && noConsequence(step));
  }
  return result;
}

PaddingMasks findPadding(const Comparison &comparison,
                         llvm::ArrayRef<size_t> measured,
                         const PairFiles &files) {
  return Finder(comparison, measured, files).run();
}

std::vector<PaddingView>
paddingViews(llvm::ArrayRef<int64_t> shape,
             const std::shared_ptr<const PaddingMask> &mask) {
  std::vector<PaddingView> result;
  tensor::Shape strides = tensor::rowMajorStrides(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 || shape[i] % mask->samples != 0)
      continue;
    int64_t inner = shape[i] / mask->samples; // heads, or the places
    PaddingView view{mask, strides[i] * inner, {}};
    if (inner == mask->places) {
      view.placeStrides = {strides[i]};
      result.push_back(view);
    }
    PaddingView both = view;
    both.placeStrides.clear();
    for (size_t j = 0; j < shape.size(); ++j) {
      if (j == i || shape[j] != mask->places)
        continue;
      view.placeStrides = {strides[j]};
      result.push_back(view);
      both.placeStrides.push_back(strides[j]);
    }
    if (both.placeStrides.size() == 2 && shape.size() >= 3)
      result.push_back(std::move(both));
  }
  return result;
}

} // namespace assay::trace
