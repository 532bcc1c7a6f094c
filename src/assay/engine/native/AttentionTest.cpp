// Attention as one step: the reference's results for every layout of its
// operands, in memory that grows with a piece of the scores. Separate steps if
// another step reads the scores.
#include "assay/engine/native/NativeAgreement.h"

#include <cmath>

using namespace assay;
using namespace assay::engine;

namespace {
/// The order in memory of [heads, rows, columns] as dimensions 0, 1, 2.
struct Order {
  int dims[3] = {0, 1, 2};
};

/// An attention of whole numbers that resembles softmax: shares = masked -
/// maximum of the row.
struct Attention {
  explicit Attention(int64_t heads = 4, int64_t rows = 256, int64_t keys = 256,
                     int64_t depth = 8, int64_t width = 8)
      : heads(heads), rows(rows), keys(keys), depth(depth), width(width) {}
  int64_t heads, rows, keys, depth, width;
  Order q, k, v, result;
  bool firstTurned = false, secondTurned = false; ///< keys x queries; values first
  std::string maskDims = "0, 1, 2"; ///< dimensions of [heads, rows, keys];
                                    ///< empty: no mask
  std::string type = "f32";
  std::string returned; ///< another value to return
  bool computes = false; ///< whether keys and values are computed

  std::string shape(llvm::ArrayRef<int64_t> sizes) const {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + type + ">";
  }
  std::string stored(llvm::ArrayRef<int64_t> sizes, const Order &order) const {
    return shape({sizes[order.dims[0]], sizes[order.dims[1]],
                  sizes[order.dims[2]]});
  }
  std::string mask() const;
  std::string read(const char *name, llvm::ArrayRef<int64_t> sizes,
                   const Order &order) const;
  std::string scores() const;
  std::string values() const;
  std::string loop() const;
  std::string computed() const;
  std::string text() const;
};
} // namespace

std::string Attention::mask() const {
  int64_t sizes[] = {heads, rows, keys};
  llvm::SmallVector<int64_t, 3> shapeOfMask;
  for (char c : maskDims)
    if (c >= '0' && c <= '2')
      shapeOfMask.push_back(sizes[c - '0']);
  return shape(shapeOfMask);
}

/// %name.t: the argument with its dimensions in the order [heads, rows,
/// columns].
std::string Attention::read(const char *name, llvm::ArrayRef<int64_t> sizes,
                            const Order &order) const {
  int back[3];
  for (int d = 0; d < 3; ++d)
    back[order.dims[d]] = d;
  return llvm::formatv("  %{0}.t = stablehlo.transpose %{0}, dims = [{1}, {2}, "
                       "{3}] : ({4}) -> {5}\n",
                       name, back[0], back[1], back[2], stored(sizes, order),
                       shape(sizes))
      .str();
}

std::string Attention::scores() const {
  const char *form = firstTurned
                         ? "  %turned = stablehlo.dot_general %k.t, %q.t, "
                           "batching_dims = [0] x [0], contracting_dims = [2] x "
                           "[2] : ({1}, {0}) -> {2}\n  %s = "
                           "stablehlo.transpose %turned, dims = [0, 2, 1] : "
                           "({2}) -> {3}\n"
                         : "  %s = stablehlo.dot_general %q.t, %k.t, "
                           "batching_dims = [0] x [0], contracting_dims = [2] x "
                           "[2] : ({0}, {1}) -> {3}\n";
  return llvm::formatv(form, shape({heads, rows, depth}),
                       shape({heads, keys, depth}), shape({heads, keys, rows}),
                       shape({heads, rows, keys}))
      .str();
}

