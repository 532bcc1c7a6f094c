/// The first NaN or Inf of a recording: its producer, and how it spread.
#pragma once

#include "assay/trace/DumpName.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace assay::trace {

/// A recorded tensor, in the order of the recording.
struct FiniteItem {
  DumpName name;
  int64_t notFinite = 0; ///< elements of the kind that is searched for
  bool infinite = false; ///< it has an Inf, where NaN are searched for
};

struct NotFiniteOrigin {
  /// The maker of the first tensor that has one.
  enum class Maker {
    Module,    ///< an output of a module or operator, whose inputs have none
    Code,      ///< the code of a module, between its children
    Backward,  ///< a module's backward pass, or code after the module in it
    Parameter, ///< a parameter or buffer had it already
    Input      ///< the inputs of the model had it
  } maker = Maker::Input;
  std::string module;               ///< the maker's module; empty: the model
                                    ///< itself
  std::string tensor;               ///< the first tensor that has one
  int64_t step = -1, position = -1; ///< the tensor's, in the recording
  int64_t notFinite = 0;
  bool fromInfinite = false; ///< the inputs of its maker have an Inf
  /// The modules without children (or operators) that passed it on, in order.
  std::vector<std::string> path;
  int64_t tensors = 0;   ///< tensors that have one, from there on
  bool atTheEnd = false; ///< the step's last forward output has one
};

/// Nullopt: every tensor is finite. Memory that was never written (aten.empty) does
/// not count.
std::optional<NotFiniteOrigin> findNotFinite(llvm::ArrayRef<FiniteItem> items);

/// One rank's tensors.
struct RankItems {
  int64_t rank = 0;
  std::vector<FiniteItem> items;
};
/// The first origin of all ranks, and the first tensors of the others.
struct RankOrigin {
  int64_t rank = 0;
  NotFiniteOrigin origin;
  std::vector<std::pair<int64_t, std::string>> others; ///< rank, tensor
};
/// Ranks of one model record in the same order: the first is the one in the
/// earliest step, made on its rank rather than received, and at the earliest
/// position. Nullopt: every tensor is finite.
std::optional<RankOrigin> findNotFinite(llvm::ArrayRef<RankItems> ranks);

/// "'net.1.Linear.0.forward_output.0' of step 1 (3 elements), which 'net.1' made
/// from inputs without one; it spread through net.2, net.3: 7 tensors, the last
/// output among them".
std::string describe(const NotFiniteOrigin &origin);
llvm::json::Object notFiniteJson(const NotFiniteOrigin &origin);

} // namespace assay::trace
