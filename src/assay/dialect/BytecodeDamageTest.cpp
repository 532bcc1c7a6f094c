// Bytecode with one changed byte is either read or refused with a message that
// names the wrong part. Every byte of a few programs is changed to many values;
// together they produce every message of the readers.
#include "assay/dialect/Register.h"
#include "assay/dialect/vhlo/Vhlo.h"
#include "assay/support/Error.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr llvm::StringLiteral kTypes = R"mlir(
func.func private @a(!quant.uniform<i8:f32, 2.0:3>)
func.func @main(%a: tensor<2x?xf32>, %c: tensor<2xcomplex<f32>>,
    %q: tensor<2x!quant.uniform<i8:f32:0, {2.0:3, 4.0}>>,
    %t: !stablehlo.token, %u: tensor<*xf32>, %b: memref<2xf32>,
    %f: !stablehlo.future<tensor<2xf32>>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %2 = stablehlo.custom_call @f(%0) {api_version = 4 : i32,
      backend_config = {a = 1.5 : f32, b = 7 : i32, c = "text"}}
      : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.compare LT, %0, %2, FLOAT
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %4 = stablehlo.dot_general %0, %2, contracting_dims = [0] x [0],
      precision = [HIGH, DEFAULT] : (tensor<2xf32>, tensor<2xf32>)
      -> tensor<f32>
  return %2 : tensor<2xf32>
}
)mlir";

constexpr llvm::StringLiteral kOthers = R"mlir(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.broadcast_compare %a, %a {
      compare_type = #chlo<comparison_type FLOAT>,
      comparison_direction = #chlo<comparison_direction LT>}
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.exponential %a : tensor<2xf32>
  return %1 : tensor<2xf32>
}
)mlir";

class BytecodeDamage : public testing::Test {
protected:
  BytecodeDamage()
      : registry_(allDialects()),
        context_(registry_, mlir::MLIRContext::Threading::DISABLED) {}

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return llvm::cantFail(assay::parseProgramText(text, "p.mlir", context_));
  }

  /// The program as MLIR bytecode of the unversioned dialects.
  std::string plainBytes(llvm::StringRef text) {
    std::string bytes;
    llvm::raw_string_ostream out(bytes);
    EXPECT_TRUE(mlir::succeeded(mlir::writeBytecodeToFile(*parse(text), out)));
    return bytes;
  }

  /// The messages after changing one byte, for all bytes. The variants of each
  /// byte are read in a child process, because an absurd list length makes MLIR
  /// abort (Program::parse() uses a helper process for this).
  std::set<std::string> messagesOf(std::string bytes) {
    std::set<std::string> messages;
    for (char &byte : bytes) {
      int ends[2];
      EXPECT_EQ(::pipe(ends), 0);
      pid_t child = ::fork();
      if (child == 0) {
        ::close(2); // hides MLIR's output when it aborts
#ifndef __SANITIZE_ADDRESS__ // it needs more address space
        rlimit memory{1 << 30, 1 << 30};
        ::setrlimit(RLIMIT_AS, &memory);
#endif
        itimerval time{{0, 0}, {0, 100000}}; // processor time
        ::setitimer(ITIMER_VIRTUAL, &time, nullptr);
        try {
          writeMessages(bytes, byte, ends[1]);
        } catch (const std::bad_alloc &) { // GoogleTest would continue in the
                                           // child
        }
        ::_exit(0);
      }
      ::close(ends[1]);
      std::string text;
      char part[4096];
      for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;)
        text.append(part, static_cast<size_t>(n));
      ::close(ends[0]);
      ::waitpid(child, nullptr, 0);
      llvm::SmallVector<llvm::StringRef> lines;
      llvm::StringRef(text).split(lines, '\0', -1, /*KeepEmpty=*/false);
      messages.insert(lines.begin(), lines.end());
    }
    return messages;
  }

private:
  void writeMessages(const std::string &bytes, char &byte, int file) {
    for (int value : kValues) {
      byte = static_cast<char>(value);
      auto module = assay::parseProgramText(bytes, "p.mlir", context_);
      if (module)
        continue;
      std::string text = assay::takeError(module.takeError()).message;
      EXPECT_EQ(::write(file, text.c_str(), text.size() + 1),
                static_cast<ssize_t>(text.size() + 1));
    }
  }
  static mlir::DialectRegistry allDialects() {
    mlir::DialectRegistry registry;
    assay::registerAllDialects(registry);
    return registry;
  }
  static constexpr int kValues[] = {0,  1,  3,  5,  7,  11, 17,
                                    21, 27, 33, 41, 63, 255};
  mlir::DialectRegistry registry_;
  mlir::MLIRContext context_;
};

TEST_F(BytecodeDamage, IsNamedInPortableArtifacts) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  ASSERT_TRUE(mlir::succeeded(
      assay::vhlo::serialize(*parse(kTypes), std::nullopt, out)));
  std::set<std::string> messages = messagesOf(bytes);
  for (const char *expected :
       {"no type of VHLO has the code ",
        "no attribute of VHLO that is known here has the code ",
        "a constant has no type of known size"})
    EXPECT_THAT(messages, Contains(HasSubstr(expected)));
}

TEST_F(BytecodeDamage, IsNamedInPlainBytecode) {
  std::set<std::string> messages = messagesOf(plainBytes(kTypes));
  std::set<std::string> others = messagesOf(plainBytes(kOthers));
  messages.insert(others.begin(), others.end());
  for (const char *expected :
       {"no type of stablehlo has the code ",
        "no attribute of stablehlo that is known here has the code ",
        "an enumeration has no value ",
        "an attribute of chlo has the unknown code "})
    EXPECT_THAT(messages, Contains(HasSubstr(expected)));
}

} // namespace
