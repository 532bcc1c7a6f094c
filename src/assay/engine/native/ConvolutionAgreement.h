/// Tests of convolutions in the native engine. Each form runs there and on the
/// reference, on small integers, whose sums are the same in every order. It must
/// become one step of a kernel and give the same bits.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Builder.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "assay/support/Random.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace assay::engine {

using program::Convolution;
using program::Dims;
using tensor::Shape;
using tensor::Tensor;

struct Form {
  const char *name;
  Dims lhs, rhs;
  Convolution options;
  bool reversed = false; ///< the filter comes through a reversal
  const char *type = "f32";
  const char *result = nullptr; ///< null: the operands' type
};

inline Tensor filled(const tensor::TensorType &type, int salt) {
  Tensor value = llvm::cantFail(Tensor::allocate(type));
  std::vector<float> numbers;
  float unit = type.element.isInteger() ? 25 : 1;
  CounterRandom random(0, static_cast<uint64_t>(salt));
  for (int64_t i = 0; i < value.size(); ++i)
    numbers.push_back(
        unit * static_cast<float>(random.integer(uint64_t(i), -5, 5)));
  numerics::convertArray(*numerics::parseElementType("f32"), numbers.data(),
                         type.element, value.mutableBytes(), value.size());
  return value;
}

inline std::shared_ptr<const program::Program> programOf(const Form &form) {
  numerics::ElementType type = *numerics::parseElementType(form.type);
  auto shape = [](const Dims &dims) { return Shape(dims.begin(), dims.end()); };
  program::Builder b;
  mlir::Value x = b.argument({type, shape(form.lhs)}),
              w = b.argument({type, shape(form.rhs)});
  if (type.isInteger()) {
    x = b.convert(x, numerics::ElementType::integer(32));
    w = b.convert(w, numerics::ElementType::integer(32));
  }
  if (form.reversed)
    w = b.reverse(w, {2, 3});
  std::optional<numerics::ElementType> result;
  if (form.result)
    result = *numerics::parseElementType(form.result);
  return llvm::cantFail(
      b.finish({b.convolution(x, w, form.options, result)}, "form"));
}

inline std::vector<Tensor> argumentsOf(const Form &form) {
  numerics::ElementType type = *numerics::parseElementType(form.type);
  return {filled({type, Shape(form.lhs.begin(), form.lhs.end())}, 0),
          filled({type, Shape(form.rhs.begin(), form.rhs.end())}, 3)};
}

inline Tensor execute(const program::Plan &plan,
                      llvm::ArrayRef<Tensor> arguments, int threads,
                      int64_t &engineSteps) {
  ThreadPool pool(threads);
  program::RunContext context(pool);
  auto results = llvm::cantFail(program::execute(plan, arguments, context));
  engineSteps = context.engineSteps;
  return llvm::cantFail(results[0].tensor().dense());
}

/// A form's plans, by the reference alone and by the native engine.
struct Plans {
  std::unique_ptr<program::Plan> plain, native;
};
inline Plans plansOf(const Form &form) {
  auto parsed = programOf(form);
  auto rest = std::make_shared<reference::ReferenceCompiler>();
  return {llvm::cantFail(program::buildPlan(parsed, *rest, {})),
          llvm::cantFail(NativeEngine("native", rest).makePlan(parsed, {}))};
}

/// On 1, 2 and 5 threads, by a plan of one step.
inline void expectAgreement(const Form &form,
                            llvm::ArrayRef<Tensor> arguments) {
  SCOPED_TRACE(form.name);
  auto [plain, plan] = plansOf(form);
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

inline void expectAgreement(const Form &form) {
  expectAgreement(form, argumentsOf(form));
}

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Equal numbers of f32, and NaN where the reference has it, by one step of a
/// kernel on two threads. How many results are not finite, and how many are.
inline std::pair<int64_t, int64_t>
expectSameSpecials(const Form &form, llvm::ArrayRef<Tensor> arguments) {
  auto [plain, plan] = plansOf(form);
  int64_t steps = 0, special = 0, finite = 0;
  Tensor expected = execute(*plain, arguments, 1, steps),
         got = execute(*plan, arguments, 2, steps);
  EXPECT_EQ(steps, 1) << "not by a kernel";
  for (int64_t i = 0; i < got.size(); ++i) {
    float x = got.data<float>()[i], y = expected.data<float>()[i];
    EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y)))
        << "element " << i << ": " << x << ", expected " << y;
    (std::isfinite(y) ? finite : special) += 1;
  }
  return {special, finite};
}

/// Images [batch, spatial..., channels], filters [spatial..., in, out], as JAX
/// writes them.
inline Form channelsLast(const char *name, Dims lhs, Dims kernel, int64_t out,
                         int64_t groups) {
  Form form{name, lhs, kernel, {}};
  auto rank = static_cast<int64_t>(kernel.size());
  form.rhs.append({lhs.back() / groups, out});
  Convolution &o = form.options;
  o.inputFeature = o.outputFeature = rank + 1;
  o.kernelInputFeature = rank, o.kernelOutputFeature = rank + 1;
  o.featureGroups = groups;
  for (int64_t d = 0; d < rank; ++d) {
    o.inputSpatial.push_back(d + 1);
    o.outputSpatial.push_back(d + 1);
    o.kernelSpatial.push_back(d);
    o.padding.push_back({kernel[static_cast<size_t>(d)] / 2,
                         kernel[static_cast<size_t>(d)] / 2});
  }
  return form;
}

/// The convolutions of a program as requests to the compiler.
inline void
forEachConvolution(const program::Program &program,
                   llvm::function_ref<void(const StepSpec &)> visit) {
  llvm::cantFail(program.function()).walk([&](stablehlo::ConvolutionOp op) {
    program::NumericOptions numeric;
    StepSpec spec{op, {}, {}, numeric};
    for (mlir::Type type : op->getOperandTypes())
      spec.operands.push_back(llvm::cantFail(program::tensorTypeOf(type)));
    spec.results.push_back(
        llvm::cantFail(program::tensorTypeOf(op->getResult(0).getType())));
    visit(spec);
  });
}

/// Why `make` has no step for a form, or "".
inline std::string
refusalOf(const Form &form,
          llvm::function_ref<Compiled(std::shared_ptr<NativeContext>,
                                      const StepSpec &)>
              make) {
  auto parsed = programOf(form);
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  std::string text;
  forEachConvolution(*parsed, [&](const StepSpec &spec) {
    Compiled made = make(engine.context(), spec);
    if (auto *refusal = std::get_if<Refusal>(&made))
      text = refusal->text;
  });
  return text;
}

/// The step of one algorithm that was not asked for.
inline Compiled makeBy(const ConvAlgorithm &algorithm,
                       std::shared_ptr<NativeContext> context,
                       const StepSpec &spec) {
  ConvRequest request(std::move(context), spec);
  if (auto refusal = algorithm.supports(request))
    return std::move(*refusal);
  return algorithm.make(request, [] {
    return Refusal{ErrorCode::Unsupported, "no other algorithm"};
  });
}

inline Convolution windows(Dims strides, int64_t pad, Dims dilation = {1, 1}) {
  Convolution o;
  o.strides = std::move(strides);
  o.padding = {{pad, pad}, {pad, pad}};
  o.rhsDilation = std::move(dilation);
  return o;
}

} // namespace assay::engine
