/// A verification problem as the grammar describes it: driver, descriptor, data
/// types, memory formats and attributes, every value single (no lists).
/// Lowering.h turns it into arithmetic, ContractionProgram.h into StableHLO.
#pragma once

#include "assay/judge/contraction/Case.h"
#include "assay/verify/Attributes.h"
#include "assay/verify/DataType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::program {
class Program;
}

namespace assay::verify {

using judge::Algorithm;
using judge::Dims;

enum class Direction : uint8_t { FwdB, FwdD, FwdI, BwdD, BwdW, BwdWB };
const char *nameOf(Direction direction);
inline bool isForward(Direction d) { return d <= Direction::FwdI; }
inline bool hasBiasFlag(Direction d) {
  return d == Direction::FwdB || d == Direction::BwdWB;
}
inline bool isBackwardWeights(Direction d) {
  return d == Direction::BwdW || d == Direction::BwdWB;
}

struct Driver;
struct RunOptions;

/// Sizes of a convolution, deconvolution or inner product, after all
/// derivations. A missing spatial dimension is 1 (input, kernel, output,
/// stride) or 0 (padding, dilation). `dd dh dw` count skipped taps: 0 = dense.
struct Descriptor {
  int64_t g = 1, mb = 2, ic = 0, id = 1, ih = 1, iw = 1, oc = 0, od = 1, oh = 1,
          ow = 1, kd = 1, kh = 1, kw = 1;
  int64_t sd = 1, sh = 1, sw = 1, pd = 0, ph = 0, pw = 0, pdR = 0, phR = 0,
          pwR = 0, dd = 0, dh = 0, dw = 0;
  bool hasGroups = false;
  int ndims = 4; ///< of src and dst: 3, 4 or 5 (inner product: 2 to 5)
};

/// Sizes of a (batched) matrix multiplication: src [B.., m, k], wei [B.., k,
/// n]; a batch size of 1 broadcasts.
struct MatmulSizes {
  Dims src, wei, dst;
  int64_t m = 0, n = 0, k = 0;
};

enum class Role : uint8_t { Src, Wei, Dst };

struct Problem {
  const Driver *driver = nullptr;
  Direction direction = Direction::FwdB;
  std::array<ElementType, 3> types{types::F32, types::F32,
                                   types::F32}; ///< src, wei, dst
  ElementType biasType = types::None;
  int biasMask = 2; ///< matmul: bit d = the bias has dimension d of dst
  std::array<std::string, 3> tags{"any", "any", "any"}; ///< src, wei, dst
  std::array<Dims, 3> strides;                          ///< empty = not given
  Algorithm algorithm = Algorithm::Direct;
  Attributes attributes;
  Descriptor descriptor;    ///< conv, deconv, ip
  MatmulSizes matmul;       ///< matmul
  std::vector<Dims> shapes; ///< drivers whose descriptor is a list of sizes
  /// Values of the driver's own knobs, canonical, by name.
  std::map<std::string, std::string> own;
  /// Requests to the engine beyond the values (Requests.h), by knob;
  /// defaults are left out.
  std::map<std::string, std::string> requests;
  /// Knobs that Assay does not support, as written, for the repro line.
  std::vector<std::string> refused;
  std::string path; ///< op: the program's file; otherwise the token when it
                    ///< could not be read
  std::string name; ///< n"..." suffix, as written
  std::shared_ptr<const program::Program> source; ///< op: the file's program
  std::string unimplemented; ///< the feature that Assay lacks for it, or empty
  std::string invalid;       ///< why it is invalid, or empty
  std::string repro;         ///< arguments that reproduce exactly this problem
  std::shared_ptr<const RunOptions> options;

  ElementType type(Role role) const { return types[static_cast<int>(role)]; }
  bool hasBias() const { return biasType != types::None; }
  /// The value of one of the driver's own knobs.
  llvm::StringRef knob(const char *name) const;
  const char *driverName() const;
  /// Logical sizes of the tensors src, wei, dst and bias; empty where the driver
  /// has none.
  Dims dims(Role role) const;
  Dims biasDims() const;
  /// Twice the number of multiply-adds, without taps in the padding.
  double operations() const;
};

/// "256x512:512x1024" or "mb1ic64ih56...", without the name.
std::string descriptorText(const Problem &problem);
/// The knobs of the problem that are not at their default, then the descriptor;
/// `canonical` prints all of them.
std::string reproText(const Problem &problem, bool canonical);

std::string toText(const Dims &dims);

} // namespace assay::verify