std::string Attention::values() const {
  const char *form =
      secondTurned ? "  %turned.o = stablehlo.dot_general %v.t, %p, "
                     "batching_dims = [0] x [0], contracting_dims = [1] x [2] : "
                     "({1}, {0}) -> {2}\n  %o = stablehlo.transpose %turned.o, "
                     "dims = [0, 2, 1] : ({2}) -> {3}\n"
                   : "  %o = stablehlo.dot_general %p, %v.t, batching_dims = "
                     "[0] x [0], contracting_dims = [2] x [1] : ({0}, {1}) -> "
                     "{3}\n";
  return llvm::formatv(form, shape({heads, rows, keys}),
                       shape({heads, keys, width}), shape({heads, width, rows}),
                       shape({heads, rows, width}))
      .str();
}

std::string Attention::loop() const {
  std::string all = shape({heads, rows, keys}), row = shape({heads, rows});
  std::string masked =
      maskDims.empty()
          ? llvm::formatv("  %m = stablehlo.abs %s : {0}\n", all).str()
          : llvm::formatv("  %mb = stablehlo.broadcast_in_dim %mask, dims = "
                          "[{0}] : ({1}) -> {2}\n"
                          "  %m = stablehlo.add %s, %mb : {2}\n",
                          maskDims, mask(), all)
                .str();
  return masked +
         llvm::formatv(
             "  %low = stablehlo.constant dense<-100.0> : tensor<{2}>\n"
             "  %max = stablehlo.reduce(%m init: %low) applies "
             "stablehlo.maximum across dimensions = [2] : ({0}, tensor<{2}>) "
             "-> {1}\n"
             "  %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1] : ({1}) "
             "-> {0}\n"
             "  %p = stablehlo.subtract %m, %maxb : {0}\n",
             all, row, type)
             .str();
}

/// Operands of one matrix that are computed, so that they are not weights.
std::string Attention::computed() const {
  return llvm::formatv("  %k = stablehlo.add %k0, %k0 : {0}\n  %v = "
                       "stablehlo.add %v0, %v0 : {1}\n",
                       stored({heads, keys, depth}, k),
                       stored({heads, keys, width}, v))
      .str();
}

std::string Attention::text() const {
  int64_t made[] = {heads, rows, width};
  const char *suffix = computes ? "0" : "";
  std::string also =
      returned.empty() ? "" : ", " + shape({heads, rows, keys});
  std::string text =
      llvm::formatv("func.func @main(%q: {0}, %k{1}: {2}, %v{1}: {3}{4}) -> "
                    "({5}{6}) {{\n",
                    stored({heads, rows, depth}, q), suffix,
                    stored({heads, keys, depth}, k),
                    stored({heads, keys, width}, v),
                    maskDims.empty() ? "" : ", %mask: " + mask(),
                    stored(made, result), also)
          .str();
  text += (computes ? computed() : "") + read("q", {heads, rows, depth}, q) +
          read("k", {heads, keys, depth}, k) +
          read("v", {heads, keys, width}, v) + scores() + loop() + values();
  text += llvm::formatv("  %r = stablehlo.transpose %o, dims = [{0}, {1}, {2}] "
                        ": ({3}) -> {4}\n  return %r{5} : {4}{6}\n}\n",
                        result.dims[0], result.dims[1], result.dims[2],
                        shape(made), stored(made, result),
                        returned.empty() ? "" : ", " + returned, also)
              .str();
  return text;
}

namespace {
/// A program's plan on the native engine, with the engine that owns its kernels.
struct Planned {
  NativeEngine engine{"native",
                      std::make_shared<reference::ReferenceCompiler>()};
  std::shared_ptr<const program::Program> program;
  std::unique_ptr<program::Plan> plan, reference;
  explicit Planned(const std::string &text)
      : program(llvm::cantFail(program::Program::parse(text, "test"))),
        plan(llvm::cantFail(engine.makePlan(program, {}))),
        reference(llvm::cantFail(program::buildPlan(
            program, reference::ReferenceCompiler(), {}))) {}
};
} // namespace

