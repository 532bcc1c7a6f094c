// The table of allowances, by function.
#include "assay/judge/Accuracy.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;

namespace {
struct Row {
  llvm::StringRef name;
  Accuracy accuracy;
};
} // namespace

static constexpr Row kRows[] = {
    {"logistic", {2, 6e-8}},
    {"swish", {4, 1.5e-7}},
    {"tanh", {4, 6e-8}},
    {"mish", {8, 1.5e-6}},
    {"gelu_tanh", {8, 5e-7}},
    {"gelu_erf", {8, 7e-7}},
    {"hardsigmoid", {4, 1e-7}},
    {"hardswish", {8, 1e-7}},
    {"sqrt", {1, 0}},
    {"exp", {8, 0x1p-125}}, // below -86.9 some return the smallest normal
    {"log", {8, 5e-6}},
    {"soft_relu", {8, 1.2e-5}}};

Accuracy judge::eltwiseAccuracy(llvm::StringRef name, double alpha,
                                double beta) {
  if (name == "elu")
    return {8, 2e-7 * std::max(1.0, std::abs(alpha))};
  if (name == "pow")
    return {beta == 0 || beta == 1 || beta == 2 ? 2.0 : 16.0, 0};
  for (const Row &row : kRows)
    if (name == row.name)
      return row.accuracy;
  return {};
}
