// Convolutions of planar tensors in the native engine against the reference, on
// small integers, where every order of summation gives the same numbers: each
// form is one step of a kernel, and its result equal bit for bit.
#include "assay/engine/native/NativeEngine.h"

#include "assay/program/Builder.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using program::Builder;
using program::Convolution;
using program::Dims;
using tensor::Shape;
using tensor::Tensor;

namespace {
struct Form {
  const char *name;
  Dims lhs, rhs;
  Convolution options;
  bool reversed = false; ///< the filter comes through a reversal
  const char *type = "f32";
};
} // namespace

static Tensor filled(const tensor::TensorType &type, int salt) {
  Tensor value = llvm::cantFail(Tensor::allocate(type));
  for (int64_t i = 0; i < value.size(); ++i) {
    auto number = static_cast<int>((i * 7 + i / 11 + salt) % 11 - 5);
    if (type.element.isInteger())
      value.mutableData<int8_t>()[i] = static_cast<int8_t>(number * 25);
    else if (type.element.bits == 64)
      value.mutableData<double>()[i] = number;
    else
      value.mutableData<float>()[i] = static_cast<float>(number);
  }
  return value;
}

static std::shared_ptr<const program::Program> programOf(const Form &form) {
  numerics::ElementType type = *numerics::parseElementType(form.type);
  auto shape = [](const Dims &dims) { return Shape(dims.begin(), dims.end()); };
  Builder b;
  mlir::Value x = b.argument({type, shape(form.lhs)}),
              w = b.argument({type, shape(form.rhs)});
  if (type.isInteger()) {
    x = b.convert(x, numerics::ElementType::integer(32));
    w = b.convert(w, numerics::ElementType::integer(32));
  }
  if (form.reversed)
    w = b.reverse(w, {2, 3});
  return llvm::cantFail(b.finish({b.convolution(x, w, form.options)}, "form"));
}

static Tensor execute(const program::Plan &plan,
                      llvm::ArrayRef<Tensor> arguments, int threads,
                      int64_t &engineSteps) {
  ThreadPool pool(threads);
  program::RunContext context(pool);
  auto results = llvm::cantFail(program::execute(plan, arguments, context));
  engineSteps = context.engineSteps;
  return llvm::cantFail(results[0].tensor().dense());
}

static void expectAgreement(const Form &form) {
  SCOPED_TRACE(form.name);
  auto parsed = programOf(form);
  std::vector<Tensor> arguments;
  for (mlir::Type type :
       llvm::cantFail(parsed->function()).getArgumentTypes()) {
    auto shaped = mlir::cast<mlir::RankedTensorType>(type);
    arguments.push_back(
        filled({*numerics::parseElementType(form.type),
                Shape(shaped.getShape().begin(), shaped.getShape().end())},
               static_cast<int>(arguments.size()) * 3));
  }
  auto plain = llvm::cantFail(
      program::buildPlan(parsed, reference::ReferenceCompiler(), {}));
  engine::NativeEngine native("native",
                              std::make_shared<reference::ReferenceCompiler>());
  auto plan = llvm::cantFail(native.makePlan(parsed, {}));
  EXPECT_EQ(plan->stepCount(), 1);
  int64_t steps = 0;
  Tensor expected = execute(*plain, arguments, 1, steps);
  for (int threads : {1, 2, 5}) {
    Tensor got = execute(*plan, arguments, threads, steps);
    EXPECT_EQ(steps, 1) << "not by a kernel";
    ASSERT_EQ(got.denseBytes(), expected.denseBytes());
    EXPECT_EQ(std::memcmp(got.bytes(), expected.bytes(),
                          static_cast<size_t>(got.denseBytes())),
              0)
        << "on " << threads << " threads";
  }
}

static Convolution windows(Dims strides, int64_t pad, Dims dilation = {1, 1}) {
  Convolution o;
  o.strides = std::move(strides);
  o.padding = {{pad, pad}, {pad, pad}};
  o.rhsDilation = std::move(dilation);
  return o;
}