/// The number of steps of the plan that are a whole attention.
static int64_t attentionSteps(const program::Plan &plan) {
  int64_t count = 0;
  for (const auto &function : plan.functions)
    for (const program::BlockPlan &block : function->blocks)
      count += llvm::count_if(block.steps, [](const program::StepNode &node) {
        return node.name == "native.attention";
      });
  return count;
}

/// Expects the reference's results, from three native steps or from one that
/// replaces them; `more`: the number of other native steps.
static void expectSteps(const std::string &text, bool isOne, int64_t more = 0) {
  EXPECT_EQ(attentionSteps(*Planned(text).plan), isOne) << text;
  expectAgreement(text.c_str(), 3 + more);
}
static void expectOneStep(const Attention &attention) {
  expectSteps(attention.text(), true);
}
static void expectThreeSteps(const Attention &attention) {
  expectSteps(attention.text(), false);
}

//===--- One step ---------------------------------------------------------===//

TEST(Attention, IsOneStepWithAnyLayoutOfItsOperands) {
  expectOneStep(Attention());
  // Heads inside the tokens, as programs store them; keys by depth; a result by
  // head.
  Attention tokens;
  tokens.q = tokens.k = tokens.v = tokens.result = {{1, 0, 2}};
  expectOneStep(tokens);
  Attention deep;
  deep.k = {{0, 2, 1}};
  deep.v = {{2, 0, 1}};
  expectOneStep(deep);
  Attention columns;
  columns.q = {{2, 1, 0}};
  columns.result = {{0, 2, 1}};
  expectOneStep(columns);
}

TEST(Attention, TakesProductsTheOtherWayRound) {
  for (bool first : {false, true})
    for (bool second : {false, true}) {
      Attention turned;
      turned.firstTurned = first;
      turned.secondTurned = second;
      turned.q = turned.k = turned.v = turned.result = {{1, 0, 2}};
      expectOneStep(turned);
    }
}

TEST(Attention, RaggedPiecesOfUnevenHeads) {
  // Heads in several pieces; no number of threads divides their number.
  int64_t shapes[][5] = {{3, 301, 1030, 8, 8},
                         {5, 67, 2051, 3, 17},
                         {1, 37, 8000, 5, 9},
                         {7, 195, 197, 16, 1},
                         {2, 33, 5003, 1, 40}};
  for (auto [heads, rows, keys, depth, width] : shapes) {
    Attention ragged{heads, rows, keys, depth, width};
    ragged.computes = heads == 1;
    expectOneStep(ragged);
    ragged.q = ragged.k = ragged.v = ragged.result = {{1, 0, 2}};
    expectOneStep(ragged);
  }
}

TEST(Attention, MasksOfAllShapes) {
  for (const char *dims : {"", "1, 2", "0, 1", "0, 2", "2", "1", "0"}) {
    Attention masked{3, 300, 520, 4, 4};
    masked.maskDims = dims;
    expectOneStep(masked);
  }
}

TEST(Attention, OtherElementTypes) {
  Attention wide;
  wide.type = "f64";
  expectOneStep(wide);
  Attention half{8, 256, 256, 4, 4};
  half.type = "f16";
  expectOneStep(half);
}

