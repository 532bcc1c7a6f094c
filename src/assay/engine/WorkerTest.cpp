// The worker process from the parent's side. The program itself serves
// `--worker`, so the test runs the `assay` beside it. The engines are the
// built-in reference and modules that cannot be loaded.
#include "assay/engine/Worker.h"
#include "assay/engine/Registry.h"
#include "assay/program/Builder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using namespace assay::engine;

static std::string assayProgram() {
  llvm::SmallString<256> path(llvm::sys::path::parent_path(
      llvm::sys::fs::getMainExecutable(nullptr, nullptr)));
  llvm::sys::path::append(path, "assay");
  return path.str().str();
}

static ProblemDescription matmul(int64_t m, int64_t k, int64_t n) {
  numerics::ElementType f32 = *numerics::parseElementType("f32");
  program::Builder builder;
  mlir::Value src = builder.argument({f32, {m, k}}),
              wei = builder.argument({f32, {k, n}});
  mlir::Value dst = builder.dot(src, wei, {}, {}, {1}, {0});
  ProblemDescription problem;
  problem.driver = "matmul";
  problem.json = "{}";
  problem.program =
      llvm::cantFail(builder.finish({dst}, "matmul"))->toBytecode();
  problem.threads = 1;
  problem.tensors = {{"src", "f32", {m, k}, {k, 1}, false},
                     {"wei", "f32", {k, n}, {n, 1}, false},
                     {"dst", "f32", {m, n}, {n, 1}, true}};
  return problem;
}

namespace {
struct Fixture {
  Arena arena = llvm::cantFail(Arena::create(int64_t(1) << 30));
  std::unique_ptr<Worker> worker;
  explicit Fixture(std::string module, double timeout = 20) {
    llvm::cantFail(arena.grow(16 * kPageBytes));
    WorkerOptions options;
    options.program = assayProgram();
    options.module = std::move(module);
    options.timeoutSeconds = timeout;
    worker = std::make_unique<Worker>(arena, options);
  }
};
} // namespace

TEST(Worker, RunsAProductOnSharedTensors) {
  ASSERT_TRUE(llvm::sys::fs::exists(assayProgram()));
  Fixture setup("builtin:reference");
  WorkerResult created = setup.worker->create(matmul(2, 3, 2));
  ASSERT_EQ(created.kind, WorkerResult::Kind::Ok) << created.reason;
  std::vector<Placement> places;
  for (int64_t bytes : {24, 24, 16}) {
    int64_t page = static_cast<int64_t>(places.size()) + 1;
    places.push_back(
        {page * kPageBytes, kPageBytes,
         kPageBytes - bytes}); // the guard page touches the last byte
  }
  auto at = [&](int i) {
    return reinterpret_cast<float *>(setup.arena.data() + places[i].fileOffset +
                                     places[i].dataOffset);
  };
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
  std::memcpy(at(0), a, sizeof a);
  std::memcpy(at(1), b, sizeof b);
  WorkerResult result = setup.worker->run({3, 0, 0, 0, 0, 0}, places);
  ASSERT_EQ(result.kind, WorkerResult::Kind::Ok) << result.reason;
  const float expected[] = {58, 64, 139, 154};
  EXPECT_EQ(std::memcmp(at(2), expected, sizeof expected), 0);
  RunRequest timed{3, 5, 10, 5, 0, 0};
  EXPECT_EQ(setup.worker->run(timed, places).samples.size(), 5u);
  EXPECT_EQ(setup.worker->destroy().kind, WorkerResult::Kind::Ok);
  // The same process accepts the next problem.
  EXPECT_EQ(setup.worker->create(matmul(4, 4, 4)).kind, WorkerResult::Kind::Ok);
}

