// The writer of LightGBM's text format v4 (the reader is LightGbmText.cpp).
// LightGBM finds its trees by tree_sizes, so each block's size includes the
// blank lines after its text.
#include "assay/select/LightGbmText.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <numeric>

using namespace assay;
using namespace assay::select;

static std::string full(double value) {
  return llvm::formatv("{0}", llvm::format("%.17g", value)).str();
}
static std::string brief(double value) {
  return llvm::formatv("{0}", llvm::format("%g", value)).str();
}

template <typename Range, typename Print>
static void printArray(llvm::raw_ostream &os, llvm::StringRef key,
                       const Range &range, Print print) {
  os << key << "=";
  const char *separator = "";
  for (const auto &item : range) {
    os << separator << print(item);
    separator = " ";
  }
  os << "\n";
}

static void printSplits(llvm::raw_ostream &os, const Tree &tree) {
  auto number = [](auto value) { return std::to_string(value); };
  printArray(os, "split_feature", tree.splits,
             [&](const Split &s) { return number(s.feature); });
  printArray(os, "split_gain", tree.splits,
             [](const Split &s) { return brief(s.gain); });
  printArray(os, "threshold", tree.splits,
             [](const Split &s) { return full(s.threshold); });
  printArray(os, "decision_type", tree.splits, [&](const Split &s) {
    return number(int(s.categorical) + 2 * int(s.defaultLeft) +
                  4 * int(s.missing));
  });
  printArray(os, "left_child", tree.splits,
             [&](const Split &s) { return number(s.left); });
  printArray(os, "right_child", tree.splits,
             [&](const Split &s) { return number(s.right); });
}

static std::string printTree(const Tree &tree, size_t index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto number = [](auto value) { return std::to_string(value); };
  os << "Tree=" << index << "\nnum_leaves=" << tree.leaves.size()
     << "\nnum_cat=" << tree.categorySets.size() << "\n";
  printSplits(os, tree);
  printArray(os, "leaf_value", tree.leaves,
             [](const Leaf &l) { return full(l.value); });
  printArray(os, "leaf_weight", tree.leaves,
             [](const Leaf &l) { return full(l.weight); });
  printArray(os, "leaf_count", tree.leaves,
             [&](const Leaf &l) { return number(l.count); });
  printArray(os, "internal_value", tree.splits,
             [](const Split &s) { return brief(s.value); });
  printArray(os, "internal_weight", tree.splits,
             [](const Split &s) { return brief(s.weight); });
  printArray(os, "internal_count", tree.splits,
             [&](const Split &s) { return number(s.count); });
  if (!tree.categorySets.empty()) {
    std::vector<size_t> boundaries{0};
    std::vector<uint32_t> words;
    for (const std::vector<uint32_t> &set : tree.categorySets) {
      words.insert(words.end(), set.begin(), set.end());
      boundaries.push_back(words.size());
    }
    printArray(os, "cat_boundaries", boundaries, number);
    printArray(os, "cat_threshold", words, number);
  }
  os << "is_linear=0\nshrinkage=" << brief(tree.shrinkage) << "\n\n\n";
  return text;
}

std::string select::printLightGbm(const TreeModel &model) {
  std::vector<std::string> trees;
  for (size_t i = 0; i < model.trees.size(); ++i)
    trees.push_back(printTree(model.trees[i], i));
  std::string text;
  llvm::raw_string_ostream os(text);
  auto self = [](const std::string &value) { return value; };
  os << "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index="
        "0\nmax_feature_idx="
     << static_cast<int64_t>(model.featureNames.size()) - 1 << "\n";
  if (!model.objective.empty())
    os << "objective=" << model.objective << "\n";
  if (model.averaged)
    os << "average_output\n";
  printArray(os, "feature_names", model.featureNames, self);
  printArray(os, "feature_infos", model.featureInfos, self);
  printArray(os, "tree_sizes", trees, [](const std::string &tree) {
    return std::to_string(tree.size());
  });
  os << "\n";
  for (const std::string &tree : trees)
    os << tree;
  os << "end of trees\n\nfeature_importances:\n";
  std::vector<int64_t> counts = model.splitCounts();
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  for (size_t feature : order)
    if (counts[feature] > 0)
      os << model.featureNames[feature] << "=" << counts[feature] << "\n";
  os << "\nparameters:\n"
     << model.parameters << "\nend of parameters\n\npandas_categorical:null\n";
  return text;
}

llvm::Error select::writeLightGbm(const TreeModel &model,
                                  llvm::StringRef path) {
  return writeFileAtomically(path, printLightGbm(model));
}
