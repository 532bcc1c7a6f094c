// Operations whose results have no bound where their operands have errors, each
// with its reason: their consumers are judged by another rule, and nothing is
// called wrong.
#include "assay/judge/program/ProgramTruth.h"
#include "assay/program/Types.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

/// The first operation of @main without a bound, with the reason; every
/// argument is drawn by one seed.
static std::string noBoundOf(const char *text) {
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  auto function = llvm::cantFail(program->function(""));
  std::vector<Tensor> inputs;
  for (mlir::Type type : function.getArgumentTypes()) {
    Tensor tensor = llvm::cantFail(
        Tensor::allocate(llvm::cantFail(program::tensorTypeOf(type))));
    std::memset(tensor.mutableBytes(), 0,
                static_cast<size_t>(tensor.denseBytes()));
    inputs.push_back(std::move(tensor));
  }
  ThreadPool pool(1);
  return llvm::cantFail(computeTruth(program, "", inputs, pool, 0)).noBound;
}

// Errors pass through transforms and functions of complex numbers.
TEST(NoBound, NotTransformsOfInexactNumbers) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<8xf32>) -> tensor<5xcomplex<f32>> {
    %0 = stablehlo.exponential %a : tensor<8xf32>
    %1 = stablehlo.fft %0, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
    return %1 : tensor<5xcomplex<f32>>
  })"),
            "");
}

TEST(NoBound, SortsOfSeveralTensorsByInexactKeys) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.exponential %a : tensor<8xf32>
    %1:2 = "stablehlo.sort"(%0, %b) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>):
      %l = stablehlo.abs %x : tensor<f32>
      %r = stablehlo.abs %y : tensor<f32>
      %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %1#0, %1#1 : tensor<8xf32>, tensor<8xf32>
  })"),
            "operation stablehlo.sort: it sorts several tensors by keys that "
            "are not exact");
}

// The keys themselves, sorted, move no further than the largest error: what
// chlo.top_k becomes in a portable artifact.
TEST(NoBound, NotTheKeysOfASortOfSeveralTensors) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.exponential %a : tensor<8xf32>
    %i = stablehlo.iota dim = 0 : tensor<8xi32>
    %1:2 = "stablehlo.sort"(%0, %i) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
      %c = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
    return %1#0 : tensor<8xf32>
  })"),
            "");
}

TEST(NoBound, ProductsOfSelectionsAmongInexactValues) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<4x4xf32>, %s: tensor<2x2xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.exponential %a : tensor<4x4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.select_and_scatter"(%0, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.multiply %x, %y : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  })"),
            "operation stablehlo.select_and_scatter: it selects among values "
            "that are not exact");
}

TEST(NoBound, NotFunctionsOfInexactComplexNumbers) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
    %0 = stablehlo.multiply %a, %a : tensor<4xcomplex<f32>>
    %1 = stablehlo.exponential %0 : tensor<4xcomplex<f32>>
    return %1 : tensor<4xcomplex<f32>>
  })"),
            "");
}

TEST(NoBound, IntegersMultipliedIntoFloats) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<4x4xi8>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xi8>, tensor<4x4xi8>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  })"),
            "operation stablehlo.dot_general: integers multiplied into floats");
}

TEST(NoBound, RegionsWithComplexConstants) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<4xcomplex<f32>>, %i: tensor<complex<f32>>) -> tensor<complex<f32>> {
    %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
    ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
      %k = stablehlo.constant dense<(2.0, 1.0)> : tensor<complex<f32>>
      %m = stablehlo.multiply %y, %k : tensor<complex<f32>>
      %s = stablehlo.add %x, %m : tensor<complex<f32>>
      stablehlo.return %s : tensor<complex<f32>>
    }) : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
    return %0 : tensor<complex<f32>>
  })"),
            "operation stablehlo.reduce: a region of 'stablehlo.reduce' reads "
            "values from outside or holds complex constants");
}

TEST(NoBound, QuantisationByScalesOf16Bits) {
  EXPECT_EQ(noBoundOf(R"(func.func @main(%a: tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f16, 0.5>> {
    %0 = stablehlo.uniform_quantize %a : (tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f16, 0.5>>
    return %0 : tensor<4x!quant.uniform<i8:f16, 0.5>>
  })"),
            "operation stablehlo.uniform_quantize: scales of 16 bits are "
            "computed in several ways");
}
