// The text of an Einstein summation. Letters name dimensions, `...` stands for
// the dimensions that no letter names.
#include "assay/dialect/Einsum.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace assay::stablehlo {

using namespace mlir;

/// Replaces the ellipsis of one operand or the result. `rank` < 0 means that
/// the ellipsis stands for `ellipsisRank` dimensions.
static FailureOr<std::string> expand(StringRef text, int64_t rank,
                                     int64_t &ellipsisRank, EmitError error) {
  auto [before, after] = text.split("...");
  bool hasEllipsis = text.contains("...");
  std::string letters = (before + after).str();
  for (char c : letters)
    if (!llvm::isAlpha(c))
      return error() << "'einsum_config' must name dimensions by letters, got '"
                     << std::string(1, c) << "'";
  int64_t extra =
      rank < 0 ? ellipsisRank : rank - static_cast<int64_t>(letters.size());
  if (extra < 0 || (!hasEllipsis && rank >= 0 && extra != 0))
    return error() << "'" << text
                   << "' of 'einsum_config' does not fit an operand of rank "
                   << rank;
  std::string expanded = before.str();
  if (hasEllipsis) {
    for (int64_t i = extra; i > 0; --i)
      expanded.push_back(
          static_cast<char>(i)); // aligned at the right: the last dimension is
                                 // 1
    ellipsisRank = std::max(ellipsisRank, extra);
  }
  return expanded + after.str();
}

FailureOr<EinsumLabels> parseEinsum(StringRef config, ArrayRef<int64_t> ranks,
                                    EmitError error) {
  auto [left, right] = config.split("->");
  if (!config.contains("->"))
    return error() << "'einsum_config' must have the form \"ab,bc->ac\", got \""
                   << config << "\"";
  SmallVector<StringRef, 2> parts;
  left.split(parts, ',');
  if (parts.size() != ranks.size())
    return error() << "'einsum_config' must describe " << ranks.size()
                   << " operands, got " << parts.size();
  EinsumLabels labels;
  int64_t ellipsisRank = 0;
  for (auto [part, rank] : llvm::zip_equal(parts, ranks)) {
    FailureOr<std::string> input = expand(part, rank, ellipsisRank, error);
    if (failed(input))
      return failure();
    labels.inputs.push_back(*input);
  }
  FailureOr<std::string> output = expand(right, -1, ellipsisRank, error);
  if (failed(output))
    return failure();
  labels.output = *output;
  for (auto [index, label] : llvm::enumerate(labels.output)) {
    if (llvm::none_of(labels.inputs, [&](const std::string &input) {
          return llvm::is_contained(input, label);
        }))
      return error() << "output label '" << std::string(1, label)
                     << "' of 'einsum_config' is in no operand";
    if (labels.output.find(label, index + 1) != std::string::npos)
      return error() << "output label '" << std::string(1, label)
                     << "' of 'einsum_config' is repeated";
  }
  return labels;
}

FailureOr<Dims> inferEinsum(const EinsumLabels &labels,
                            ArrayRef<Shape> operands, EmitError error) {
  std::map<char, int64_t> sizes;
  for (auto [input, shape] : llvm::zip_equal(labels.inputs, operands))
    for (auto [label, size] : llvm::zip_equal(input, shape)) {
      auto [known, isNew] = sizes.insert({label, size});
      if (isNew || known->second == size || ShapedType::isDynamic(size))
        continue;
      bool broadcasts =
          !llvm::isAlpha(label) && (size == 1 || known->second == 1);
      if (!broadcasts && !ShapedType::isDynamic(known->second))
        return error() << "dimension '" << std::string(1, label)
                       << "' of 'einsum_config' has sizes " << known->second
                       << " and " << size;
      known->second = broadcasts ? std::max(size, known->second) : size;
    }
  Dims result;
  for (char label : labels.output)
    result.push_back(sizes[label]);
  return result;
}

} // namespace assay::stablehlo
