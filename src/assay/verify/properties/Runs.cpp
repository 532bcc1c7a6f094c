// The engine on one set of arguments, in as many ways as properties ask for; the
// comparison of two results, by bits or by how far two correct results may differ.
#include "assay/judge/Verdict.h"
#include "assay/judge/program/ProgramTruth.h"
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

llvm::Error PropertyRuns::fill(FillKind kind) {
  plain_.reset();
  allowed_.clear();
  return fillArguments(base, kind).moveInto(inputs);
}

llvm::Error PropertyRuns::allowRoundings() {
  areBitsWanted_ = false;
  if (!allowed_.empty())
    return llvm::Error::success();
  llvm::Expected<judge::ProgramTruth> truth =
      judge::computeTruth(base.bound->program, base.bound->entry, inputs,
                          question.pool, base.problem->options->timeoutSeconds);
  if (!truth)
    return truth.takeError();
  allowed_ = truth->errors;
  return llvm::Error::success();
}

std::optional<Results> PropertyRuns::run(const ProgramCase &c,
                                         llvm::ArrayRef<Tensor> data, How how) {
  int threads = how.threads < 0 ? question.threads : how.threads;
  engine::ProblemDescription description = describeProgram(c, threads);
  std::string key = description.json + "\n" + std::to_string(threads);
  for (const ProgramCase::Item &item : c.tensors)
    for (size_t d = 0; d < item.strides.size(); ++d)
      key += " " + std::to_string(item.type.shape[d]) + ":" +
             std::to_string(item.strides[d]);
  status_ = Status::Passed;
  WorkerResult result;
  if (key != created_) {
    created_.clear();
    result = question.tested.create(description);
    alignment_ = result.alignment;
    if (result.kind == WorkerResult::Kind::Ok)
      created_ = key;
  }
  std::vector<engine::Placement> places = place(c, how.guard, alignment_);
  llvm::Error grown = question.arena.grow(engine::endOf(places));
  if (!grown && result.kind == WorkerResult::Kind::Ok) {
    writeData(c, places, data, question.arena.data(), how.unwritten,
              question.pool);
    engine::RunRequest request{
        static_cast<uint32_t>(places.size()), 0, 0, 0, 0, 0};
    request.unwritten = how.unwritten;
    result = question.tested.run(request, places);
    if (result.kind == WorkerResult::Kind::Unsupported)
      result.kind = WorkerResult::Kind::Failed; // it had agreed
  }
  reason_ = result.reason;
  bool fits = !grown;
  if (!fits)
    reason_ = takeError(std::move(grown)).message;
  if (!fits || result.kind != WorkerResult::Kind::Ok) {
    status_ = fits ? statusOf(result.kind) : Status::Skipped;
    return std::nullopt;
  }
  std::vector<std::vector<std::byte>> copies;
  Results results;
  std::vector<judge::ProgramResult> at =
      resultsAt(c, places, question.arena.data(), copies, question.pool);
  for (size_t i = 0; i < at.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[c.inputs + i];
    const auto *bytes = static_cast<const std::byte *>(at[i].bytes);
    results.emplace_back(bytes, bytes + item.elements() *
                                            item.type.element.storageBytes());
  }
  return results;
}

const Results *PropertyRuns::plain() {
  if (!plain_)
    plain_ = run({});
  return plain_ ? &*plain_ : nullptr;
}

Answer PropertyRuns::gone() const {
  if (status_ == Status::Skipped)
    return {Answer::Kind::NotAsked, "the engine refuses it: " + reason_};
  return {Answer::Kind::Stopped, reason_};
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
