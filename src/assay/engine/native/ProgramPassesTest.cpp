// The passes over a program: run on one copy, observed, and stopped by the observer.
#include "assay/engine/native/ProgramPasses.h"

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

TEST(ProgramPasses, AProgramWithoutWorkIsNotCopied) {
  auto program = parsed(kPlain);
  EXPECT_EQ(llvm::cantFail(engine::runProgramPasses(program)), program);
}

TEST(ProgramPasses, TheProgramThatCameStaysAsItWas) {
  auto program = parsed(kScaledHeads);
  std::string before = program->toBytecode();
  auto rewritten = llvm::cantFail(engine::runProgramPasses(program));
  EXPECT_NE(rewritten, program);
  EXPECT_NE(rewritten->toBytecode(), before);
  EXPECT_EQ(program->toBytecode(), before);
}

TEST(ProgramPasses, AnObserverSeesEveryPassInItsOrder) {
  std::vector<std::string> seen;
  llvm::cantFail(engine::runProgramPasses(
      parsed(kPlain), [&](llvm::StringRef pass, mlir::ModuleOp) {
        seen.push_back(pass.str());
        return llvm::Error::success();
      }));
  std::vector<std::string> due{"program"};
#define ASSAY_NATIVE_PASS(name, applies, run, description) due.push_back(name);
#include "assay/engine/native/ProgramPasses.def"
#undef ASSAY_NATIVE_PASS
  EXPECT_EQ(seen, due);
}

TEST(ProgramPasses, AnObserversErrorEndsThem) {
  int seen = 0;
  auto rewritten = engine::runProgramPasses(
      parsed(kScaledHeads), [&](llvm::StringRef, mlir::ModuleOp) {
        ++seen;
        return makeError(ErrorCode::InvalidArgument, "the disk is full");
      });
  EXPECT_EQ(takeError(rewritten.takeError()).message, "the disk is full");
  EXPECT_EQ(seen, 1);
}