TEST(Attention, GroupsOfQueriesThatShareKeys) {
  // As JAX writes it: queries [tokens, keys' heads, group, depth], keys as the
  // left operand of both products, results transposed.
  expectSteps(R"(func.func @main(%q: tensor<150x2x3x4xf32>, %k: tensor<300x2x4xf32>, %v: tensor<300x2x5xf32>) -> tensor<150x2x3x5xf32> {
    %low = stablehlo.constant dense<-100.0> : tensor<f32>
    %0 = stablehlo.dot_general %k, %q, batching_dims = [1] x [1], contracting_dims = [2] x [3] : (tensor<300x2x4xf32>, tensor<150x2x3x4xf32>) -> tensor<2x300x150x3xf32>
    %s = stablehlo.transpose %0, dims = [0, 3, 2, 1] : (tensor<2x300x150x3xf32>) -> tensor<2x3x150x300xf32>
    %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x150x300xf32>, tensor<f32>) -> tensor<2x3x150xf32>
    %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<2x3x150xf32>) -> tensor<2x3x150x300xf32>
    %d = stablehlo.subtract %s, %maxb : tensor<2x3x150x300xf32>
    %p = stablehlo.abs %d : tensor<2x3x150x300xf32>
    %o = stablehlo.dot_general %v, %p, batching_dims = [1] x [0], contracting_dims = [0] x [3] : (tensor<300x2x5xf32>, tensor<2x3x150x300xf32>) -> tensor<2x5x3x150xf32>
    %r = stablehlo.transpose %o, dims = [3, 0, 2, 1] : (tensor<2x5x3x150xf32>) -> tensor<150x2x3x5xf32>
    return %r : tensor<150x2x3x5xf32>
  })",
              true);
}

TEST(Attention, HeadsInTheLoopsOrder) {
  // Two dimensions of heads, which the loop reads in the opposite order.
  expectSteps(R"(func.func @main(%q: tensor<2x3x256x4xf32>, %k: tensor<2x3x256x4xf32>, %v: tensor<3x2x256x4xf32>) -> tensor<3x2x256x4xf32> {
    %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x256x4xf32>, tensor<2x3x256x4xf32>) -> tensor<2x3x256x256xf32>
    %t = stablehlo.transpose %s, dims = [1, 0, 2, 3] : (tensor<2x3x256x256xf32>) -> tensor<3x2x256x256xf32>
    %n = stablehlo.abs %t : tensor<3x2x256x256xf32>
    %p = stablehlo.subtract %n, %t : tensor<3x2x256x256xf32>
    %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<3x2x256x256xf32>, tensor<3x2x256x4xf32>) -> tensor<3x2x256x4xf32>
    return %o : tensor<3x2x256x4xf32>
  })",
              false);
}

//===--- Numbers -----------------------------------------------------------===//

/// A causal softmax in which whole rows are masked out.
static const char *const kSoftmax =
    R"(func.func @main(%q: tensor<1x300x4x16xf32>, %k: tensor<1x300x4x16xf32>, %v: tensor<1x300x4x16xf32>, %m: tensor<300x300xi1>) -> tensor<1x300x4x16xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %lows = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<1x4x300x300xf32>
    %qt = stablehlo.transpose %q, dims = [0, 2, 1, 3] : (tensor<1x300x4x16xf32>) -> tensor<1x4x300x16xf32>
    %kt = stablehlo.transpose %k, dims = [0, 2, 1, 3] : (tensor<1x300x4x16xf32>) -> tensor<1x4x300x16xf32>
    %vt = stablehlo.transpose %v, dims = [0, 2, 1, 3] : (tensor<1x300x4x16xf32>) -> tensor<1x4x300x16xf32>
    %s = stablehlo.dot_general %qt, %kt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x4x300x16xf32>, tensor<1x4x300x16xf32>) -> tensor<1x4x300x300xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [2, 3] : (tensor<300x300xi1>) -> tensor<1x4x300x300xi1>
    %x = stablehlo.select %mb, %s, %lows : tensor<1x4x300x300xi1>, tensor<1x4x300x300xf32>
    %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x300x300xf32>, tensor<f32>) -> tensor<1x4x300xf32>
    %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<1x4x300xf32>) -> tensor<1x4x300x300xf32>
    %d = stablehlo.subtract %x, %maxb : tensor<1x4x300x300xf32>
    %e = stablehlo.exponential %d : tensor<1x4x300x300xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x4x300x300xf32>, tensor<f32>) -> tensor<1x4x300xf32>
    %sumb = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<1x4x300xf32>) -> tensor<1x4x300x300xf32>
    %p = stablehlo.divide %e, %sumb : tensor<1x4x300x300xf32>
    %o = stablehlo.dot_general %p, %vt, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x4x300x300xf32>, tensor<1x4x300x16xf32>) -> tensor<1x4x300x16xf32>
    %r = stablehlo.transpose %o, dims = [0, 2, 1, 3] : (tensor<1x4x300x16xf32>) -> tensor<1x300x4x16xf32>
    return %r : tensor<1x300x4x16xf32>
  })";

