// Properties of independent rows (Rows.h): other batches, another order, a row
// whose values must not reach others.
#include "assay/numerics/Convert.h"
#include "assay/verify/Recognise.h"
#include "assay/verify/properties/Ask.h"
#include "assay/verify/properties/Rows.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

using namespace assay;
using namespace assay::verify;
using numerics::ElementType;
using tensor::Tensor;

static llvm::Expected<RowPlan> planOf(const PropertyRuns &runs) {
  return rowPlan(*runs.base().bound->program, runs.base().bound->entry);
}
static Answer notAsked(llvm::Error error) {
  return {Answer::Kind::NotAsked, takeError(std::move(error)).message};
}

/// The arguments; those with rows are cut to the given ones.
static llvm::Expected<std::vector<Tensor>>
argumentRows(const PropertyRuns &runs, const RowPlan &plan,
             llvm::ArrayRef<int64_t> of) {
  std::vector<Tensor> inputs = runs.inputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (plan.arguments[i] >= 0)
      if (llvm::Error error = takeRows(runs.inputs[i], plan.arguments[i], of)
                                  .moveInto(inputs[i]))
        return error;
  return inputs;
}

static std::vector<std::byte> resultRows(const PropertyRuns &runs,
                                         const RowPlan &plan, size_t r,
                                         const std::vector<std::byte> &bytes,
                                         llvm::ArrayRef<int64_t> of) {
  const tensor::TensorType &type = runs.base().tensors[runs.base().inputs + r].type;
  return takeRows(bytes.data(), type.shape, type.element.storageBytes(),
                  plan.results[r], of);
}

/// The row of an element of a result.
static int64_t rowOf(const PropertyRuns &runs, const RowPlan &plan, size_t r,
                     int64_t index) {
  const tensor::Shape &shape =
      runs.base().tensors[runs.base().inputs + r].type.shape;
  auto dim = static_cast<size_t>(plan.results[r]);
  int64_t inner = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d)
    inner *= shape[d];
  return index / inner % shape[dim];
}

Answer verify::askPermutation(PropertyRuns &runs) {
  llvm::Expected<RowPlan> plan = planOf(runs);
  if (!plan)
    return notAsked(plan.takeError());
  std::vector<int64_t> order(static_cast<size_t>(plan->rows));
  std::iota(order.rbegin(), order.rend(), 0);
  llvm::Expected<std::vector<Tensor>> inputs = argumentRows(runs, *plan, order);
  if (!inputs)
    return notAsked(inputs.takeError());
  const Results *plain = runs.plain();
  if (!plain)
    return runs.gone();
  std::optional<Results> turned = runs.run(*inputs);
  if (!turned)
    return runs.gone();
  for (size_t r = 0; r < turned->size(); ++r)
    (*turned)[r] = resultRows(runs, *plan, r, (*turned)[r], order);
  return runs.compare(*plain, *turned, "when the rows come in reverse");
}

/// One value in all floats of a row.
static llvm::Expected<Tensor> poisoned(const Tensor &tensor, int dim,
                                       int64_t row, double value) {
  llvm::Expected<Tensor> dense = tensor.dense(),
                         made = Tensor::allocate(tensor.type());
  if (!dense || !made)
    return llvm::joinErrors(dense.takeError(), made.takeError());
  ElementType type = tensor.elementType();
  int64_t width = type.storageBytes(), inner = 1, outer = 1;
  for (auto [d, size] : llvm::enumerate(tensor.shape()))
    (static_cast<int>(d) < dim ? outer : inner) *=
        static_cast<int>(d) == dim ? 1 : size;
  int64_t rows = tensor.shape()[static_cast<size_t>(dim)];
  std::byte element[16];
  numerics::convertArray(ElementType::floating(numerics::FloatFormat::F64),
                         &value, type, element, 1);
  std::memcpy(made->mutableBytes(), dense->bytes(),
              static_cast<size_t>(dense->denseBytes()));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      std::memcpy(made->mutableBytes() + ((o * rows + row) * inner + i) * width,
                  element, static_cast<size_t>(width));
  return made;
}

Answer verify::askNan(PropertyRuns &runs) {
  llvm::Expected<RowPlan> plan = planOf(runs);
  if (!plan)
    return notAsked(plan.takeError());
  int64_t row = plan->rows / 2;
  for (auto [value, name] :
       {std::pair(double(NAN), "NaN"), {double(INFINITY), "infinity"}}) {
    std::vector<Tensor> inputs = runs.inputs;
    bool any = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (plan->arguments[i] < 0 || !runs.inputs[i].elementType().isFloat())
        continue;
      any = true;
      if (llvm::Error error =
              poisoned(runs.inputs[i], plan->arguments[i], row, value)
                  .moveInto(inputs[i]))
        return notAsked(std::move(error));
    }
    if (!any)
      return {Answer::Kind::NotAsked, "no argument has rows of floats"};
    const Results *plain = runs.plain();
    if (!plain)
      return runs.gone();
    std::optional<Results> other = runs.run(inputs);
    if (!other)
      return runs.gone();
    Answer answer =
        runs.compare(*plain, *other,
                     llvm::formatv("when row {0} holds {1}", row, name).str(),
                     [&, plan = &*plan](size_t r, int64_t i) {
                       return rowOf(runs, *plan, r, i) != row;
                     });
    if (answer.kind != Answer::Kind::Holds)
      return answer;
  }
  return {};
}

