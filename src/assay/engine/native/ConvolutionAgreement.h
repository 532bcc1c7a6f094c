/// Tests of convolution in the native engine: one form on it and on the
/// reference, on small integers, where every order of summation gives the same
/// numbers: it must be one step of a kernel, and its result equal bit for bit.
#pragma once

#include "assay/engine/native/NativeEngine.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Builder.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"
#include "gtest/gtest.h"

#include <cstring>

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
  const char *result = nullptr; ///< null: as the operands
};

inline Tensor filled(const tensor::TensorType &type, int salt) {
  Tensor value = llvm::cantFail(Tensor::allocate(type));
  std::vector<float> numbers;
  float unit = type.element.isInteger() ? 25 : 1;
  for (int64_t i = 0; i < value.size(); ++i)
    numbers.push_back(unit *
                      static_cast<float>((i * 7 + i / 11 + salt) % 11 - 5));
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

inline Convolution windows(Dims strides, int64_t pad, Dims dilation = {1, 1}) {
  Convolution o;
  o.strides = std::move(strides);
  o.padding = {{pad, pad}, {pad, pad}};
  o.rhsDilation = std::move(dilation);
  return o;
}

} // namespace assay::engine
