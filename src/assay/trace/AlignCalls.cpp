// Calls and their similarity, and the dynamic programming over calls that have
// no certain partner. It maximises the sum of (similarity - threshold) over
// order-preserving pairs; leaving a call alone costs nothing, so it is paired
// only where that gains. Gaps between certain pairs are small; a gap of two
// whole renamed models is limited to a band around its diagonal.
#include "assay/trace/AlignCalls.h"
#include "assay/trace/DataFlow.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>

namespace assay::trace::align {

static constexpr double kThreshold = 0.45, kFedByTheSame = 0.95;
static constexpr int64_t kMaxCells = 36'000'000;

unsigned Interner::id(llvm::StringRef word) {
  auto [it, isNew] =
      ids_.try_emplace(word, static_cast<unsigned>(words_.size()));
  if (isNew)
    words_.push_back(word.str());
  return it->second;
}

static uint64_t hashShape(llvm::StringRef prefix,
                          llvm::ArrayRef<int64_t> shape) {
  std::string text = prefix.str();
  for (int64_t size : shape)
    text += ',' + std::to_string(size);
  return llvm::xxh3_64bits(text);
}

/// An id of the tensor's origin, the same on both sides; 0: not known.
static uint64_t originOf(int64_t index, llvm::ArrayRef<AlignItem> items,
                         const DataFlow &graph,
                         const llvm::StringMap<std::string> &parameters) {
  const AlignItem &item = items[static_cast<size_t>(index)];
  std::string text = item.name.item + " ";
  if (int64_t made = graph.origin(index); made >= 0) {
    const DumpName &maker = items[static_cast<size_t>(made)].name;
    text += maker.className + " " + maker.item;
  } else if (auto it = parameters.find(item.hash); it != parameters.end()) {
    text += it->second;
  } else {
    return 0;
  }
  return llvm::xxh3_64bits(text);
}

static void describe(Call &call, llvm::ArrayRef<AlignItem> items,
                     Interner &words) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(call.module, parts, "./");
  for (llvm::StringRef part : parts) {
    call.path.push_back(words.id(part));
    if (llvm::all_of(part, llvm::isDigit))
      call.numbers.push_back(call.path.back());
  }
  call.classId = words.id(call.className);
  call.numbered = isNumbered(call.module);
  if (isOperatorCall(call.module)) // "add" of aten-add_-Tensor
    call.operation = words.id(llvm::StringRef(call.className)
                                  .split('-')
                                  .second.split('-')
                                  .first.trim('_'));
  std::vector<uint64_t> inputs;
  for (int64_t index : call.items) {
    const AlignItem &item = items[static_cast<size_t>(index)];
    std::string kind = kindName(item.name.kind).str();
    call.shapes.push_back(
        hashShape(kind + "." + item.name.item, item.type.shape));
    if (isInput(item.name.kind))
      inputs.push_back(call.shapes.back());
    if (isOutput(item.name.kind))
      call.outputShapes.push_back(hashShape(kind, item.type.shape));
    int64_t count = 1;
    for (int64_t size : item.type.shape)
      count *= size;
    if (!item.hash.empty() && count > 16)
      call.contents.push_back(llvm::xxh3_64bits(item.hash));
  }
  for (std::vector<uint64_t> *list :
       {&call.shapes, &call.outputShapes, &call.contents})
    std::sort(list->begin(), list->end());
  call.shapesKey =
      llvm::hash_combine_range(call.shapes.begin(), call.shapes.end());
  llvm::sort(inputs);
  call.inputsKey = llvm::hash_combine_range(inputs.begin(), inputs.end());
}

