// The reader of LightGBM's text format v4. A model file has a header of
// key=value lines, one block of key=value lines per tree (arrays are space
// separated), "end of trees", importances and the training parameters. The
// reader trusts nothing: every array has the length that num_leaves states,
// every link points forward to a node or a leaf that no other link points to,
// every leaf is finite. (Thresholds need not be: LightGBM writes inf where it
// separates missing values from all others, and x <= nan holds for no x.)
// Evaluation then needs no checks. Source: LightGBM's own files (4.7) and the
// list in its documentation of the model format.
#include "assay/select/LightGbmText.h"
#include "assay/support/ByteOrderMark.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <type_traits>

using namespace assay;
using namespace assay::select;

static constexpr int64_t kMaxLeaves = 1 << 20;
static constexpr int64_t kMaxFeatures = 1 << 16;

namespace {
/// The lines of the text, with line numbers for messages.
class Lines {
public:
  Lines(llvm::StringRef text, llvm::StringRef name, ModelDetail detail)
      : rest_(text), name_(name), detail_(detail) {}
  bool atEnd() const { return rest_.empty(); }
  llvm::StringRef next() {
    ++number_;
    auto [line, rest] = rest_.split('\n');
    rest_ = rest;
    return line.rtrim('\r');
  }
  template <typename... Args>
  llvm::Error damaged(const char *format, Args &&...args) const {
    return makeError(
        ErrorCode::DataLoss, "'{0}' is truncated or damaged at line {1}: {2}",
        name_, number_,
        llvm::formatv(false, format, std::forward<Args>(args)...).str());
  }
  llvm::StringRef name() const { return name_; }
  ModelDetail detail() const { return detail_; }

private:
  llvm::StringRef rest_, name_;
  ModelDetail detail_;
  int64_t number_ = 0;
};

/// The key=value lines of one block.
struct Block {
  llvm::StringMap<llvm::StringRef> values;
  llvm::StringRef get(llvm::StringRef key) const { return values.lookup(key); }
};
} // namespace

/// Reads a number at the beginning of [at, end); returns its end, or nullptr.
template <typename T>
static const char *readNumber(const char *at, const char *end, T &value) {
  auto [stop, code] = std::from_chars(at, end, value);
  if constexpr (std::is_same_v<T, double>) {
    if (code == std::errc::result_out_of_range)
      value = 0; // a denormal beyond double: LightGBM reads it as zero too
    else if (code != std::errc())
      return nullptr;
    return stop;
  }
  return code == std::errc() ? stop : nullptr;
}

template <typename T> static bool parseNumber(llvm::StringRef text, T &value) {
  return readNumber(text.begin(), text.end(), value) == text.end();
}

/// Reads exactly `count` numbers of `key`.
template <typename T>
static llvm::Error readArray(const Lines &lines, const Block &block,
                             llvm::StringRef key, int64_t count,
                             std::vector<T> &out) {
  llvm::StringRef text = block.get(key);
  out.clear();
  out.reserve(count);
  const char *at = text.begin(), *end = text.end();
  for (;;) {
    while (at != end && *at == ' ')
      ++at;
    if (at == end)
      break;
    T value;
    if (static_cast<int64_t>(out.size()) == count)
      return lines.damaged("{0} has more than {1} entries", key, count);
    const char *stop = readNumber(at, end, value);
    if (!stop || (stop != end && *stop != ' '))
      return lines.damaged(
          "{0} has '{1}', expected a number", key,
          llvm::StringRef(at, end - at).split(' ').first.take_front(40));
    out.push_back(value);
    at = stop;
  }
  if (static_cast<int64_t>(out.size()) != count)
    return lines.damaged("{0} has {1} entries, expected {2}", key, out.size(),
                         count);
  return llvm::Error::success();
}

/// Reads an array of training statistics; fills it with zeros if it is absent
/// or if only a prediction is needed.
template <typename T>
static llvm::Error readOptional(const Lines &lines, const Block &block,
                                llvm::StringRef key, int64_t count,
                                std::vector<T> &out) {
  if (lines.detail() == ModelDetail::All && block.values.count(key))
    return readArray(lines, block, key, count, out);
  out.assign(count, T());
  return llvm::Error::success();
}

