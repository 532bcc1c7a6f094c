// The compiler and its disk cache: stored kernels are found again, damaged
// files are rebuilt and reported, a folder that cannot be written only causes a
// note, and a kernel that computes wrongly is not returned.
#include "assay/kernels/jit/Jit.h"
#include "assay/kernels/jit/Check.h"
#include "assay/kernels/jit/OnEachIsa.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace assay;
using namespace assay::kernels;

static MicroKey smallKey() {
  MicroKey key;
  key.rows = 2;
  key.unroll = 2;
  return key;
}

static std::string freshFolder() {
  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("assay-kernels", path));
  return path.str().str();
}

TEST(Jit, SecondProcessFindsTheKernelOnDisk) {
  std::string folder = freshFolder();
  Isa isa = Machine::detect().isa;
  {
    Jit jit(isa, folder, true, checkMicroKernel);
    ASSERT_TRUE(bool(jit.get(smallKey())));
    EXPECT_EQ(jit.compiled(), 1);
  }
  Jit again(isa, folder, true, checkMicroKernel);
  ASSERT_TRUE(bool(again.get(smallKey())));
  EXPECT_EQ(again.compiled(), 0);
  llvm::sys::fs::remove_directories(folder);
}

TEST(Jit, AModuleIsCountedWhereItIsCompiled) {
  std::string folder = freshFolder();
  auto emit = [](llvm::Module &module, const Isa &) {
    llvm::LLVMContext &context = module.getContext();
    auto *function = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getInt32Ty(context), false),
        llvm::Function::ExternalLinkage, "seven", module);
    llvm::IRBuilder<> builder(
        llvm::BasicBlock::Create(context, "entry", function));
    builder.CreateRet(builder.getInt32(7));
  };
  for (int64_t due : {1, 0}) { // the second time it is on disk
    Jit jit(Machine::detect().isa, folder, true, checkMicroKernel);
    for (int call = 0; call < 2; ++call) {
      llvm::Expected<void *> made = jit.getModule("seven", "7", emit);
      ASSERT_TRUE(bool(made));
      EXPECT_EQ(reinterpret_cast<int (*)()>(*made)(), 7);
      EXPECT_EQ(jit.compiled(), due);
    }
  }
  llvm::sys::fs::remove_directories(folder);
}

TEST(Jit, DamagedEntryIsReportedAndRebuilt) {
  std::string folder = freshFolder();
  Isa isa = Machine::detect().isa;
  {
    Jit jit(isa, folder, true, checkMicroKernel);
    ASSERT_TRUE(bool(jit.get(smallKey())));
  }
  std::error_code error;
  int damaged = 0;
  for (llvm::sys::fs::directory_iterator file(folder + "/kernels", error), end;
       file != end; file.increment(error)) {
    std::fstream stream(file->path(),
                        std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(200);
    char byte = 0;
    stream.seekg(200);
    stream.get(byte);
    stream.seekp(200);
    stream.put(static_cast<char>(byte ^ 0x10));
    ++damaged;
  }
  ASSERT_EQ(damaged, 1);
  Jit again(isa, folder, true, checkMicroKernel);
  ASSERT_TRUE(bool(again.get(smallKey())));
  EXPECT_EQ(again.compiled(), 1);
  std::vector<std::string> notes = again.cache().takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("damaged"), std::string::npos);
  llvm::sys::fs::remove_directories(folder);
}

TEST(Jit, FolderThatCannotBeWrittenIsANote) {
  Jit jit(Machine::detect().isa, "/proc/assay-no-such-folder", true,
          checkMicroKernel);
  ASSERT_TRUE(bool(jit.get(smallKey())));
  std::vector<std::string> notes = jit.cache().takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("cannot be written"), std::string::npos);
}

static void wrongKernel(const MicroArguments *arguments) {
  *static_cast<float *>(arguments->c) = 1;
}

TEST(Jit, CheckFindsAWrongKernel) {
  MicroKey key = smallKey();
  llvm::Error error = checkMicroKernel(key, wrongKernel, Machine::detect().isa);
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(takeError(std::move(error)).code, ErrorCode::Mismatch);
}

namespace {
/// A correct kernel, but if `wrong` is true for the arguments, one element of C
/// is changed afterwards. MicroFunction is a bare function, so the state is
/// static.
struct WrongMicroKernel {
  static inline MicroFunction right = nullptr;
  static inline int64_t row = 0, column = 0;
  static inline bool (*wrong)(const MicroArguments &) = nullptr;
  static void run(const MicroArguments *arguments) {
    right(arguments);
    if (wrong(*arguments))
      reinterpret_cast<float *>(static_cast<char *>(arguments->c) +
                                row * arguments->cRow)[column] += 1;
  }
};
} // namespace

