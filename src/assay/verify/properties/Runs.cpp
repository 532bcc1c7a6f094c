// The engine on one set of arguments, in the ways that properties need; the
// comparison of two results, by bits or within the distance of two correct
// results.
#include "assay/judge/Verdict.h"
#include "assay/numerics/Convert.h"
#include "assay/verify/Options.h"
#include "assay/verify/session/Running.h"
#include "assay/verify/properties/Ask.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::verify;
using engine::WorkerResult;
using numerics::ElementType;
using tensor::Tensor;

static std::vector<double> toDoubles(ElementType type, const std::byte *bytes,
                                     int64_t count) {
  int64_t parts = type.isComplex() ? 2 : 1;
  std::vector<double> values(static_cast<size_t>(count * parts));
  numerics::convertArray(
      type, bytes,
      type.isComplex() ? ElementType::complex(numerics::FloatFormat::F64)
                       : ElementType::floating(numerics::FloatFormat::F64),
      values.data(), count);
  return values;
}

PropertyRuns::PropertyRuns(const PlannedProblem &planned, Resources &resources)
    : planned(planned), resources_(resources),
      base_(programCase(planned.problem, planned.bound,
                        planned.offeredOrNull()),
            resources) {}

llvm::Error PropertyRuns::fill(FillKind kind) {
  plain_.reset();
  allowed_.clear();
  if (llvm::Error error = base_.fill({kind, 0}))
    return error;
  inputs = base_.inputs();
  return llvm::Error::success();
}

llvm::Error PropertyRuns::allowRoundings() {
  areBitsWanted_ = false;
  if (!allowed_.empty())
    return llvm::Error::success();
  base_.setInputs(inputs);
  if (llvm::Error error = base_.expect({}))
    return error;
  allowed_ = base_.truth().errors;
  return llvm::Error::success();
}

ProgramTrial &PropertyRuns::with(ProgramCase c) {
  if (ready_.first != &base_)
    ready_ = {};
  other_ = std::make_unique<ProgramTrial>(std::move(c), resources_);
  return *other_;
}

std::optional<Results> PropertyRuns::run(ProgramTrial &trial,
                                         llvm::ArrayRef<Tensor> data, RunForm form) {
  int threads = form.threads < 0 ? resources_.threads() : form.threads;
  last_ = {};
  if (ready_ != std::pair<const ProgramTrial *, int>(&trial, threads)) {
    ready_ = {};
    WorkerResult created;
    bool isReady =
        create(trial, threads, *tested_, resources_, created, last_);
    last_.reason = created.reason; // as the engine words it
    if (!isReady)
      return std::nullopt;
    ready_ = {&trial, threads};
  }
  trial.setInputs(data);
  llvm::Expected<std::vector<engine::Placement>> places =
      put(trial, form.guard, form.unwritten, resources_);
  if (!places) {
    end(Status::Skipped, places.takeError(), last_);
    return std::nullopt;
  }
  {
    Resources::Timer timer(resources_, "execute");
    last_.status = execute(*places, form.unwritten, "", *trial.problem.options,
                           *tested_, last_);
  }
  if (last_.status != Status::Passed)
    return std::nullopt;
  return trial.denseResults();
}

const Results *PropertyRuns::plain() {
  if (!plain_)
    plain_ = run(RunForm());
  return plain_ ? &*plain_ : nullptr;
}

Answer PropertyRuns::gone() const {
  if (last_.status == Status::Skipped)
    return {Answer::Kind::NotAsked, "the engine refuses it: " + last_.reason};
  return {Answer::Kind::Stopped, last_.reason};
}

Answer PropertyRuns::compare(
    const Results &first, const Results &second, const std::string &what,
    const std::function<bool(size_t, int64_t)> &looksAt) const {
  for (size_t r = 0; r < first.size(); ++r) {
    const ProgramCase::Item &item = result(r);
    ElementType type = item.type.element;
    auto width = static_cast<size_t>(type.storageBytes());
    int64_t count = item.elements(), parts = type.isComplex() ? 2 : 1;
    std::vector<double> a, b;
    judge::Errors allowed = areBitsWanted_ ? nullptr : allowed_[r];
    if (allowed) {
      a = toDoubles(type, first[r].data(), count);
      b = toDoubles(type, second[r].data(), count);
    }
    auto isApart = [&](int64_t i) {
      auto at = static_cast<size_t>(i);
      if (!allowed)
        return std::memcmp(&first[r][at * width], &second[r][at * width],
                           width) != 0;
      for (int64_t part = i * parts; part < (i + 1) * parts; ++part) {
        double x = a[static_cast<size_t>(part)],
               y = b[static_cast<size_t>(part)];
        if (x != y && !(std::isnan(x) && std::isnan(y)) &&
            !(std::fabs(x - y) <= 2 * (*allowed)[at]) &&
            !std::isinf((*allowed)[at]))
          return true;
      }
      return false;
    };
    std::vector<int64_t> apart;
    for (int64_t i = 0; i < count; ++i)
      if ((!looksAt || looksAt(r, i)) && isApart(i))
        apart.push_back(i);
    if (apart.empty())
      continue;
    auto wrong = static_cast<int64_t>(apart.size());
    return {Answer::Kind::Broken,
            llvm::formatv("{0} of {1} elements of '{2}' {3} {4}: {5}", wrong,
                          count, item.role,
                          allowed ? "differ by more than right results can"
                                  : "have other bits",
                          what,
                          judge::describePattern(item.type.shape, apart, wrong))
                .str()};
  }
  return {};
}

std::vector<std::byte> verify::takeRows(const std::byte *bytes,
                                        llvm::ArrayRef<int64_t> shape,
                                        int64_t width, int dim,
                                        llvm::ArrayRef<int64_t> of) {
  int64_t outer = 1, inner = width;
  for (auto [d, size] : llvm::enumerate(shape))
    (static_cast<int>(d) < dim ? outer : inner) *=
        static_cast<int>(d) == dim ? 1 : size;
  int64_t rows = shape[static_cast<size_t>(dim)];
  std::vector<std::byte> out;
  out.reserve(static_cast<size_t>(outer * inner) * of.size());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t row : of) {
      const std::byte *from = bytes + (o * rows + row) * inner;
      out.insert(out.end(), from, from + inner);
    }
  return out;
}

llvm::Expected<Tensor> verify::takeRows(const Tensor &tensor, int dim,
                                        llvm::ArrayRef<int64_t> of) {
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense)
    return dense;
  tensor::TensorType type = tensor.type();
  std::vector<std::byte> rows = takeRows(dense->bytes(), type.shape,
                                         type.element.storageBytes(), dim, of);
  type.shape[static_cast<size_t>(dim)] = static_cast<int64_t>(of.size());
  llvm::Expected<Tensor> made = Tensor::allocate(type);
  if (made)
    std::memcpy(made->mutableBytes(), rows.data(), rows.size());
  return made;
}