template <typename T>
static llvm::Expected<T> readScalar(const Lines &lines, const Block &block,
                                    llvm::StringRef key) {
  T value;
  if (!block.values.count(key))
    return lines.damaged("no '{0}='", key);
  if (!parseNumber(block.get(key), value))
    return lines.damaged("{0} is '{1}', expected a number", key,
                         block.get(key).take_front(40));
  return value;
}

/// Reads key=value lines up to a line for which `stop` holds, and returns that
/// line.
template <typename Stop>
static llvm::Expected<llvm::StringRef> readBlock(Lines &lines, Block &block,
                                                 Stop stop) {
  while (!lines.atEnd()) {
    llvm::StringRef line = lines.next();
    if (stop(line))
      return line;
    if (line.empty())
      continue;
    auto [key, value] = line.split('=');
    block.values[key] = value;
  }
  return lines.damaged("the text ends before 'end of trees'");
}

static llvm::Error readCategorySets(const Lines &lines, const Block &block,
                                    Tree &tree, int64_t sets) {
  std::vector<int64_t> boundaries;
  if (llvm::Error error =
          readArray(lines, block, "cat_boundaries", sets + 1, boundaries))
    return error;
  for (int64_t i = 0; i <= sets; ++i)
    if (boundaries[i] < 0 || boundaries[i] > kMaxLeaves ||
        (i > 0 ? boundaries[i] < boundaries[i - 1] : boundaries[i] != 0))
      return lines.damaged("cat_boundaries does not ascend from 0");
  std::vector<uint32_t> words;
  if (llvm::Error error =
          readArray(lines, block, "cat_threshold", boundaries[sets], words))
    return error;
  for (int64_t i = 0; i < sets; ++i)
    tree.categorySets.emplace_back(words.begin() + boundaries[i],
                                   words.begin() + boundaries[i + 1]);
  return llvm::Error::success();
}

/// Checks that the nodes form a tree: every split and every leaf but the root
/// is the child of exactly one split, whose index is smaller.
static llvm::Error checkLinks(const Lines &lines, const Tree &tree) {
  int64_t splits = tree.splits.size(), leaves = tree.leaves.size();
  std::vector<bool> splitSeen(splits), leafSeen(leaves);
  for (int64_t i = 0; i < splits; ++i)
    for (int64_t child : {tree.splits[i].left, tree.splits[i].right}) {
      bool isLeaf = child < 0;
      int64_t index = isLeaf ? ~child : child;
      if (index >= (isLeaf ? leaves : splits) || (!isLeaf && index <= i))
        return lines.damaged("node {0} has the child {1}, expected a later "
                             "node or one of {2} leaves",
                             i, child, leaves);
      std::vector<bool> &seen = isLeaf ? leafSeen : splitSeen;
      if (seen[index])
        return lines.damaged("two nodes have the child {0}", child);
      seen[index] = true;
    }
  return llvm::Error::success();
}

static llvm::Error readSplits(const Lines &lines, const Block &block,
                              Tree &tree, int64_t splits, int64_t features,
                              int64_t sets) {
  std::vector<int32_t> feature, decision, left, right;
  std::vector<double> threshold, gain, value, weight;
  std::vector<int64_t> count;
  if (llvm::Error error =
          readArray(lines, block, "split_feature", splits, feature))
    return error;
  if (llvm::Error error =
          readArray(lines, block, "threshold", splits, threshold))
    return error;
  if (llvm::Error error =
          readArray(lines, block, "decision_type", splits, decision))
    return error;
  if (llvm::Error error = readArray(lines, block, "left_child", splits, left))
    return error;
  if (llvm::Error error = readArray(lines, block, "right_child", splits, right))
    return error;
  if (llvm::Error error =
          readOptional(lines, block, "split_gain", splits, gain))
    return error;
  if (llvm::Error error =
          readOptional(lines, block, "internal_value", splits, value))
    return error;
  if (llvm::Error error =
          readOptional(lines, block, "internal_weight", splits, weight))
    return error;
  if (llvm::Error error =
          readOptional(lines, block, "internal_count", splits, count))
    return error;
  tree.splits.resize(splits);
  for (int64_t i = 0; i < splits; ++i) {
    Split &split = tree.splits[i];
    int missing = (decision[i] >> 2) & 3;
    if (feature[i] < 0 || feature[i] >= features)
      return lines.damaged("node {0} splits feature {1} of {2}", i, feature[i],
                           features);
    if (decision[i] < 0 || decision[i] > 15 || missing == 3)
      return lines.damaged("node {0} has decision_type {1}, expected bits 0 to "
                           "3 with a missing type of 0 to 2",
                           i, decision[i]);
    split = {feature[i],
             (decision[i] & 1) != 0,
             (decision[i] & 2) != 0,
             static_cast<Missing>(missing),
             threshold[i],
             left[i],
             right[i],
             gain[i],
             value[i],
             weight[i],
             count[i]};
    if (split.categorical && (threshold[i] < 0 || threshold[i] >= sets ||
                              threshold[i] != std::floor(threshold[i])))
      return lines.damaged("node {0} names category set {1} of {2}", i,
                           threshold[i], sets);
  }
  return checkLinks(lines, tree);
}