/// Queries that are small and not whole numbers, and a causal mask.
static std::vector<Tensor> softmaxArguments(const program::Program &program) {
  std::vector<Tensor> arguments = makeArguments(program);
  for (int64_t i = 0; i < arguments[0].size(); ++i)
    arguments[0].mutableData<float>()[i] /= 7;
  std::byte *mask = arguments[3].mutableBytes();
  for (int64_t row = 0; row < 300; ++row)
    for (int64_t key = 0; key < 300; ++key)
      mask[row * 300 + key] = std::byte{key <= row};
  return arguments;
}

TEST(Attention, SoftmaxWithSpecialValues) {
  Planned made(kSoftmax);
  std::vector<Tensor> arguments = softmaxArguments(*made.program);
  // Rows that are masked out completely are NaN; infinite and NaN queries and
  // values affect only their own rows and columns.
  std::memset(arguments[3].mutableBytes() + 17 * 300, 0, 300);
  std::memset(arguments[3].mutableBytes() + 299 * 300, 0, 300);
  arguments[0].mutableData<float>()[40 * 64 + 3] = NAN;
  arguments[0].mutableData<float>()[150 * 64 + 20] = INFINITY;
  arguments[1].mutableData<float>()[200 * 64 + 20] = -INFINITY;
  arguments[2].mutableData<float>()[250 * 64 + 50] = INFINITY;
  Tensor expected = runPlan(*made.reference, arguments).results[0];
  PlanRun run = runPlan(*made.plan, arguments);
  EXPECT_EQ(run.engineSteps, 3);
  EXPECT_EQ(attentionSteps(*made.plan), 1);
  // Scores up to 60 in f32 give each weight a relative error of 60 * 2^-24;
  // values are up to 5.
  constexpr double kTolerance = 2 * 5 * 60 * 0x1p-24;
  int64_t nans = 0, infinities = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    float want = expected.data<float>()[i], got = run.results[0].data<float>()[i];
    nans += std::isnan(want);
    infinities += std::isinf(want);
    ASSERT_EQ(std::isnan(want), std::isnan(got)) << i;
    if (std::isinf(want)) {
      ASSERT_EQ(want, got) << i;
    } else if (!std::isnan(want)) {
      ASSERT_NEAR(want, got, kTolerance) << i;
    }
  }
  EXPECT_GE(nans, 2 * 64);
  EXPECT_GE(infinities, 1);
}

TEST(Attention, AnyNumberOfThreadsGivesTheSameBits) {
  Planned made(kSoftmax);
  std::vector<Tensor> arguments = softmaxArguments(*made.program);
  Tensor expected = runPlan(*made.plan, arguments, 1).results[0];
  for (int threads : {2, 3, 5, 8}) {
    PlanRun run = runPlan(*made.plan, arguments, threads);
    EXPECT_EQ(run.engineSteps, 3);
    expectSame(run.results[0], expected, 0,
               std::to_string(threads) + " threads");
  }
}

TEST(Attention, MoreThreadsThanPiecesRunTheStepsOneByOne) {
  Attention one{1, 32, 8192, 4, 4};
  one.computes = true;
  Planned made(one.text());
  std::vector<Tensor> arguments = makeArguments(*made.program);
  Tensor expected = runPlan(*made.reference, arguments).results[0];
  for (int threads : {1, 2, 3, 6}) {
    PlanRun run = runPlan(*made.plan, arguments, threads);
    EXPECT_EQ(run.engineSteps, 3);
    expectSame(run.results[0], expected, 0,
               std::to_string(threads) + " threads");
  }
}

