// Elementwise operations on types that are computed in another type, with
// tensor sizes around the block size: every element must be computed, for one
// or three operands, each a tensor or a scalar.
#include "assay/numerics/Convert.h"
#include "assay/program/Executor.h"
#include "assay/program/PlanBuilder.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "gtest/gtest.h"

using namespace assay;
using tensor::Tensor;

static const numerics::ElementType kF64 =
    numerics::ElementType::floating(numerics::FloatFormat::F64);

/// The result of @main in f64; the arguments are given in f64 as well.
static std::vector<double> run(const std::string &text,
                               const std::vector<std::vector<double>> &given) {
  auto program = llvm::cantFail(program::Program::parse(text, "test.mlir"));
  auto function = llvm::cantFail(program->function(""));
  std::vector<Tensor> arguments;
  for (auto [type, values] : llvm::zip(function.getArgumentTypes(), given)) {
    auto wanted = llvm::cantFail(program::tensorTypeOf(type));
    arguments.push_back(llvm::cantFail(Tensor::allocate(wanted)));
    numerics::convertArray(kF64, values.data(), wanted.element,
                           arguments.back().mutableBytes(),
                           arguments.back().size());
  }
  auto plan = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), {}));
  ThreadPool threads(2);
  program::RunContext context(threads);
  auto results = llvm::cantFail(program::execute(*plan, arguments, context));
  Tensor dense = llvm::cantFail(results[0].tensor().dense());
  std::vector<double> values(static_cast<size_t>(dense.size()));
  numerics::convertArray(dense.elementType(), dense.bytes(), kF64,
                         values.data(), dense.size());
  return values;
}

TEST(Blocks, HoldEveryElement) {
  for (const char *type : {"bf16", "f16", "f8E4M3FN", "i4", "f32", "i8"})
    for (int64_t n : {1, 2, 3, 511, 512, 513, 1024, 1025, 4097}) {
      std::string tensor =
          "tensor<" + std::to_string(n) + "x" + type + ">";
      std::vector<double> x, twice, bounded;
      for (int64_t i = 0; i < n; ++i) {
        x.push_back(static_cast<double>(i % 7 - 3));
        twice.push_back(2 * x.back());
        bounded.push_back(std::min(std::max(x.back(), -1.0), 2.0));
      }
      EXPECT_EQ(run("func.func @main(%x: " + tensor + ") -> " + tensor +
                        " {\n  %0 = stablehlo.add %x, %x : " + tensor +
                        "\n  return %0 : " + tensor + "\n}",
                    {x}),
                twice)
          << tensor;
      std::string one = std::string("tensor<") + type + ">";
      EXPECT_EQ(run("func.func @main(%x: " + tensor + ", %a: " + one +
                        ", %b: " + one + ") -> " + tensor +
                        " {\n  %0 = stablehlo.clamp %a, %x, %b : (" + one +
                        ", " + tensor + ", " + one + ") -> " + tensor +
                        "\n  return %0 : " + tensor + "\n}",
                    {x, {-1}, {2}}),
                bounded)
          << tensor;
    }
}

TEST(Blocks, OfANumberWithoutDimensions) {
  for (const char *type : {"bf16", "f16", "f8E4M3FN", "i4", "f64"}) {
    std::string one = std::string("tensor<") + type + ">";
    EXPECT_EQ(run("func.func @main(%x: " + one + ", %y: " + one + ") -> " +
                      one + " {\n  %0 = stablehlo.subtract %x, %y : " + one +
                      "\n  return %0 : " + one + "\n}",
                  {{3}, {5}}),
              std::vector<double>{-2})
        << one;
  }
}