static llvm::Error readLeaves(const Lines &lines, const Block &block,
                              Tree &tree, int64_t leaves) {
  std::vector<double> value, weight;
  std::vector<int64_t> count;
  if (llvm::Error error = readArray(lines, block, "leaf_value", leaves, value))
    return error;
  for (double leaf : value)
    if (!std::isfinite(leaf))
      return lines.damaged("leaf_value has '{0}', expected a finite number",
                           leaf);
  // A tree of one leaf has no weights in some versions.
  bool bare = leaves == 1;
  if (llvm::Error error = readOptional(lines, bare ? Block() : block,
                                       "leaf_weight", leaves, weight))
    return error;
  if (llvm::Error error = readOptional(lines, bare ? Block() : block,
                                       "leaf_count", leaves, count))
    return error;
  tree.leaves.resize(leaves);
  for (int64_t i = 0; i < leaves; ++i)
    tree.leaves[i] = {value[i], weight[i], count[i]};
  return llvm::Error::success();
}

static llvm::Expected<Tree> readTree(const Lines &lines, const Block &block,
                                     int64_t features) {
  Tree tree;
  llvm::Expected<int64_t> leaves =
      readScalar<int64_t>(lines, block, "num_leaves");
  if (!leaves)
    return leaves.takeError();
  if (*leaves < 1 || *leaves > kMaxLeaves)
    return lines.damaged("num_leaves is {0}, expected 1 to {1}", *leaves,
                         kMaxLeaves);
  int64_t sets = 0;
  if (block.values.count("num_cat")) {
    llvm::Expected<int64_t> read = readScalar<int64_t>(lines, block, "num_cat");
    if (!read)
      return read.takeError();
    sets = *read;
  }
  if (sets < 0 || sets >= *leaves)
    return lines.damaged("num_cat is {0}, expected 0 to num_leaves - 1", sets);
  if (block.get("is_linear") == "1")
    return makeError(ErrorCode::Unsupported,
                     "'{0}' has linear leaves; train without linear_tree",
                     lines.name());
  if (llvm::Error error = readLeaves(lines, block, tree, *leaves))
    return error;
  if (sets > 0)
    if (llvm::Error error = readCategorySets(lines, block, tree, sets))
      return error;
  if (*leaves > 1)
    if (llvm::Error error =
            readSplits(lines, block, tree, *leaves - 1, features, sets))
      return error;
  if (block.values.count("shrinkage") &&
      !parseNumber(block.get("shrinkage"), tree.shrinkage))
    return lines.damaged("shrinkage is '{0}', expected a number",
                         block.get("shrinkage").take_front(40));
  return tree;
}

/// Whether the prediction of an objective is the plain sum of leaves.
static bool isIdentityObjective(llvm::StringRef objective) {
  llvm::StringRef name = objective.split(' ').first;
  if (objective.contains("sqrt"))
    return false;
  for (llvm::StringRef known :
       {"", "regression", "regression_l1", "huber", "fair", "quantile", "mape",
        "lambdarank", "rank_xendcg", "custom", "none"})
    if (name == known)
      return true;
  return false;
}

