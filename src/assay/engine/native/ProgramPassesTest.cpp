// The passes over a program: run on a copy, observed, and stopped by the observer.
#include "assay/engine/native/ProgramPasses.h"

#include "assay/program/Clone.h"
#include "gtest/gtest.h"

using namespace assay;
using program::Program;

static std::shared_ptr<const Program> parsed(const char *text) {
  return llvm::cantFail(Program::parse(text, "test"));
}

static constexpr const char *kPlain =
    R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  })";

static constexpr const char *kScaledHeads =
    R"(func.func @main(%x: tensor<4x6xf32>, %k: tensor<4x5xf32>) -> tensor<6x5xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.negate %0 : tensor<6x4xf32>
    %2 = stablehlo.dot_general %1, %k, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    return %2 : tensor<6x5xf32>
  })";

static llvm::Error rewrite(const std::shared_ptr<const Program> &program,
                           const engine::PassObserver &observer = {}) {
  return engine::runProgramPasses(program->module(), observer);
}

TEST(ProgramPasses, TheProgramThatCameStaysAsItWas) {
  auto program = parsed(kScaledHeads);
  std::string before = program->toBytecode();
  auto copy = program::cloneOf(program);
  llvm::cantFail(rewrite(copy));
  EXPECT_NE(copy->toBytecode(), before);
  EXPECT_EQ(program->toBytecode(), before);
}

TEST(ProgramPasses, AnObserverSeesEveryPassInItsOrder) {
  std::vector<std::string> seen;
  llvm::cantFail(
      rewrite(parsed(kPlain), [&](llvm::StringRef pass, mlir::ModuleOp) {
        seen.push_back(pass.str());
        return llvm::Error::success();
      }));
  std::vector<std::string> due{"program"};
#define ASSAY_NATIVE_PASS(name, run, description) due.push_back(name);
#define ASSAY_NATIVE_GROUPS ASSAY_NATIVE_PASS
#include "assay/engine/native/ProgramPasses.def"
  EXPECT_EQ(seen, due);
}

TEST(ProgramPasses, AnObserversErrorEndsThem) {
  int seen = 0;
  llvm::Error error =
      rewrite(parsed(kScaledHeads), [&](llvm::StringRef, mlir::ModuleOp) {
        ++seen;
        return makeError(ErrorCode::InvalidArgument, "the disk is full");
      });
  EXPECT_EQ(takeError(std::move(error)).message, "the disk is full");
  EXPECT_EQ(seen, 1);
}
