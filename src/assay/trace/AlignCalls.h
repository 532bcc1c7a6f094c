/// Calls of modules as the alignment sees them. Private to the alignment.
#pragma once

#include "assay/trace/Align.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::trace {
class DataFlow;
}

namespace assay::trace::align {

/// All tensors of one call of one module within a step.
struct Call {
  std::string module, className, text; ///< text: module, class and counter
  int64_t counter = -1;
  int64_t ordinal =
      0; ///< of the call among the calls of its module, in order of appearance
  std::vector<int64_t> items;    ///< indices into the list of items
  std::vector<unsigned> path;    ///< interned components of the module's path
  std::vector<unsigned> numbers; ///< the components that are numbers
  bool numbered = false;  ///< isNumbered(module): only its place is known
  unsigned operation = 0; ///< a PyTorch operator's name without overload
  unsigned classId = 0;
  std::vector<uint64_t>
      shapes; ///< sorted: one hash of (kind, item, shape) each
  std::vector<uint64_t>
      outputShapes;               ///< sorted: of (kind, shape) of the outputs
  std::vector<uint64_t> contents; ///< sorted: hashes of the data of tensors of
                                  ///< more than 16 elements
  std::vector<uint64_t> flow;     ///< sorted: the origin of each input (an
                                  ///< operator, a parameter)
  uint64_t shapesKey = 0;         ///< hash of `shapes`
  uint64_t inputsKey = 0;         ///< hash of the inputs' part of `shapes`
  uint64_t fedBy = 0;   ///< numbered calls: a hash of the bench's calls, or
                        ///< counterparts of them, that made the inputs; 0: not
                        ///< known
  int64_t partner = -1; ///< index of the other side's call
  double confidence = 0;
  const char *how = "";
};

/// Maps words to numbers, equal on both sides.
class Interner {
public:
  unsigned id(llvm::StringRef word);
  llvm::StringRef word(unsigned id) const { return words_[id]; }

private:
  llvm::StringMap<unsigned> ids_;
  std::vector<std::string> words_;
};

/// The calls of the items listed in `indices`, in order of their first tensor.
std::vector<Call> groupCalls(llvm::ArrayRef<AlignItem> items,
                             llvm::ArrayRef<int64_t> indices,
                             const DataFlow &graph, Interner &words);

/// The similarity of two calls, 0 to 1: 0.3 path (longest common subsequence of
/// components; halved when the numbers in it differ), 0.2 class (edit
/// distance), 0.5 shapes (shared kinds and shapes). Equal data raise it;
/// outputs of other shapes halve it, so that a fused module is not paired with
/// one of its parts. For numbered calls the path counts nothing, the origin of
/// their inputs counts more than their shapes, and equal data count most.
double similarity(const Call &a, const Call &b, const Interner &words);

/// Pairs calls between `first` and `last` of both sides that have no partner
/// yet, by global alignment.
void alignGap(std::vector<Call> &target, std::vector<Call> &bench,
              llvm::ArrayRef<int64_t> targetFree,
              llvm::ArrayRef<int64_t> benchFree, const Interner &words);

/// Pairs two calls.
void join(std::vector<Call> &target, std::vector<Call> &bench, int64_t t,
          int64_t b, double confidence, const char *how);

} // namespace assay::trace::align
