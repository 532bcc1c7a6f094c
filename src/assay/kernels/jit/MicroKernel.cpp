// The keys of micro-kernels and the facts about each kind of step that packing,
// emitters and checks share.
#include "assay/kernels/jit/MicroKernel.h"

namespace assay::kernels {

int groupOf(MicroMath math) {
  switch (math) {
  case MicroMath::F32:
  case MicroMath::F64:
    return 1;
  case MicroMath::BF16Pairs:
  case MicroMath::ShortPairs:
  case MicroMath::AmxBf16:
    return 2;
  case MicroMath::ByteQuads:
  case MicroMath::AmxBytes:
    return 4;
  }
  return 1;
}

int packedBytesOf(MicroMath math) {
  switch (math) {
  case MicroMath::F32:
    return 4;
  case MicroMath::F64:
    return 8;
  case MicroMath::BF16Pairs:
  case MicroMath::ShortPairs:
  case MicroMath::AmxBf16:
    return 2;
  case MicroMath::ByteQuads:
  case MicroMath::AmxBytes:
    return 1;
  }
  return 1;
}

DataType accumulatorOf(MicroMath math) {
  if (math == MicroMath::F64)
    return DataType::F64;
  return math == MicroMath::ByteQuads || math == MicroMath::ShortPairs ||
                 math == MicroMath::AmxBytes
             ? DataType::S32
             : DataType::F32;
}

double cyclesPerProduct(MicroMath math) {
  return math == MicroMath::BF16Pairs ? 1.75 : 0.5;
}

int depthMultipleOf(MicroMath math) {
  return isAmx(math) ? 64 / packedBytesOf(math) : groupOf(math);
}

MicroMath mathOf(const GemmConfig &config, TypePair types, const Isa &isa) {
  if (config.family == Family::Amx)
    return types.a == DataType::BF16 ? MicroMath::AmxBf16 : MicroMath::AmxBytes;
  return mathFor(types, isa);
}

MicroMath mathFor(TypePair types, const Isa &isa) {
  switch (types.a) {
  case DataType::F64:
    return MicroMath::F64;
  case DataType::BF16:
    return isa.bf16 ? MicroMath::BF16Pairs : MicroMath::F32;
  case DataType::S8:
  case DataType::U8:
    return isa.vnni ? MicroMath::ByteQuads : MicroMath::ShortPairs;
  default:
    return MicroMath::F32;
  }
}

std::string MicroKey::text() const {
  static constexpr const char *kForms[] = {"tile", "dot", "depthwise"};
  static constexpr const char *kMaths[] = {
      "f32", "f64", "bf16x2", "u8x4", "s16x2", "amxbf16", "amxbytes"};
  static constexpr const char *kPipelines[] = {"plain", "pipe", "pf"};
  static constexpr const char *kAForms[] = {"ap", "ar", "ac", "aw", "acw"};
  std::string runs = form == MicroForm::Depthwise
                         ? llvm::formatv("_r{0}x{1}_i{2}o{3}_{4}", run, apart,
                                         inputs, only, toString(cType)).str()
                     : tileRounds() ? std::string("_") + toString(cType)
                                    : "";
  return llvm::formatv("{0}_{1}_{2}x{3}_u{4}_{5}{6}_{7}_b{8}{9}{10}_{11}_{12}{13}",
                       kForms[static_cast<int>(form)],
                       kMaths[static_cast<int>(math)], rows, columns, unroll,
                       kPipelines[static_cast<int>(pipeline)], prefetch,
                       kAForms[static_cast<int>(aForm)],
                       bPacked   ? 'p'
                       : bMasked ? 'm'
                                 : 'n',
                       bUnsigned ? 'u' : 's', flipA ? "x" : "", toString(aType),
                       toString(bType), runs)
      .str();
}

void setScalars(MicroArguments &arguments, DataType accumulator, double alpha,
                double beta) {
  arguments.alpha.bits = arguments.beta.bits = 0;
  if (accumulator == DataType::F64) {
    arguments.alpha.f64 = alpha;
    arguments.beta.f64 = beta;
  } else if (accumulator == DataType::F32) {
    arguments.alpha.f32 = static_cast<float>(alpha);
    arguments.beta.f32 = static_cast<float>(beta);
  } else {
    arguments.alpha.s32 = static_cast<int32_t>(alpha);
    arguments.beta.s32 = static_cast<int32_t>(beta);
  }
}

} // namespace assay::kernels