// One element at a time of the block and of the margins on each side, and
// faults of a single form of call.
TEST(Jit, CheckFindsAKernelThatIsWrongInOneElement) {
  Isa isa = Machine::detect().isa;
  Jit jit(isa, "", /*diskCache=*/false, checkMicroKernel);
  MicroKey key = smallKey();
  WrongMicroKernel::right = llvm::cantFail(jit.get(key));
  int64_t width = key.columns * isa.lanes(DataType::F32);
  auto found = [&] {
    llvm::Error error = checkMicroKernel(key, WrongMicroKernel::run, isa);
    bool any = bool(error);
    std::string text = llvm::toString(std::move(error));
    return any &&
           text.find("failed its check on this machine") != std::string::npos;
  };
  WrongMicroKernel::wrong = [](const MicroArguments &) { return false; };
  EXPECT_FALSE(found());
  WrongMicroKernel::wrong = [](const MicroArguments &) { return true; };
  for (WrongMicroKernel::row = -1; WrongMicroKernel::row <= key.rows;
       ++WrongMicroKernel::row)
    for (WrongMicroKernel::column = 0; WrongMicroKernel::column < width;
         ++WrongMicroKernel::column)
      EXPECT_TRUE(found()) << WrongMicroKernel::row << ", "
                           << WrongMicroKernel::column;
  WrongMicroKernel::row = 1, WrongMicroKernel::column = 0;
  using Wrong = bool (*)(const MicroArguments &);
  for (auto [what, wrong] :
       std::initializer_list<std::pair<const char *, Wrong>>{
           {"one step of k", [](auto &a) { return a.k == 1; }},
           {"an odd number of steps", [](auto &a) { return a.k == 5; }},
           {"one column", [](auto &a) { return a.n == 1; }},
           {"a part of the columns", [](auto &a) { return a.n % 4 == 3; }},
           {"alpha", [](auto &a) { return a.alpha.f32 == 2; }},
           {"beta", [](auto &a) { return a.beta.f32 == -3; }},
           {"past the caches", [](auto &a) { return a.stream != 0; }}}) {
    WrongMicroKernel::wrong = wrong;
    EXPECT_TRUE(found()) << what;
  }
}

TEST(Jit, KernelWhoseCheckFailsIsNotOffered) {
  auto refuse = [](const MicroKey &, MicroFunction,
                   const Isa &) -> llvm::Error {
    return makeError(ErrorCode::Mismatch, "no");
  };
  Jit jit(Machine::detect().isa, "", false, refuse);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto function = jit.get(smallKey());
    ASSERT_FALSE(bool(function));
    EXPECT_EQ(takeError(function.takeError()).code, ErrorCode::Mismatch);
  }
}

namespace {
using JitOn = OnEachIsa;
}

INSTANTIATE_TEST_SUITE_P(Jit, JitOn, everyIsa(), isaName);

TEST_P(JitOn, EveryPipelineAndFormPassesItsCheck) {
  Jit jit(isa, "", false, checkMicroKernel);
  for (MicroForm form : {MicroForm::Tile, MicroForm::Dot})
    for (MicroMath math : {mathFor({DataType::F32, DataType::F32}, isa),
                           mathFor({DataType::BF16, DataType::BF16}, isa),
                           mathFor({DataType::S8, DataType::S8}, isa),
                           MicroMath::ShortPairs, MicroMath::F64})
      for (Pipeline pipeline :
           {Pipeline::Plain, Pipeline::Pipelined, Pipeline::Prefetch})
        for (AForm aForm : {AForm::Packed, AForm::RowMajor, AForm::ColumnMajor,
                            AForm::Windows, AForm::ColumnWindows}) {
          if (form == MicroForm::Dot &&
              (pipeline != Pipeline::Plain || aForm != AForm::RowMajor))
            continue;
          if (isColumnMajor(aForm) && groupOf(math) > 1)
            continue;
          if (isOfWindows(aForm) && pipeline != Pipeline::Plain)
            continue;
          MicroKey key;
          key.form = form;
          key.math = math;
          key.rows = 5;
          key.columns = 2;
          key.unroll = 3;
          key.pipeline = pipeline;
          key.aForm = aForm;
          key.bPacked =
              aForm == AForm::Packed || isOfWindows(aForm) || groupOf(math) > 1;
          key.flipA = math == MicroMath::ByteQuads;
          key.aType = key.bType = math == MicroMath::F64   ? DataType::F64
                                  : math == MicroMath::F32 ? DataType::F32
                                  : math == MicroMath::BF16Pairs
                                      ? DataType::BF16
                                      : DataType::S8;
          // Negative: the number of lines of the memory after B.
          for (int prefetch : {4, -1, -5}) {
            key.prefetch = prefetch;
            auto function = jit.get(key);
            EXPECT_TRUE(bool(function)) << llvm::toString(function.takeError());
            if (pipeline != Pipeline::Prefetch)
              break;
          }
        }
}

