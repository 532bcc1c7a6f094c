#include "assay/kernels/families/tile/TileGemm.h"

#include <algorithm>

namespace assay::kernels {

MicroKey tileKey(const GemmProblem &problem, const GemmConfig &config,
                 const Isa &isa, int rows) {
  MicroKey key;
  key.math = mathOf(config, problem.types(), isa);
  key.rows = rows;
  key.columns = config.nr / isa.lanes(accumulatorOf(key.math));
  key.unroll = std::max(1, config.kr / groupOf(key.math));
  key.pipeline = config.pipeline;
  key.prefetch = config.prefetch;
  key.aForm = config.packA == Packing::Pack  ? AForm::Packed
              : problem.aStrides.column == 1 ? AForm::RowMajor
                                             : AForm::ColumnMajor;
  key.bPacked = config.packB == Packing::Pack;
  if (key.math == MicroMath::ByteQuads) {
    key.bUnsigned = problem.b == DataType::U8;
    key.flipA = problem.a == problem.b;
  }
  // A vector tile reads only packed words, whatever the type in memory; tile
  // registers distinguish signed and unsigned types.
  key.aType = isAmx(key.math) ? problem.a : accumulatorOf(key.math);
  key.bType = isAmx(key.math) ? problem.b : accumulatorOf(key.math);
  if (isAmx(key.math))
    key.unroll = 1;
  return key;
}

} // namespace assay::kernels
