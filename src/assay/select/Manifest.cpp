// A manifest stores a hash of each problem's key, so that it stays small with
// thousands of problems.
#include "assay/select/Manifest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

#include <set>

using namespace assay;
using namespace assay::select;

static std::string digitsOf(llvm::StringRef key) {
  return llvm::utohexstr(llvm::xxh3_64bits(key), true, 16);
}

static std::set<std::string> seenBy(const Model &model) {
  std::set<std::string> seen;
  if (const llvm::json::Array *groups = model.manifest.getArray("seen_groups"))
    for (const llvm::json::Value &group : *groups)
      seen.insert(group.getAsString().value_or("").str());
  return seen;
}

llvm::json::Array select::seenProblems(const Samples &samples,
                                       const Model *parent) {
  std::set<std::string> seen =
      parent ? seenBy(*parent) : std::set<std::string>();
  llvm::json::Array all;
  for (const Samples::Group &group : samples.groups) {
    seen.erase(digitsOf(group.key));
    all.push_back(digitsOf(group.key));
  }
  for (const std::string &inherited : seen)
    all.push_back(inherited);
  return all;
}

std::vector<bool> select::findSeen(const Model &model, const Samples &samples) {
  std::set<std::string> known = seenBy(model);
  std::vector<bool> seen;
  for (const Samples::Group &group : samples.groups)
    seen.push_back(known.count(digitsOf(group.key)) > 0);
  return seen;
}

int64_t select::countSeen(const Model &model,
                          llvm::ArrayRef<std::string> keys) {
  std::set<std::string> known = seenBy(model);
  return llvm::count_if(keys, [&](const std::string &key) {
    return known.count(digitsOf(key)) > 0;
  });
}

namespace {
struct Size {
  const char *name;
  int64_t Samples::Group::*of;
  int64_t Shape::*asked;
};
} // namespace
static constexpr Size kSizes[] = {
    {"m", &Samples::Group::m, &Shape::m},
    {"n", &Samples::Group::n, &Shape::n},
    {"k", &Samples::Group::k, &Shape::k},
    {"batch", &Samples::Group::batch, &Shape::batch}};

/// The range of one size in a manifest; nullopt if there is none.
static std::optional<std::pair<int64_t, int64_t>>
rangeOf(const Model &model, llvm::StringRef name) {
  const llvm::json::Object *ranges = model.manifest.getObject("training_range");
  const llvm::json::Array *range = ranges ? ranges->getArray(name) : nullptr;
  if (!range || range->size() != 2)
    return std::nullopt;
  std::optional<int64_t> least = (*range)[0].getAsInteger(),
                         most = (*range)[1].getAsInteger();
  if (!least || !most)
    return std::nullopt;
  return std::pair(*least, *most);
}

llvm::json::Object select::trainingRange(const Samples &samples,
                                         const Model *parent) {
  llvm::json::Object ranges;
  for (const Size &size : kSizes) {
    int64_t least = samples.groups[0].*size.of, most = least;
    for (const Samples::Group &group : samples.groups) {
      least = std::min(least, group.*size.of);
      most = std::max(most, group.*size.of);
    }
    if (parent)
      if (auto inherited = rangeOf(*parent, size.name)) {
        least = std::min(least, inherited->first);
        most = std::max(most, inherited->second);
      }
    ranges[size.name] = llvm::json::Array{least, most};
  }
  return ranges;
}

std::string select::outsideOfTraining(const Model &model, const Shape &asked) {
  double farthest = 1;
  std::string text;
  for (const Size &size : kSizes) {
    auto range = rangeOf(model, size.name);
    auto own = static_cast<double>(asked.*size.asked);
    if (!range || own < 1 || range->first < 1)
      continue;
    double above = own / static_cast<double>(range->second),
           below = static_cast<double>(range->first) / own;
    if (std::max(above, below) <= farthest)
      continue;
    farthest = std::max(above, below);
    text = llvm::formatv("{0} = {1} is {2:f1} times {3} {0} of the training "
                         "({4})",
                         size.name, asked.*size.asked,
                         above > below ? above : 1 / below,
                         above > below ? "the greatest" : "the least",
                         above > below ? range->second : range->first)
               .str();
  }
  return text;
}