std::vector<Call> groupCalls(llvm::ArrayRef<AlignItem> items,
                             llvm::ArrayRef<int64_t> indices,
                             const DataFlow &graph, Interner &words) {
  std::vector<Call> calls;
  llvm::StringMap<std::string> parameters; // by hash
  for (int64_t index : indices)
    if (const AlignItem &item = items[static_cast<size_t>(index)];
        item.name.kind == TensorKind::ForwardParams && !item.hash.empty())
      parameters.try_emplace(item.hash, "parameter " + item.name.item);
  llvm::StringMap<size_t> byText;
  llvm::StringMap<int64_t> ordinals;
  for (int64_t index : indices) {
    const DumpName &name = items[static_cast<size_t>(index)].name;
    std::string text = name.callText();
    auto [it, isNew] = byText.try_emplace(text, calls.size());
    if (isNew) {
      Call call;
      call.module = name.module;
      call.className = name.className;
      call.counter = name.call;
      call.ordinal = ordinals[name.module]++;
      call.text = std::move(text);
      calls.push_back(std::move(call));
    }
    calls[it->second].items.push_back(index);
  }
  for (Call &call : calls) {
    describe(call, items, words);
    if (call.numbered)
      for (int64_t index : call.items)
        if (isInput(items[static_cast<size_t>(index)].name.kind))
          call.flow.push_back(originOf(index, items, graph, parameters));
    std::sort(call.flow.begin(), call.flow.end());
  }
  return calls;
}

static size_t commonCount(llvm::ArrayRef<uint64_t> a,
                          llvm::ArrayRef<uint64_t> b) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    common += a[i] == b[j];
    bool advanceA = a[i] <= b[j], advanceB = b[j] <= a[i];
    i += advanceA;
    j += advanceB;
  }
  return common;
}

/// 2 * LCS / (length + length) of the components.
static double pathSimilarity(llvm::ArrayRef<unsigned> a,
                             llvm::ArrayRef<unsigned> b) {
  if (a.empty() && b.empty())
    return 1;
  unsigned row[65] = {};
  size_t width = std::min<size_t>(b.size(), 64);
  for (unsigned x : a) {
    unsigned diagonal = 0;
    for (size_t j = 0; j < width; ++j) {
      unsigned above = row[j + 1];
      row[j + 1] = x == b[j] ? diagonal + 1 : std::max(row[j + 1], row[j]);
      diagonal = above;
    }
  }
  return 2.0 * row[width] / static_cast<double>(a.size() + b.size());
}

static double wordSimilarity(llvm::StringRef a, llvm::StringRef b) {
  if (a == b)
    return 1;
  auto longest = static_cast<double>(std::max(a.size(), b.size()));
  return 1 - a.edit_distance_insensitive(b) / longest;
}

double similarity(const Call &a, const Call &b, const Interner &words) {
  bool numbered = a.numbered && b.numbered;
  if (numbered && a.operation != b.operation)
    return 0;
  double path = numbered ? 1 : pathSimilarity(a.path, b.path);
  if (!numbered && a.numbers != b.numbers)
    path *= 0.5;
  double className =
      a.classId == b.classId
          ? 1
          : wordSimilarity(words.word(a.classId), words.word(b.classId));
  auto shapes = 2.0 * static_cast<double>(commonCount(a.shapes, b.shapes)) /
                static_cast<double>(
                    std::max<size_t>(1, a.shapes.size() + b.shapes.size()));
  double score = 0.3 * path + 0.2 * className + 0.5 * shapes;
  if (numbered && !a.flow.empty() && !b.flow.empty())
    score *=
        0.6 + 0.4 * static_cast<double>(commonCount(a.flow, b.flow)) /
                  static_cast<double>(std::max(a.flow.size(), b.flow.size()));
  if (numbered && a.fedBy != 0 && b.fedBy != 0)
    score = a.fedBy == b.fedBy ? std::max(score, kFedByTheSame) : score * 0.8;
  if (!a.outputShapes.empty() && !b.outputShapes.empty() &&
      commonCount(a.outputShapes, b.outputShapes) == 0)
    score *= 0.5;
  if (!a.contents.empty() && !b.contents.empty()) {
    auto equal =
        static_cast<double>(commonCount(a.contents, b.contents)) /
        static_cast<double>(std::min(a.contents.size(), b.contents.size()));
    score = numbered ? score * (0.8 + 0.2 * equal)
                     : score + (1 - score) * 0.6 * equal;
  }
  return score;
}

void join(std::vector<Call> &target, std::vector<Call> &bench, int64_t t,
          int64_t b, double confidence, const char *how) {
  Call &left = target[static_cast<size_t>(t)],
       &right = bench[static_cast<size_t>(b)];
  left.partner = b;
  right.partner = t;
  left.confidence = right.confidence = confidence;
  left.how = right.how = how;
}

