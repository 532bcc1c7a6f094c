/// What a driver knows that the rest of verify does not: its descriptor's text,
/// its tensors' sizes, which knobs govern it, and its defaults. One file and
/// one row of Drivers.def each; expansion, statuses and report know no driver.
#pragma once

#include "assay/verify/Problem.h"

namespace assay::verify {

struct Driver {
  DriverKind kind;
  const char *name;
  /// Fills descriptor (or matmul, path) and name from a problem token; applies
  /// `mb` when it is not 0.
  llvm::Error (*parse)(llvm::StringRef token, int64_t mb, Problem &problem);
  /// Sizes of src, wei, dst in the logical order.
  Dims (*dims)(const Problem &problem, Role role);
  Dims (*biasDims)(const Problem &problem);
  std::string (*text)(const Problem &problem);
  /// The tokens that one token stands for (op: FILE@* is each public function
  /// of the file); null: itself.
  llvm::Expected<std::vector<std::string>> (*tokens)(llvm::StringRef token);
  double (*operations)(const Problem &problem);
  bool hasDirections; ///< takes --dir, --mb
  bool hasAlgorithm;  ///< takes --alg
  bool hasStrides;    ///< takes --strides
  bool hasBiasMask;   ///< takes --bia_mask
};

const Driver &driver(DriverKind kind);
/// nullptr when there is none of that name.
const Driver *findDriver(llvm::StringRef name);

// ---- shared by conv, deconv and ip ----

/// One letter group of a descriptor and where its number goes; "n" and '_' are
/// handled by the reader.
struct DescriptorField {
  const char *letters;
  int64_t Descriptor::*member;
};
/// Reads "mb2ic64ih56...n\"name\"" into `fields`; unknown letters, missing or
/// negative numbers and sizes beyond 2^40 are errors that name the letter.
/// `given` gets a bit for each field that was written.
llvm::Error readDescriptor(llvm::StringRef token,
                           llvm::ArrayRef<DescriptorField> fields,
                           Descriptor &descriptor, uint32_t &given,
                           std::string &name);
/// Defaults, output or padding derivation and right padding of conv (transposed
/// = false) and deconv (true).
llvm::Expected<Descriptor> readConvolution(llvm::StringRef token,
                                           bool transposed, std::string &name);
std::string convolutionText(const Descriptor &descriptor);
Dims spatial(int ndims, int64_t d, int64_t h, int64_t w);
/// Multiply-adds of a convolution times two without taps that fall into the
/// padding.
double convolutionOperations(const Descriptor &conv);

} // namespace assay::verify