static llvm::Error readHeader(const Lines &lines, const Block &block,
                              TreeModel &model) {
  if (block.get("version") != "v4" && block.get("version") != "v3")
    return makeError(ErrorCode::Unsupported,
                     "'{0}' has version '{1}', expected v4 (or v3)",
                     lines.name(), block.get("version").take_front(40));
  for (llvm::StringRef key : {"num_class", "num_tree_per_iteration"}) {
    llvm::Expected<int64_t> value = readScalar<int64_t>(lines, block, key);
    if (!value)
      return value.takeError();
    if (*value != 1)
      return makeError(ErrorCode::Unsupported,
                       "'{0}' has {1} = {2}; one output is supported",
                       lines.name(), key, *value);
  }
  llvm::Expected<int64_t> last =
      readScalar<int64_t>(lines, block, "max_feature_idx");
  if (!last)
    return last.takeError();
  if (*last < 0 || *last >= kMaxFeatures)
    return lines.damaged("max_feature_idx is {0}, expected 0 to {1}", *last,
                         kMaxFeatures - 1);
  model.objective = block.get("objective").str();
  if (!isIdentityObjective(model.objective))
    return makeError(
        ErrorCode::Unsupported,
        "'{0}' has the objective '{1}', which transforms the sum of leaves",
        lines.name(), model.objective);
  auto readNames = [&](llvm::StringRef key,
                       std::vector<std::string> &out) -> llvm::Error {
    llvm::SmallVector<llvm::StringRef> names;
    block.get(key).split(names, ' ', -1, /*KeepEmpty=*/false);
    if (static_cast<int64_t>(names.size()) != *last + 1)
      return lines.damaged("{0} has {1} entries, expected {2}", key,
                           names.size(), *last + 1);
    out.assign(names.begin(), names.end());
    return llvm::Error::success();
  };
  if (llvm::Error error = readNames("feature_names", model.featureNames))
    return error;
  model.averaged = block.values.count("average_output");
  return readNames("feature_infos", model.featureInfos);
}

static void readTail(Lines &lines, TreeModel &model) {
  bool inside = false;
  while (!lines.atEnd()) {
    llvm::StringRef line = lines.next();
    if (line == "parameters:")
      inside = true;
    else if (line == "end of parameters")
      inside = false;
    else if (inside && !line.empty())
      model.parameters += line.str() + "\n";
  }
}

llvm::Expected<TreeModel> select::parseLightGbm(llvm::StringRef text,
                                                llvm::StringRef name,
                                                ModelDetail detail) {
  Lines lines(withoutByteOrderMark(text), name, detail);
  if (lines.next() != "tree")
    return makeError(
        ErrorCode::DataLoss,
        "'{0}' is not a LightGBM model: it does not begin with the line 'tree'",
        name);
  TreeModel model;
  auto isBorder = [](llvm::StringRef line) {
    return line.starts_with("Tree=") || line == "end of trees";
  };
  Block header;
  llvm::Expected<llvm::StringRef> border = readBlock(lines, header, isBorder);
  if (!border)
    return border.takeError();
  if (llvm::Error error = readHeader(lines, header, model))
    return error;
  while (*border != "end of trees") {
    int64_t number = -1;
    if (border->drop_front(5).getAsInteger(10, number) ||
        number != static_cast<int64_t>(model.trees.size()))
      return lines.damaged("got '{0}', expected 'Tree={1}'",
                           border->take_front(40), model.trees.size());
    Block block;
    border = readBlock(lines, block, isBorder);
    if (!border)
      return border.takeError();
    llvm::Expected<Tree> tree =
        readTree(lines, block, model.featureNames.size());
    if (!tree)
      return tree.takeError();
    model.trees.push_back(std::move(*tree));
  }
  llvm::SmallVector<llvm::StringRef> sizes;
  header.get("tree_sizes").split(sizes, ' ', -1, /*KeepEmpty=*/false);
  if (header.values.count("tree_sizes") && sizes.size() != model.trees.size())
    return lines.damaged("tree_sizes has {0} entries for {1} trees",
                         sizes.size(), model.trees.size());
  readTail(lines, model);
  return model;
}

llvm::Expected<TreeModel> select::readLightGbm(llvm::StringRef path,
                                               ModelDetail detail) {
  llvm::Expected<std::string> text = readMaybeGzip(path);
  if (!text)
    return text.takeError();
  return parseLightGbm(*text, path, detail);
}