TEST(PlanarConvolution, ForwardWithGroupsStridesAndDilation) {
  expectAgreement({"plain", {2, 3, 9, 8}, {5, 3, 3, 2}, windows({1, 1}, 1)});
  expectAgreement({"strided", {3, 4, 11, 9}, {6, 4, 3, 3}, windows({2, 3}, 2)});
  expectAgreement(
      {"dilated", {1, 4, 11, 9}, {6, 4, 3, 3}, windows({1, 1}, 3, {2, 3})});
  expectAgreement(
      {"pointwise", {3, 4, 5, 7}, {6, 4, 1, 1}, windows({1, 1}, 0)});
  expectAgreement({"padded beyond the input",
                   {1, 2, 2, 2},
                   {3, 2, 2, 2},
                   windows({1, 1}, 4)});
  Form depthwise{"depthwise", {2, 6, 7, 7}, {6, 1, 3, 3}, windows({1, 1}, 1)};
  depthwise.options.featureGroups = 6;
  expectAgreement(depthwise);
  Form grouped{"grouped", {3, 6, 7, 7}, {8, 3, 3, 3}, windows({2, 2}, 1)};
  grouped.options.featureGroups = 2;
  expectAgreement(grouped);
}

TEST(PlanarConvolution, BlocksOfLinesOfALargePlane) {
  expectAgreement(
      {"large", {1, 24, 120, 130}, {9, 24, 3, 3}, windows({1, 1}, 1)});
}

TEST(PlanarConvolution, DilatedInputsAreFolded) {
  for (bool reversed : {false, true}) {
    Form form{"dilated input", {2, 4, 5, 6}, {3, 4, 3, 3}, windows({1, 1}, 2)};
    form.options.lhsDilation = {2, 3};
    form.reversed = reversed;
    expectAgreement(form);
    form.options.featureGroups = 2;
    form.lhs = {2, 8, 5, 6};
    form.rhs = {6, 4, 3, 3};
    form.options.rhsDilation = {2, 1};
    expectAgreement(form);
    form.options.padding = {{-1, 0}, {0, -2}};
    expectAgreement(form);
  }
}

TEST(PlanarConvolution, FiltersAreReadAsTheyLie) {
  // Out and in features exchanged and the taps reversed: a gradient of the data.
  Form form{"gradient", {2, 7, 6, 6}, {7, 4, 3, 3}, windows({1, 1}, 1)};
  form.options.kernelInputFeature = 0;
  form.options.kernelOutputFeature = 1;
  form.reversed = true;
  expectAgreement(form);
  form.reversed = false;
  expectAgreement(form);
  form.options.reversal = {true, true};
  expectAgreement(form);
  form.options.reversal = {true, false};
  expectAgreement(form);
  form.options.strides = {2, 1};
  expectAgreement(form);
}

TEST(PlanarConvolution, FeaturesThatComeFirstAreAddedUp) {
  // src [mb, ic, ...] and diff_dst [mb, oc, ...]: a gradient of the filter.
  for (int64_t groups : {1, 2})
    for (bool outFirst : {false, true}) {
      Form form{"filter", {3, 4, 7, 7}, {3, 6, 7, 7}, windows({1, 1}, 1)};
      form.options.inputBatch = 1, form.options.inputFeature = 0;
      form.options.kernelInputFeature = 0, form.options.kernelOutputFeature = 1;
      if (outFirst)
        form.options.outputBatch = 1, form.options.outputFeature = 0;
      form.options.batchGroups = groups;
      expectAgreement(form);
    }
  Form pointwise{"pointwise", {3, 4, 7, 7}, {3, 6, 7, 7}, windows({1, 1}, 0)};
  pointwise.options.inputBatch = 1, pointwise.options.inputFeature = 0;
  pointwise.options.kernelInputFeature = 0;
  pointwise.options.kernelOutputFeature = 1;
  expectAgreement(pointwise);
}

TEST(PlanarConvolution, OneAndThreeDimensions) {
  Form line{"1d", {2, 4, 30}, {6, 4, 5}, {}};
  line.options.strides = {2};
  line.options.padding = {{3, 2}};
  expectAgreement(line);
  Form solid{"3d", {2, 3, 4, 5, 6}, {4, 3, 2, 3, 3}, {}};
  solid.options.strides = {1, 2, 1};
  solid.options.padding = {{1, 0}, {1, 1}, {0, 1}};
  expectAgreement(solid);
}

TEST(PlanarConvolution, OtherTypes) {
  Form form{"f64", {2, 4, 7, 7}, {6, 4, 3, 3}, windows({1, 1}, 1)};
  form.type = "f64";
  expectAgreement(form);
  // Bytes that the program widens: the conversions are not carried out.
  form.type = "i8";
  expectAgreement(form);
  form.options.lhsDilation = {2, 2};
  form.reversed = true;
  expectAgreement(form);
}
