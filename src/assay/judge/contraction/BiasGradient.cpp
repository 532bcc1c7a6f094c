// The gradient of a bias, channel by channel.
#include "assay/judge/contraction/BiasGradient.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/contraction/Epilogue.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

Verdict judge::judgeBiasGradient(const Slot &grad, const float *values,
                                 const Slot &bias, const FillPlan &plan,
                                 llvm::ArrayRef<double> got) {
  int64_t mb = grad.dims[0], channels = grad.dims[1],
          area = channels > 0 && mb > 0 ? grad.elements() / mb / channels : 0;
  double relative = likelyBound(std::max(1.0, static_cast<double>(mb * area)),
                                0x1p-24, plan.kind);
  Verdict verdict;
  verdict.elements = channels;
  for (int64_t channel = 0; channel < channels; ++channel) {
    double sum = 0, absolute = 0;
    for (int64_t n = 0; n < mb; ++n)
      for (int64_t x = 0; x < area; ++x) {
        double v = values[(n * channels + channel) * area + x];
        sum += v;
        absolute += std::abs(v);
      }
    bool exact = plan.ofIntegers() && absolute / plan.unit <= 0x1p24;
    double error = exact ? 0 : relative * absolute,
           found = got[static_cast<size_t>(channel)];
    Interval interval = admissible(bias.type, sum, error);
    if (mayStore(bias.type, interval.low, interval.high, found))
      continue;
    ++verdict.failures;
    verdict.failing.push_back(channel);
    if (verdict.worst.size() < kWorstPoints)
      verdict.worst.push_back(
          {channel, found, sum, std::abs(found - sum), error});
  }
  return verdict;
}
