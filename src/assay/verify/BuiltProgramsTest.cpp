// Words of the grammar, built into programs and run by the reference engine,
// against plain loops over small integers: a driver's program does what its
// words say, element by element.
#include "assay/numerics/Convert.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "assay/verify/TestProblem.h"

using namespace assay;
using namespace assay::verify;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;
using Values = std::vector<double>;

static const ElementType kF64 = ElementType::floating(FloatFormat::F64);

namespace {
/// The program of some words; the inputs and results of a run.
struct Built {
  explicit Built(llvm::StringRef words) : problem(problemOf(words)) {
    EXPECT_EQ(problem.invalid, "") << words.str();
    bound = llvm::cantFail(problem.driver->build(problem));
    auto function = llvm::cantFail(bound.program->function(bound.entry));
    for (mlir::Type type : function.getArgumentTypes())
      types.push_back(llvm::cantFail(program::tensorTypeOf(type)));
  }

  /// Small integers of both signs; another sequence for each argument.
  void run() {
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < types.size(); ++i) {
      Tensor tensor = llvm::cantFail(Tensor::allocate(types[i]));
      Values values;
      for (int64_t j = 0; j < tensor.size(); ++j)
        values.push_back(static_cast<double>((j * 5 + j / 3 + 7 * i) % 9) - 4);
      numerics::convertArray(kF64, values.data(), types[i].element,
                             tensor.mutableBytes(), tensor.size());
      inputs.push_back(values);
      arguments.push_back(std::move(tensor));
    }
    auto plan = llvm::cantFail(program::buildPlan(
        bound.program, reference::ReferenceCompiler(), {}));
    ThreadPool pool(1);
    program::RunContext context(pool);
    auto results =
        llvm::cantFail(program::execute(*plan, arguments, context));
    for (const program::Value &value : results) {
      Tensor dense = llvm::cantFail(value.tensor().dense());
      shapes.emplace_back(dense.shape());
      outputs.emplace_back(static_cast<size_t>(dense.size()));
      numerics::convertArray(dense.elementType(), dense.bytes(), kF64,
                             outputs.back().data(), dense.size());
    }
  }

  Problem problem;
  BoundProgram bound;
  std::vector<tensor::TensorType> types;
  std::vector<Values> inputs, outputs;
  std::vector<tensor::Shape> shapes;
};
} // namespace

/// The one result of some words beside `loops`, which gets the inputs.
template <typename Loops>
static void expectLike(llvm::StringRef words, const tensor::Shape &shape,
                       Loops loops) {
  SCOPED_TRACE(words.str());
  Built built(words);
  built.run();
  ASSERT_EQ(built.outputs.size(), 1u);
  EXPECT_EQ(built.shapes[0], shape);
  EXPECT_EQ(built.outputs[0], loops(built.inputs));
}

TEST(BuiltPrograms, GroupsOverRowsAndOverDepth) {
  // The groups are rows 0 and 1, no rows, rows 2 to 4, each with its own
  // weights and bias.
  const int group[5] = {0, 0, 2, 2, 2};
  expectLike("--matmul --bia-dt=f32 --grouped=0:3:2+0+3 5x4:3x4x3", {5, 3},
             [&](const std::vector<Values> &in) {
               Values out;
               for (int i = 0; i < 5; ++i)
                 for (int j = 0; j < 3; ++j) {
                   double sum = in[2][group[i] * 3 + j];
                   for (int k = 0; k < 4; ++k)
                     sum += in[0][i * 4 + k] *
                            in[1][(group[i] * 4 + k) * 3 + j];
                   out.push_back(sum);
                 }
               return out;
             });
  // The same parts of the depth, one product for each; the second one is empty.
  expectLike("--matmul --grouped=1:3:2+0+3 2x5:5x3", {3, 2, 3},
             [&](const std::vector<Values> &in) {
               Values out;
               for (int g = 0; g < 3; ++g)
                 for (int i = 0; i < 2; ++i)
                   for (int j = 0; j < 3; ++j) {
                     double sum = 0;
                     for (int k = 0; k < 5; ++k)
                       if (group[k] == g)
                         sum += in[0][i * 5 + k] * in[1][k * 3 + j];
                     out.push_back(sum);
                   }
               return out;
             });
}

TEST(BuiltPrograms, BatchesOfOneAreSpread) {
  expectLike("--matmul 2x1x3x4:1x2x4x5", {2, 2, 3, 5},
             [](const std::vector<Values> &in) {
               Values out;
               for (int a = 0; a < 2; ++a)
                 for (int b = 0; b < 2; ++b)
                   for (int i = 0; i < 3; ++i)
                     for (int j = 0; j < 5; ++j) {
                       double sum = 0;
                       for (int k = 0; k < 4; ++k)
                         sum += in[0][(a * 3 + i) * 4 + k] *
                                in[1][(b * 4 + k) * 5 + j];
                       out.push_back(sum);
                     }
               return out;
             });
}

TEST(BuiltPrograms, SidesOfOneAreSpreadInTwoTensors) {
  for (auto [words, one, other] : {std::tuple("--binary --alg=sub 2x1x3:2x4x1",
                                              std::array{3, 0, 1},
                                              std::array{4, 1, 0}),
                                   {"--binary --alg=sub 1x4x3:2x4x3",
                                    std::array{0, 3, 1},
                                    std::array{12, 3, 1}}})
    expectLike(words, {2, 4, 3}, [&](const std::vector<Values> &in) {
      Values out;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          for (int k = 0; k < 3; ++k)
            out.push_back(in[0][i * one[0] + j * one[1] + k * one[2]] -
                          in[1][i * other[0] + j * other[1] + k * other[2]]);
      return out;
    });
}

TEST(BuiltPrograms, SumsConcatenationsAndShuffles) {
  expectLike("--sum --sdt=f32:f32 --scales=2:3 2x3", {2, 3},
             [](const std::vector<Values> &in) {
               Values out;
               for (size_t i = 0; i < 6; ++i)
                 out.push_back(2 * in[0][i] + 3 * in[1][i]);
               return out;
             });
  expectLike("--concat --axis=1 2x3:2x2", {2, 5},
             [](const std::vector<Values> &in) {
               Values out;
               for (size_t i = 0; i < 2; ++i) {
                 out.insert(out.end(), &in[0][3 * i], &in[0][3 * i] + 3);
                 out.insert(out.end(), &in[1][2 * i], &in[1][2 * i] + 2);
               }
               return out;
             });
  // Channels as 3 rows of 2, transposed: dst[c * 3 + g] = src[g * 2 + c].
  auto shuffled = [](const std::vector<Values> &in, int rows, int columns) {
    Values out(in[0].size());
    for (int n = 0; n < 2; ++n)
      for (int g = 0; g < rows; ++g)
        for (int c = 0; c < columns; ++c)
          for (int x = 0; x < 3; ++x)
            out[(n * 6 + c * rows + g) * 3 + x] =
                in[0][(n * 6 + g * columns + c) * 3 + x];
    return out;
  };
  expectLike("--shuffle --axis=1 --group=2 2x6x3", {2, 6, 3},
             [&](const std::vector<Values> &in) { return shuffled(in, 3, 2); });
  expectLike("--shuffle --dir=BWD_D --axis=1 --group=2 2x6x3", {2, 6, 3},
             [&](const std::vector<Values> &in) { return shuffled(in, 2, 3); });
}
