/// The data of one round of a contraction, passed from stage to stage.
#pragma once

#include "assay/engine/Arena.h"
#include "assay/engine/Unwritten.h"
#include "assay/judge/contraction/Fill.h"
#include "assay/verify/Lowering.h"

namespace assay::verify {

struct ContractionData {
  judge::FillPlan plan;
  std::vector<engine::Placement> places; ///< per slot
  /// Per slot: the logical floats of inputs, and of the output before a sum.
  std::vector<float *> values;
  const float *a = nullptr,
              *b = nullptr; ///< the factors with zero points subtracted
  std::vector<float> effectiveA, effectiveB;
  int64_t zeros = 0; ///< exact data: the number of elements of a and b that are
                     ///< 0 after zero points are subtracted
  int64_t arenaUsed = 0;
};

} // namespace assay::verify
