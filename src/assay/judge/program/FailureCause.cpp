// Each cause is tried by a further run of the reference that has it: it fits
// where the failing elements are those of that run.
#include "assay/judge/program/FailureCause.h"
#include "assay/judge/FastConvolution.h"
#include "assay/judge/audit/WrongPrograms.h"
#include "assay/judge/program/Evaluations.h"
#include "assay/numerics/Convert.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

/// Numbers of arguments and result up to which a program is run again to find
/// the cause of a failure.
static constexpr int64_t kMostNumbers = 1 << 20;
/// An error is said to be as large as the effect of moved arguments up to this
/// many times that effect.
static constexpr double kOfThatSize = 4;

static const program::Value &expected(const FailedResult &failed) {
  return failed.truth.results[failed.index];
}

/// Numbers per element: 2 for complex.
static size_t partsOf(const FailedResult &failed) {
  return expected(failed).tensor().elementType().isComplex() ? 2 : 1;
}

/// The numbers of these elements of the result; complex: parts interleaved.
static std::vector<double> numbersOf(const FailedResult &failed,
                                     const void *bytes) {
  const Tensor &tensor = expected(failed).tensor();
  std::vector<double> numbers(static_cast<size_t>(tensor.size()) *
                              partsOf(failed));
  numerics::convertArray(tensor.elementType(), bytes,
                         wideType(tensor.elementType()), numbers.data(),
                         tensor.size());
  return numbers;
}

static double boundOf(const FailedResult &failed, int64_t index) {
  const Errors &errors = failed.truth.errors[failed.index];
  return errors ? (*errors)[static_cast<size_t>(index)] : 0;
}

static bool isLarge(const FailedResult &failed) {
  int64_t numbers = expected(failed).tensor().size();
  for (const Tensor &input : failed.inputs)
    numbers += input.size();
  return numbers > kMostNumbers;
}

/// How many failing elements have only numbers that a cause explains. The
/// callback gets `k`, a number of the result, and `index`, its element.
static int64_t
countExplained(const FailedResult &failed,
               llvm::function_ref<bool(int64_t index, size_t k)> explains) {
  size_t parts = partsOf(failed);
  return llvm::count_if(failed.verdict.failing, [&](int64_t index) {
    size_t first = static_cast<size_t>(index) * parts;
    return llvm::all_of(llvm::seq(first, first + parts),
                        [&](size_t k) { return explains(index, k); });
  });
}

static std::string asIfFlushed(const FailedResult &failed) {
  if (!hasSubnormals(expected(failed).tensor()) &&
      llvm::none_of(failed.inputs, hasSubnormals))
    return "";
  llvm::Expected<std::vector<program::Value>> flushed =
      evaluateFlushed(failed.program, failed.entry, failed.inputs, failed.pool,
                      failed.maxSeconds);
  if (!flushed) {
    llvm::consumeError(flushed.takeError());
    return "";
  }
  if (flushed->size() <= failed.index || !(*flushed)[failed.index].isTensor())
    return "";
  std::vector<double> like = exactValues((*flushed)[failed.index]),
                      got = numbersOf(failed, failed.bytes);
  int64_t same = countExplained(failed, [&](int64_t index, size_t k) {
    return got[k] == like[k] || (std::isnan(got[k]) && std::isnan(like[k])) ||
           std::fabs(got[k] - like[k]) <= boundOf(failed, index);
  });
  auto all = static_cast<int64_t>(failed.verdict.failing.size());
  return 2 * same < all
             ? ""
             : llvm::formatv("as if subnormals were flushed: {0} of {1}", same,
                             all)
                   .str();
}

/// Whether the factors of products were rounded to a narrower type, as tensor
/// cores do with f32 unless they are told not to.
static std::string asIfFactorsRounded(const FailedResult &failed) {
  if (isLarge(failed))
    return "";
  std::vector<double> exact = exactValues(expected(failed)),
                      got = numbersOf(failed, failed.bytes);
  for (const FactorRounding &rounding : factorRoundings()) {
    llvm::Expected<std::shared_ptr<const program::Program>> rounded =
        withRoundedFactors(*failed.program, rounding);
    if (!rounded) {
      llvm::consumeError(rounded.takeError());
      continue;
    }
    if (!*rounded)
      return "";
    llvm::Expected<std::vector<program::Value>> like = evaluateOnce(
        *rounded, failed.entry, failed.inputs, failed.pool, failed.maxSeconds);
    llvm::Expected<Tensor> dense =
        like ? (*like)[failed.index].tensor().dense() : like.takeError();
    if (!dense) {
      llvm::consumeError(dense.takeError());
      return "";
    }
    std::vector<double> numbers = numbersOf(failed, dense->bytes());
    int64_t same = countExplained(failed, [&](int64_t, size_t k) {
      return isExplainedBy(numbers[k], got[k], exact[k]);
    });
    std::string words = roundedFactorsText(
        rounding, same, static_cast<int64_t>(failed.verdict.failing.size()));
    if (!words.empty())
      return words;
  }
  return "";
}

