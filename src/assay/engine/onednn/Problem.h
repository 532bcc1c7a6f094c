/// A problem from the plugin interface: tensors, attributes, and the other keys
/// of its JSON text, unchanged.
#pragma once

#include "assay/engine/assay_plugin.h"
#include "assay/engine/onednn/Version.h"
#include "llvm/Support/JSON.h"

#include <set>
#include <stdexcept>

namespace assay::engine::onednn {

using DataType = dnnl::memory::data_type;

/// A problem that oneDNN does not support; the text says why.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Tensor {
  std::string role;
  DataType type = DataType::undef;
  dnnl::memory::dims dims, strides;
  bool isOutput = false,
       any = false;   ///< any: the primitive chooses the layout
  std::string format; ///< a blocked layout, by oneDNN's name; empty: strides
  /// The layout of the caller's memory.
  Desc plain() const { return Desc(dims, type, strides); }
  /// The layout that the primitive should have: the blocked format that was
  /// requested, or the caller's.
  Desc descriptor() const;
  /// The requested layout: `any` or the tensor's own.
  Desc requested() const;
  /// The same elements, with dimensions of size 1 removed or appended until
  /// there are `rank`.
  Desc withRank(size_t rank) const;
  /// The layout in which the dimensions of a mask, and the strides that depend
  /// on them, are known only at run time. Throws Unsupported if the primitive
  /// chooses the layout.
  Desc atRunTime(int64_t mask) const;
  /// The tensor in the memory layout of `like`, which has the same sizes: for a
  /// primitive that has one layout for both.
  Desc storedAs(const Tensor &like) const;
};

/// One entry of scales or zero_points.
struct ValueEntry {
  std::string argument; ///< src src1 wei dst
  int mask = 0;
  double value = 1; ///< when mask is 0
  DataType type = DataType::undef;
  dnnl::memory::dims groups; ///< of the last dimensions; empty: no groups
  int dnnlArgument() const;
};

struct PostOp {
  std::string kind, name;
  float alpha = 0, beta = 0, scale = 1;
  int zeroPoint = 0, mask = 0;
  DataType type = DataType::undef;
};

struct Problem {
  std::string driver, direction, algorithm; ///< algorithm in lower case
  std::vector<Tensor> tensors;              ///< inputs, then outputs
  size_t inputCount = 0;
  std::vector<ValueEntry> scales, zeroPoints;
  std::vector<PostOp> postOps;
  llvm::json::Object json;
  /// The keys of the requests (`skip_impl`, ...) that were applied to the
  /// primitive.
  mutable std::set<std::string> taken;

  /// A request; empty when it was not made.
  std::string request(const char *key) const {
    return json.getString(key).value_or("").str();
  }

  bool isForward() const { return direction[0] == 'F'; }
  dnnl::prop_kind forwardKind() const;
  const Tensor *tensor(llvm::StringRef role) const;
  /// Throws Unsupported when the problem has no such tensor.
  const Tensor &need(llvm::StringRef role) const;
  /// The caller's data of an input, or null.
  const assay_tensor_t *find(llvm::StringRef role,
                             const assay_tensor_t *inputs) const;
  bool hasSum() const;
  /// A key of the JSON text that holds a number, or a number as text. Throws
  /// Unsupported.
  float number(llvm::StringRef key, double otherwise = 0) const;
  int64_t integer(llvm::StringRef key, int64_t otherwise = 0) const;
  /// Whether the text of `flags` contains the letter.
  bool flag(char letter) const;
  /// The values of PREFIX + d, h, w + SUFFIX for the spatial dimensions that
  /// the source has: `spatial("p", "_r")` are the right paddings.
  dnnl::memory::dims spatial(llvm::StringRef prefix,
                             llvm::StringRef suffix = "") const;
};

/// For 2.x, which describes both sides of `what` together: throws Unsupported
/// when their types differ.
void needOneType(const Tensor &a, const Tensor &b, const char *what);

/// Reads a problem from the plugin interface. Throws Unsupported.
Problem readProblem(const assay_problem_t &description);

int64_t elementCount(const assay_tensor_t &tensor);

/// Dense f32, bf16, f16, s32, s8 or u8 data as floats.
std::vector<float> readFloats(const assay_tensor_t &tensor);

} // namespace assay::engine::onednn