TEST(Worker, WhatIsNotRightComesBackAsAValue) {
  ASSERT_TRUE(llvm::sys::fs::exists(assayProgram()));
  Fixture missing("/nonexistent/engine.so");
  WorkerResult result = missing.worker->create(matmul(2, 3, 2));
  EXPECT_EQ(result.kind, WorkerResult::Kind::Invalid);
  EXPECT_NE(result.reason.find("cannot load '/nonexistent/engine.so'"),
            std::string::npos)
      << result.reason;

  Fixture builtin("builtin:nobody");
  EXPECT_NE(builtin.worker->create(matmul(2, 3, 2))
                .reason.find("no built-in engine 'nobody'"),
            std::string::npos);

  Fixture unread("builtin:reference");
  ProblemDescription problem = matmul(2, 3, 2);
  problem.json = "{";
  EXPECT_EQ(unread.worker->create(problem).kind, WorkerResult::Kind::Invalid);
  // A run without a kernel, or with placements for other tensors, fails and
  // leaves the worker alive.
  EXPECT_EQ(unread.worker->run({0, 0, 0, 0, 0, 0}, {}).kind,
            WorkerResult::Kind::Failed);
  ASSERT_EQ(unread.worker->create(matmul(2, 3, 2)).kind,
            WorkerResult::Kind::Ok);
  Placement one{kPageBytes, kPageBytes, 0};
  EXPECT_EQ(unread.worker->run({1, 0, 0, 0, 0, 0}, one).kind,
            WorkerResult::Kind::Failed);
  EXPECT_EQ(unread.worker->create(matmul(2, 3, 2)).kind,
            WorkerResult::Kind::Ok);
}

TEST(Worker, AnEngineThatTakesTooLongIsEnded) {
  ASSERT_TRUE(llvm::sys::fs::exists(assayProgram()));
  Fixture setup("builtin:reference", 1e-6); // no process starts that fast
  WorkerResult result = setup.worker->create(matmul(2, 3, 2));
  EXPECT_EQ(result.kind, WorkerResult::Kind::Timeout);
  EXPECT_EQ(result.seconds, 1e-6);
  setup.worker->setTimeout(20);
  EXPECT_EQ(setup.worker->create(matmul(2, 3, 2)).kind,
            WorkerResult::Kind::Ok); // a new process
}

TEST(Worker, RunsAProgramOnStridedTensors) {
  auto program = llvm::cantFail(program::Program::parse(
      R"(func.func @main(%a: tensor<2x3xf32>, %old: tensor<2x3xf32>) -> tensor<2x3xf32> {
        %twice = stablehlo.add %a, %a : tensor<2x3xf32>
        %sum = stablehlo.add %twice, %old : tensor<2x3xf32>
        func.return %sum : tensor<2x3xf32>
      })",
      "strided"));
  ProblemDescription problem;
  problem.driver = "eltwise";
  problem.json = "{}";
  problem.program = program->toBytecode();
  problem.threads = 1;
  // The input is stored by columns, the output with a gap after each row; the
  // output's previous content is the second argument.
  problem.tensors = {{"src", "f32", {2, 3}, {1, 2}, false},
                     {"dst", "f32", {2, 3}, {4, 1}, true}};
  problem.arguments = {0, 1};
  for (const char *engine : {"builtin:reference", "builtin:native"}) {
    Fixture setup(engine);
    WorkerResult created = setup.worker->create(problem);
    ASSERT_EQ(created.kind, WorkerResult::Kind::Ok) << created.reason;
    std::vector<Placement> places =
        placeTensors({{24, 4}, {28, 4}}, Guard::AtEnd, 0);
    auto at = [&](int i) {
      return reinterpret_cast<float *>(
          setup.arena.data() + places[i].fileOffset + places[i].dataOffset);
    };
    const float in[] = {1, 4, 2, 5, 3, 6}, old[] = {10, 20, 30, -1, 40, 50, 60};
    std::memcpy(at(0), in, sizeof in);
    std::memcpy(at(1), old, sizeof old);
    WorkerResult result = setup.worker->run({2, 0, 0, 0, 0, 0}, places);
    ASSERT_EQ(result.kind, WorkerResult::Kind::Ok) << result.reason;
    const float expected[] = {12, 24, 36, -1, 48, 60, 72};
    EXPECT_EQ(std::memcmp(at(1), expected, sizeof expected), 0) << engine;
  }
}