namespace {
enum Move : uint8_t { Stop, Up, Left, Pair };
} // namespace

/// Follows the moves back from the end and joins the pairs.
static void joinBack(std::vector<Call> &target, std::vector<Call> &bench,
                     llvm::ArrayRef<int64_t> targetFree,
                     llvm::ArrayRef<int64_t> benchFree, const Interner &words,
                     llvm::ArrayRef<uint8_t> moves, int64_t width,
                     llvm::function_ref<int64_t(int64_t)> low) {
  auto n = static_cast<int64_t>(targetFree.size()),
       m = static_cast<int64_t>(benchFree.size());
  for (int64_t i = n - 1, j = m - 1; i >= 0 && j >= 0;) {
    int64_t first = low(i);
    if (j >= first + width) {
      j = first + width - 1;
      continue;
    }
    uint8_t move = j < first
                       ? uint8_t{Up}
                       : moves[static_cast<size_t>(i * width + (j - first))];
    if (move == Pair) {
      int64_t t = targetFree[static_cast<size_t>(i--)],
              b = benchFree[static_cast<size_t>(j--)];
      const Call &left = target[static_cast<size_t>(t)],
                 &right = bench[static_cast<size_t>(b)];
      double score = similarity(left, right, words);
      bool known = left.numbered &&
                   (left.flow.empty() || left.flow.back() != 0); // for an input
      bool sameFlow = known && left.classId == right.classId &&
                      left.inputsKey == right.inputsKey &&
                      left.flow == right.flow;
      join(target, bench, t, b, std::min(score, 0.95),
           sameFlow ? "order" : "similar");
    } else if (move == Left) {
      --j;
    } else {
      --i;
    }
  }
}

void alignGap(std::vector<Call> &target, std::vector<Call> &bench,
              llvm::ArrayRef<int64_t> targetFree,
              llvm::ArrayRef<int64_t> benchFree, const Interner &words) {
  auto n = static_cast<int64_t>(targetFree.size()),
       m = static_cast<int64_t>(benchFree.size());
  if (n == 0 || m == 0)
    return;
  // Row i covers columns [low(i), low(i) + width) of the bench.
  int64_t width = std::clamp<int64_t>(kMaxCells / n, 1, m);
  auto low = [&](int64_t i) {
    auto middle =
        static_cast<int64_t>(static_cast<double>(i) / static_cast<double>(n) *
                             static_cast<double>(m));
    return std::clamp<int64_t>(middle - width / 2, 0, m - width);
  };
  std::vector<uint8_t> moves(static_cast<size_t>(n * width));
  std::vector<float> above(static_cast<size_t>(m + 1), 0),
      row(static_cast<size_t>(m + 1), 0);
  for (int64_t i = 0; i < n; ++i) {
    const Call &call =
        target[static_cast<size_t>(targetFree[static_cast<size_t>(i)])];
    int64_t first = low(i);
    row[static_cast<size_t>(first)] = above[static_cast<size_t>(first)];
    for (int64_t j = first; j < first + width; ++j) {
      auto at = static_cast<size_t>(j);
      auto gain = static_cast<float>(
          similarity(call, bench[static_cast<size_t>(benchFree[at])], words) -
          kThreshold);
      float best = above[at + 1];
      uint8_t move = Up;
      if (row[at] > best)
        best = row[at], move = Left;
      if (gain > 0 && above[at] + gain > best)
        best = above[at] + gain, move = Pair;
      row[at + 1] = best;
      moves[static_cast<size_t>(i * width + (j - first))] = move;
    }
    for (int64_t j = first + width; j < m;
         ++j) // beyond the band: copied
      row[static_cast<size_t>(j + 1)] = row[static_cast<size_t>(first + width)];
    for (int64_t j = 0; j < first; ++j)
      row[static_cast<size_t>(j)] = above[static_cast<size_t>(j)];
    std::swap(above, row);
  }
  joinBack(target, bench, targetFree, benchFree, words, moves, width, low);
}

} // namespace assay::trace::align