/// Whether the program's convolutions may have been computed by transforms.
static std::string asIfTransformed(const FailedResult &failed) {
  if (isLarge(failed))
    return "";
  llvm::Expected<std::shared_ptr<const program::Program>> fast =
      program::Program::copyOf(failed.program->module(),
                               failed.program->name());
  if (!fast || !allowFastConvolutions(**fast)) {
    llvm::consumeError(fast.takeError());
    return "";
  }
  llvm::Expected<ProgramTruth> truth =
      computeTruth(*fast, failed.entry, failed.inputs, failed.pool,
                   failed.maxSeconds, failed.truth.demands);
  if (!truth) {
    llvm::consumeError(truth.takeError());
    return "";
  }
  if (truth->results.size() <= failed.index || !truth->errors[failed.index])
    return "";
  std::vector<double> exact = exactValues(expected(failed)),
                      got = numbersOf(failed, failed.bytes);
  const std::vector<double> &allowed = *truth->errors[failed.index];
  int64_t same = countExplained(failed, [&](int64_t index, size_t k) {
    double room = allowed[static_cast<size_t>(index)];
    return std::isfinite(room) && std::fabs(got[k] - exact[k]) <= room;
  });
  auto all = static_cast<int64_t>(failed.verdict.failing.size());
  return 10 * same < 9 * all
             ? ""
             : llvm::formatv("as if convolutions were computed by transforms "
                             "(Winograd, FFT): {0} of {1}; algorithm=\"wino\" "
                             "in Python and --alg=wino in words allow them",
                             same, all)
                   .str();
}

static bool isWide(const Tensor &input) {
  return !isFloating(program::Value(input)) ||
         numerics::formatInfo(input.elementType().part().format).precision() >=
             24;
}

/// Whether the errors are no larger than those of arguments moved in their last
/// place: then another form of the formula was used, which is worse where its
/// terms cancel.
static std::string asIfArgumentsMoved(const FailedResult &failed) {
  if (isLarge(failed) || !llvm::all_of(failed.inputs, isWide))
    return "";
  llvm::Expected<std::vector<std::vector<double>>> moves =
      movesWithArguments(failed.program, failed.entry, failed.inputs,
                         failed.pool, failed.maxSeconds);
  if (!moves) {
    llvm::consumeError(moves.takeError());
    return "";
  }
  std::vector<double> exact = exactValues(expected(failed)),
                      got = numbersOf(failed, failed.bytes);
  if (moves->size() <= failed.index ||
      (*moves)[failed.index].size() != got.size())
    return "";
  size_t parts = partsOf(failed);
  int64_t small = 0, cancelling = 0, all = 0;
  for (int64_t index : failed.verdict.failing)
    for (size_t i = 0; i < parts; ++i) {
      size_t k = static_cast<size_t>(index) * parts + i;
      double moved = (*moves)[failed.index][k];
      ++all;
      small += std::fabs(got[k] - exact[k]) <= kOfThatSize * moved;
      cancelling += moved > 2 * boundOf(failed, index);
    }
  if (10 * small < 9 * all || 2 * cancelling < all)
    return "";
  return llvm::formatv(
             "as if arguments had another last place: {0} of {1}: a form that "
             "is equal in real numbers (a*b + a*c for a*(b + c)) loses digits "
             "where its terms cancel; compilers keep the form that is written",
             small, all)
      .str();
}

std::string judge::knownCause(const FailedResult &failed) {
  if (!isFloating(expected(failed)) || failed.verdict.failing.empty())
    return "";
  for (auto *asIf : {asIfFlushed, asIfFactorsRounded, asIfTransformed,
                     asIfArgumentsMoved})
    if (std::string words = asIf(failed); !words.empty())
      return words;
  return "";
}
