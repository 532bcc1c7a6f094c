/// For the tests of bounds: a program's bounds on given arguments.
#pragma once

#include "assay/judge/program/ProgramTruth.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Types.h"

#include "gtest/gtest.h"

#include <cmath>

namespace assay::judge {

/// The error bounds of a program's results, and their exact values.
struct Bounds {
  std::vector<std::vector<double>> errors, exact;
};

/// The bounds of @main's results; arguments are f32 or, with two numbers for
/// each element, complex<f32>, by the program's own types.
inline Bounds boundsOf(const std::string &text,
                       const std::vector<std::vector<double>> &arguments) {
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  std::vector<tensor::Tensor> inputs;
  auto function = llvm::cantFail(program->function(""));
  for (auto [type, values] :
       llvm::zip(function.getArgumentTypes(), arguments)) {
    tensor::TensorType wanted = llvm::cantFail(program::tensorTypeOf(type));
    tensor::Tensor tensor = llvm::cantFail(tensor::Tensor::allocate(wanted));
    numerics::ElementType from = wanted.element.isComplex()
                           ? numerics::ElementType::complex(numerics::FloatFormat::F64)
                           : numerics::ElementType::floating(numerics::FloatFormat::F64);
    numerics::convertArray(from, values.data(), wanted.element,
                           tensor.mutableBytes(), tensor.size());
    inputs.push_back(std::move(tensor));
  }
  ThreadPool pool(1);
  ProgramTruth truth =
      llvm::cantFail(computeTruth(program, "", inputs, pool, 0));
  EXPECT_EQ(truth.noBound, "");
  Bounds bounds;
  for (size_t i = 0; i < truth.results.size(); ++i) {
    auto size = static_cast<size_t>(truth.results[i].tensor().size());
    const Errors &errors = truth.errors[i];
    bounds.errors.push_back(!errors ? std::vector<double>(size, 0)
                            : errors->size() == size
                                ? *errors
                                : std::vector<double>(size, errors->front()));
    bounds.exact.push_back(isFloating(truth.results[i])
                               ? exactValues(truth.results[i])
                               : std::vector<double>());
  }
  return bounds;
}

/// f32 numbers of both signs that use all their bits.
inline std::vector<double> numbers(size_t n, double from = 0.3) {
  std::vector<double> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] =
        static_cast<float>(std::sin(from + 1.7 * static_cast<double>(i)) * 1.9);
  return values;
}

} // namespace assay::judge
