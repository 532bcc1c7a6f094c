// One function for each row of Properties.def that does not need rows of the
// data: other runs, threads, addresses, strides, scales and transposed factors.
#include "assay/verify/properties/Ask.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/properties/Homogeneity.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::verify;
using engine::Guard;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;

static Answer notAsked(std::string why) {
  return {Answer::Kind::NotAsked, std::move(why)};
}
static Answer notAsked(llvm::Error error) {
  return notAsked(takeError(std::move(error)).message);
}

/// The plain run beside another way to run the same.
static Answer againstPlain(PropertyRuns &runs, RunForm form,
                           const std::string &what) {
  const Results *plain = runs.plain();
  if (!plain)
    return runs.gone();
  std::optional<Results> other = runs.run(form);
  return other ? runs.compare(*plain, *other, what) : runs.gone();
}

Answer verify::askDeterministic(PropertyRuns &runs) {
  constexpr int kRuns = 5;
  Answer answer;
  for (int run = 2; run <= kRuns && answer.kind == Answer::Kind::Holds; ++run)
    answer = againstPlain(runs, {}, "in run " + std::to_string(run));
  return answer;
}

Answer verify::askThreads(PropertyRuns &runs) {
  Answer answer;
  for (int threads : {1, 2, 3}) {
    answer = againstPlain(runs, {.threads = threads},
                          "with " + std::to_string(threads) + " threads");
    if (answer.kind != Answer::Kind::Holds)
      break;
  }
  return answer;
}

Answer verify::askOutput(PropertyRuns &runs) {
  constexpr std::pair<engine::Unwritten, const char *> kContents[] = {
      {engine::Unwritten::Zeros, "zeros"},
      {engine::Unwritten::Garbage, "finite numbers"},
      {engine::Unwritten::OtherGarbage, "finite numbers of the other signs"}};
  Answer answer;
  for (auto [unwritten, words] : kContents) {
    answer = againstPlain(runs, {.unwritten = unwritten},
                          std::string("when the results and the gaps held ") +
                              words);
    if (answer.kind != Answer::Kind::Holds)
      break;
  }
  return answer;
}

Answer verify::askAlignment(PropertyRuns &runs) {
  return againstPlain(runs, {.guard = Guard::AtStart}, "at other addresses");
}

/// Row-major, the last two dimensions exchanged.
static tensor::Shape turnedStrides(llvm::ArrayRef<int64_t> shape) {
  tensor::Shape turned(shape);
  size_t rank = shape.size();
  std::swap(turned[rank - 1], turned[rank - 2]);
  tensor::Shape strides = tensor::rowMajorStrides(turned);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return strides;
}

Answer verify::askStrides(PropertyRuns &runs) {
  ProgramCase turned = runs.base();
  bool any = false;
  for (ProgramCase::Item &item : turned.tensors) {
    if (item.shared >= 0)
      return notAsked("a result takes the memory of an argument");
    if (item.type.shape.size() < 2)
      continue;
    item.layOut(turnedStrides(item.type.shape));
    any |= !item.isDense;
  }
  if (!any)
    return notAsked("no tensor has two dimensions");
  if (const Problem *found = runs.planned.offeredOrNull();
      found && found->driver->dims) {
    Problem strided = *found;
    for (const ProgramCase::Item &item : turned.tensors)
      for (auto [role, name] : {std::pair(Role::Src, "src"),
                                {Role::Wei, "wei"},
                                {Role::Dst, "dst"}})
        if (item.role == name)
          strided.strides[static_cast<size_t>(role)].assign(
              item.strides.begin(), item.strides.end());
    turned.json = problemJson(strided);
  }
  const Results *plain = runs.plain();
  if (!plain)
    return runs.gone();
  std::optional<Results> other = runs.run(runs.with(std::move(turned)), runs.inputs);
  return other ? runs.compare(*plain, *other,
                              "when the last two dimensions lie the other way")
               : runs.gone();
}

/// A tensor of floats times a power of two.
static llvm::Expected<Tensor> scaled(const Tensor &tensor, int exponent) {
  llvm::Expected<Tensor> dense = tensor.dense(),
                         made = Tensor::allocate(tensor.type());
  if (!dense || !made)
    return llvm::joinErrors(dense.takeError(), made.takeError());
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(tensor.elementType(), dense->bytes(), values.data(),
                      tensor.size());
  for (double &x : values)
    x = std::ldexp(x, exponent);
  numerics::convertArray(ElementType::floating(FloatFormat::F64), values.data(),
                         tensor.elementType(), made->mutableBytes(),
                         tensor.size());
  return made;
}