TEST_P(JitOn, SumsOfTilesOnUnpackedOperandsStayInRegisters) {
  if (isa.vectorBytes != 64)
    GTEST_SKIP() << "tiles of 28 sums need 32 registers";
  Jit jit(isa, "", false, nullptr);
  for (int rows : {12, 14}) {
    MicroKey key;
    key.rows = rows;
    key.columns = 2;
    key.unroll = 4;
    key.aForm = AForm::RowMajor;
    key.bPacked = false;
    llvm::SmallVector<llvm::StringRef> lines;
    std::string text = llvm::cantFail(jit.emitAssembly(key));
    llvm::StringRef(text).split(lines, '\n');
    EXPECT_EQ(llvm::count_if(lines,
                             [](llvm::StringRef line) {
                               return line.contains("zmm") &&
                                      line.contains("(%rsp)");
                             }),
              0)
        << rows << " rows";
  }
}

TEST_P(JitOn, WindowsOnTileRegistersPassTheirCheck) {
  if (!isa.amx)
    GTEST_SKIP() << "kernels on tile registers need amx";
  Jit jit(isa, "", false, checkMicroKernel);
  for (DataType type : {DataType::BF16, DataType::S8, DataType::U8})
    for (auto [rows, columns] :
         {std::pair{1, 1}, {16, 4}, {17, 2}, {32, 2}, {7, 3}, {48, 1}}) {
      MicroKey key;
      key.math =
          type == DataType::BF16 ? MicroMath::AmxBf16 : MicroMath::AmxBytes;
      key.rows = rows, key.columns = columns;
      key.aForm = AForm::Windows;
      key.aType = key.bType = type;
      auto function = jit.get(key);
      EXPECT_TRUE(bool(function)) << llvm::toString(function.takeError());
    }
}

TEST_P(JitOn, TilesThatRoundTheirSumsPassTheirCheck) {
  Jit jit(isa, "", /*diskCache=*/false, checkMicroKernel);
  for (DataType type : {DataType::BF16, DataType::F16})
    for (int rows : {1, 5})
      for (int columns : {1, 3}) {
        if (type == DataType::F16 && !isa.fma)
          continue; // no instruction rounds to this type
        MicroKey key;
        key.rows = rows, key.columns = columns;
        key.unroll = 4;
        key.aForm = AForm::Windows;
        key.math = type == DataType::BF16 && isa.bf16 ? MicroMath::BF16Pairs
                                                      : MicroMath::F32;
        key.cType = type;
        auto function = jit.get(key);
        EXPECT_TRUE(bool(function)) << llvm::toString(function.takeError());
      }
}

TEST_P(JitOn, DepthwiseKernelsOfEveryTypePassTheirCheck) {
  Jit jit(isa, "", false, checkMicroKernel);
  for (DataType type : {DataType::F32, DataType::F64, DataType::BF16,
                        DataType::F16, DataType::S8, DataType::U8})
    for (int step : {1, 2})
      for (bool masked : {false, true}) {
        if (type == DataType::F16 && !isa.fma)
          continue;
        MicroKey key;
        key.form = MicroForm::Depthwise;
        key.math = type == DataType::F64 ? MicroMath::F64 : MicroMath::F32;
        key.rows = 3;
        key.columns = masked ? 1 : 2;
        key.unroll = step;
        key.bMasked = masked;
        key.aType = type;
        // Kernels with another step round the sums as they store them; those
        // for bytes always do.
        bool isWide = step == 1 && sizeOf(type) > 1;
        key.cType = isWide             ? accumulatorOf(key.math)
                    : sizeOf(type) > 1 ? type
                                       : DataType::S32;
        auto function = jit.get(key);
        EXPECT_TRUE(bool(function)) << llvm::toString(function.takeError());
      }
}

TEST_P(JitOn, DepthwiseKernelsOfRunsAndGroupsPassTheirCheck) {
  Jit jit(isa, "", false, checkMicroKernel);
  for (int run : {2, 3, 5})
    for (int apart : {1, 2, -1, -3})
      for (int inputs : {1, 2}) {
        MicroKey key;
        key.form = MicroForm::Depthwise;
        key.rows = 4, key.columns = 1;
        key.unroll = run == 3 ? 2 : 1;
        key.bMasked = run == 5;
        key.run = run, key.apart = apart, key.inputs = inputs;
        key.only = apart > 1 ? inputs - 1 : -1;
        auto function = jit.get(key);
        EXPECT_TRUE(bool(function)) << llvm::toString(function.takeError());
      }
}

TEST(Jit, CheckFindsAWrongDepthwiseKernel) {
  MicroKey key = smallKey();
  key.form = MicroForm::Depthwise;
  key.unroll = 1;
  llvm::Error error = checkMicroKernel(key, wrongKernel, Machine::detect().isa);
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(takeError(std::move(error)).code, ErrorCode::Mismatch);
}