//===--- Memory -------------------------------------------------------------===//

TEST(Attention, ScoresAreNeverInMemory) {
  // 16 MiB of them.
  Attention large{4, 1024, 1024, 4, 4};
  large.maskDims = "";
  Planned made(large.text());
  std::vector<Tensor> arguments = makeArguments(*made.program);
  ThreadPool threads(2);
  program::RunContext context(threads);
  context.budget = std::make_shared<MemoryBudget>(int64_t{7} << 20);
  auto results = program::execute(*made.plan, arguments, context);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_GT(context.budget->peakBytes(), 4 * 1024 * 4 * 4);
  // If even a piece needs too much memory, an error says so.
  context.budget = std::make_shared<MemoryBudget>(int64_t{100} << 10);
  results = program::execute(*made.plan, arguments, context);
  EXPECT_FALSE(bool(results));
  llvm::consumeError(results.takeError());
}

//===--- Separate steps ------------------------------------------------------===//

TEST(Attention, WhatOthersReadIsMade) {
  for (const char *also : {"%s", "%m", "%p"}) {
    Attention read;
    read.returned = also;
    expectThreeSteps(read);
  }
  // A value that is observed is not left out either.
  for (const char *name : {"stablehlo.dot_general", "stablehlo.subtract"}) {
    PlanRequest request;
    request.wanted = [name](mlir::Operation *op) {
      return op->getName().getStringRef() == name;
    };
    Planned plain(Attention().text());
    auto plan = plain.engine.makePlan(plain.program, request);
    ASSERT_TRUE(bool(plan));
    EXPECT_EQ(attentionSteps(**plan), 0) << name;
  }
}

TEST(Attention, FewScoresAndOneQueryStaySteps) {
  expectThreeSteps(Attention(4, 1, 70000, 4, 4));
  expectThreeSteps(Attention(4, 31, 2200, 4, 4));
  expectThreeSteps(Attention(4, 256, 255, 4, 4));
}

TEST(Attention, TwoLayersOfANetworkStaySteps) {
  // One wide matrix on each side, packed once and kept; or few rows.
  expectThreeSteps(Attention(1, 512, 512, 200, 60));
  expectThreeSteps(Attention(1, 512, 512, 60, 200));
  expectThreeSteps(Attention(1, 127, 2100, 4, 4));
  expectOneStep(Attention(1, 128, 2100, 4, 4));
  // A computed value is not a weight.
  Attention wide(1, 512, 512, 200, 60);
  wide.computes = true;
  expectOneStep(wide);
}

TEST(Attention, ALoopAcrossRowsStaysASeparateStep) {
  // A row of the loop is two rows of scores.
  std::string text = R"(func.func @main(%q: tensor<4x256x8xf32>, %k: tensor<4x256x8xf32>, %v: tensor<4x256x8xf32>) -> tensor<4x256x8xf32> {
    %low = stablehlo.constant dense<-100.0> : tensor<f32>
    %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x256x8xf32>, tensor<4x256x8xf32>) -> tensor<4x256x256xf32>
    %s2 = stablehlo.reshape %s : (tensor<4x256x256xf32>) -> tensor<4x128x512xf32>
    %max = stablehlo.reduce(%s2 init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x128x512xf32>, tensor<f32>) -> tensor<4x128xf32>
    %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x512xf32>
    %p2 = stablehlo.subtract %s2, %maxb : tensor<4x128x512xf32>
    %p = stablehlo.reshape %p2 : (tensor<4x128x512xf32>) -> tensor<4x256x256xf32>
    %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x256x256xf32>, tensor<4x256x8xf32>) -> tensor<4x256x8xf32>
    return %o : tensor<4x256x8xf32>
  })";
  expectSteps(text, false);
}