namespace {
/// The problem on fewer rows, kept alive while it runs.
struct Part {
  BoundProgram bound;
  std::optional<Problem> found;
  ProgramCase c;
};
} // namespace

/// Dense strides for the sizes, in the order of the old strides.
static Dims likewise(llvm::ArrayRef<int64_t> strides,
                     llvm::ArrayRef<int64_t> shape) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  Dims made(shape.size());
  int64_t next = 1;
  for (size_t d : order) {
    made[d] = next;
    next *= shape[d];
  }
  return made;
}

static llvm::Expected<std::unique_ptr<Part>> partOf(const PropertyRuns &runs,
                                                    int64_t rows) {
  const PlannedProblem &asked = runs.planned;
  auto part = std::make_unique<Part>();
  part->bound = asked.bound;
  if (llvm::Error error =
          withRows(*asked.bound.program, asked.bound.entry, rows)
              .moveInto(part->bound.program))
    return error;
  mlir::func::FuncOp function =
      llvm::cantFail(part->bound.program->function(part->bound.entry));
  auto layOut = [](std::vector<Binding> &bindings, auto types) {
    for (auto [binding, type] : llvm::zip(bindings, types))
      if (!binding.strides.empty())
        binding.strides =
            likewise(binding.strides,
                     mlir::cast<mlir::RankedTensorType>(type).getShape());
  };
  layOut(part->bound.inputs, function.getArgumentTypes());
  layOut(part->bound.outputs, function.getResultTypes());
  if (asked.offered) {
    part->found = recognise(part->bound, asked.offered->driver);
    if (!part->found || part->found->driver != asked.offered->driver)
      return makeError(ErrorCode::Unsupported,
                       "the words have no problem of {0} rows", rows);
  }
  part->c = programCase(asked.problem, part->bound,
                        part->found ? &*part->found : nullptr);
  return part;
}

Answer verify::askBatch(PropertyRuns &runs) {
  llvm::Expected<RowPlan> plan = planOf(runs);
  if (!plan)
    return notAsked(plan.takeError());
  const Results *plain = runs.plain();
  if (!plain)
    return runs.gone();
  // The words may describe the problem only for some numbers of rows: a bias of one
  // row is broadcast to two, not to one.
  Answer none;
  bool any = false;
  for (int64_t rows : std::set<int64_t>{1, plan->rows / 2}) {
    llvm::Expected<std::unique_ptr<Part>> part = partOf(runs, rows);
    if (!part) {
      none = notAsked(part.takeError());
      continue;
    }
    any = true;
    ProgramTrial &trial = runs.with((*part)->c);
    for (int64_t start : {int64_t{0}, plan->rows - rows}) {
      std::vector<int64_t> of(static_cast<size_t>(rows));
      std::iota(of.begin(), of.end(), start);
      llvm::Expected<std::vector<Tensor>> inputs =
          argumentRows(runs, *plan, of);
      if (!inputs)
        return notAsked(inputs.takeError());
      std::optional<Results> got = runs.run(trial, *inputs);
      if (!got)
        return runs.gone();
      // Put among the rows of the whole result, so that indices and bounds
      // match it.
      Results whole = *plain;
      for (size_t r = 0; r < whole.size(); ++r) {
        const tensor::TensorType &type =
            runs.base().tensors[runs.base().inputs + r].type;
        auto dim = static_cast<size_t>(plan->results[r]);
        int64_t inner = type.element.storageBytes();
        for (size_t d = dim + 1; d < type.shape.size(); ++d)
          inner *= type.shape[d];
        auto bytes = static_cast<size_t>(inner * rows);
        for (size_t o = 0; o * bytes < (*got)[r].size(); ++o)
          std::memcpy(&whole[r][o * static_cast<size_t>(inner * plan->rows) +
                                static_cast<size_t>(inner * start)],
                      &(*got)[r][o * bytes], bytes);
      }
      Answer answer = runs.compare(
          *plain, whole,
          llvm::formatv("in a batch of {0} from row {1}", rows, start).str());
      if (answer.kind != Answer::Kind::Holds)
        return answer;
    }
  }
  return any ? Answer() : none;
}