TEST(Worker, AProgramThatIsNotTheProblemIsInvalid) {
  auto program = llvm::cantFail(program::Program::parse(
      "func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> { func.return %a : "
      "tensor<5xf32> }",
      "other"));
  ProblemDescription problem = matmul(2, 3, 2);
  problem.json = "{}";
  problem.program = program->toBytecode();
  Fixture setup("builtin:reference");
  WorkerResult result = setup.worker->create(problem);
  EXPECT_EQ(result.kind, WorkerResult::Kind::Invalid);
  EXPECT_EQ(result.reason, "tensor 'src' has 6 elements, the program's "
                           "tensor<5xf32> has 5");
}

TEST(Arena, GrowsToWhatWasReservedAndNoFurther) {
  Arena arena = llvm::cantFail(Arena::create(8 * kPageBytes));
  EXPECT_FALSE(bool(arena.grow(8 * kPageBytes)));
  EXPECT_EQ(arena.sizeBytes(), 8 * kPageBytes);
  arena.data()[8 * kPageBytes - 1] = std::byte{1};
  llvm::Error error = arena.grow(9 * kPageBytes);
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(takeError(std::move(error)).code, ErrorCode::ResourceLimit);
  EXPECT_EQ(arena.sizeBytes(), 8 * kPageBytes);
}

TEST(Arena, TensorsTouchTheEndOrTheStartOfTheirPages) {
  std::vector<Placement> ends =
      placeTensors({{24, 4}, {5000, 8}, {0, 4}}, Guard::AtEnd, 16);
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_EQ(ends[0].fileOffset, kPageBytes);
  EXPECT_EQ(ends[0].dataOffset, kPageBytes - 32); // multiples of 16
  EXPECT_EQ(ends[1].fileOffset, 2 * kPageBytes);
  EXPECT_EQ(ends[1].dataOffset, (2 * kPageBytes - 5000) / 16 * 16);
  EXPECT_EQ(ends[2].fileOffset, 4 * kPageBytes);
  EXPECT_EQ(endOf(ends), 5 * kPageBytes);
  for (const Placement &place :
       placeTensors({{24, 4}, {5000, 8}}, Guard::AtStart, 16))
    EXPECT_EQ(place.dataOffset, 0);
  // Unless the engine requests more, a tensor is aligned to the width of its
  // element.
  EXPECT_EQ(placeTensors({{20, 4}}, Guard::AtEnd, 0)[0].dataOffset,
            kPageBytes - 20);
}

TEST(Registry, KnowsItsEnginesAndNamesThemWhenOneIsUnknown) {
  EXPECT_EQ(llvm::cantFail(resolveEngine("reference")), "builtin:reference");
  llvm::Expected<std::string> unknown = resolveEngine("nobody");
  ASSERT_FALSE(static_cast<bool>(unknown));
  std::string message = takeError(unknown.takeError()).message;
  EXPECT_EQ(message,
            "no engine named 'nobody'; there are onednn, native, "
            "reference, plugin:PATH, python:FILE.py:FUNCTION, pjrt:PATH.so");
  EXPECT_EQ(engineSpellings("|"), "onednn|native|reference|plugin:PATH|python:"
                                  "FILE.py:FUNCTION|pjrt:PATH.so");
  for (const char *wrong : {"plugin", "plugin:", "native:x"}) {
    llvm::Expected<EngineName> parsed = parseEngineName(wrong);
    EXPECT_FALSE(static_cast<bool>(parsed)) << wrong;
    if (!parsed)
      llvm::consumeError(parsed.takeError());
  }
  EXPECT_NE(whyUnavailable("plugin:/nonexistent.so")
                .find("no file '/nonexistent.so'"),
            std::string::npos);
}