Answer verify::askScale(PropertyRuns &runs) {
  constexpr int kExponent = 3;
  llvm::Expected<ScalePlan> plan =
      scalePlan(*runs.base().bound->program, runs.base().bound->entry);
  if (!plan)
    return notAsked(plan.takeError());
  std::vector<Tensor> inputs = runs.inputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (plan->arguments[i])
      if (llvm::Error error =
              scaled(runs.inputs[i], kExponent).moveInto(inputs[i]))
        return notAsked(std::move(error));
  const Results *plain = runs.plain();
  if (!plain)
    return runs.gone();
  std::optional<Results> large = runs.run(inputs);
  if (!large)
    return runs.gone();
  // The scaled plain results, and where they cannot be compared: subnormal
  // numbers have lost digits, others leave the range.
  Results expected = *plain;
  std::vector<std::vector<bool>> looked;
  for (size_t r = 0; r < plain->size(); ++r) {
    const ProgramCase::Item &item = runs.base().tensors[runs.base().inputs + r];
    ElementType type = item.type.element;
    looked.emplace_back(static_cast<size_t>(item.elements()), true);
    if (!type.isFloat())
      continue;
    std::vector<double> values(looked[r].size());
    numerics::toDoubles(type, (*plain)[r].data(), values.data(),
                        item.elements());
    numerics::FormatInfo info = numerics::formatInfo(type.format);
    double least = std::ldexp(1.0, info.minExponent() + kExponent),
           most = std::ldexp(1.0, info.maxExponent() - kExponent);
    for (size_t i = 0; i < values.size(); ++i) {
      double size = std::fabs(values[i]);
      values[i] = std::ldexp(values[i], kExponent * plan->degrees[r]);
      looked[r][i] =
          size == 0 || std::isinf(size) ||
          (size >= least && size <= most && std::fabs(values[i]) <= most);
    }
    numerics::convertArray(ElementType::floating(FloatFormat::F64),
                           values.data(), type, expected[r].data(),
                           item.elements());
  }
  return runs.compare(
      expected, *large, "when arguments are 8 times as large",
      [&](size_t r, int64_t i) { return looked[r][static_cast<size_t>(i)]; });
}

/// The last two dimensions of dense elements exchanged.
static std::vector<std::byte> transposed(const std::byte *bytes,
                                         llvm::ArrayRef<int64_t> shape,
                                         int64_t width) {
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), outer = 1;
  for (int64_t size : shape.drop_back(2))
    outer *= size;
  std::vector<std::byte> out(
      static_cast<size_t>(outer * rows * columns * width));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        std::memcpy(
            &out[static_cast<size_t>(((o * columns + j) * rows + i) * width)],
            bytes + ((o * rows + i) * columns + j) * width,
            static_cast<size_t>(width));
  return out;
}

static llvm::Expected<Tensor> transposed(const Tensor &tensor) {
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense)
    return dense;
  tensor::TensorType type = tensor.type();
  std::vector<std::byte> bytes =
      transposed(dense->bytes(), type.shape, type.element.storageBytes());
  std::swap(type.shape[type.shape.size() - 1],
            type.shape[type.shape.size() - 2]);
  llvm::Expected<Tensor> made = Tensor::allocate(type);
  if (made)
    std::memcpy(made->mutableBytes(), bytes.data(), bytes.size());
  return made;
}

/// B^T A^T, as a problem of the same driver.
static Problem transposedProduct(const Problem &product) {
  Problem turned = product;
  MatmulSizes &sizes = turned.matmul;
  auto turn = [](Dims &dims) {
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  };
  std::swap(sizes.src, sizes.wei);
  for (Dims *dims : {&sizes.src, &sizes.wei, &sizes.dst})
    turn(*dims);
  std::swap(sizes.m, sizes.n);
  std::swap(turned.types[0], turned.types[1]);
  turned.tags = {"any", "any", "any"};
  turned.strides = {};
  return turned;
}

Answer verify::askTranspose(PropertyRuns &runs) {
  const Problem *found = runs.planned.offeredOrNull();
  if (!found || found->driver->name != llvm::StringRef("matmul") ||
      runs.base().inputs != 2 || runs.inputs.size() != 2 || found->hasBias() ||
      !found->attributes.postOps.empty())
    return notAsked("it is not a plain product of two matrices");
  Problem turned = transposedProduct(*found);
  llvm::Expected<BoundProgram> bound = turned.driver->build(turned);
  llvm::Expected<Tensor> first = transposed(runs.inputs[1]),
                         second = transposed(runs.inputs[0]);
  if (!bound || !first || !second)
    return notAsked(llvm::joinErrors(
        bound.takeError(),
        llvm::joinErrors(first.takeError(), second.takeError())));
  ProgramCase c = programCase(runs.planned.problem, *bound, &turned);
  const Results *plain = runs.plain();
  if (!plain)
    return runs.gone();
  std::optional<Results> other = runs.run(runs.with(c), {*first, *second});
  if (!other)
    return runs.gone();
  const ProgramCase::Item &dst = c.tensors.back();
  (*other)[0] = transposed((*other)[0].data(), dst.type.shape,
                           dst.type.element.storageBytes());
  return runs.compare(*plain, *other, "of the transposed factors' product");
}
