// Measured speeds on disk, and the folder of compiled kernels: the written data
// is read back, and nothing else is accepted.
#include "assay/kernels/Peaks.h"
#include "assay/kernels/Selector.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/jit/Check.h"
#include "assay/kernels/jit/Jit.h"
#include "assay/support/TestFolder.h"

#include <cstdlib>
#include <fstream>

using namespace assay;
using namespace assay::kernels;

namespace {
struct Kept : TestFolder {
  void TearDown() override {
    for (auto &[name, value] : old_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    TestFolder::TearDown();
  }
  void set(const char *name, const char *value) {
    const char *old = std::getenv(name);
    old_.try_emplace(name, old ? std::optional<std::string>(old)
                               : std::nullopt);
    value ? setenv(name, value, 1) : unsetenv(name);
  }

private:
  std::map<std::string, std::optional<std::string>> old_;
};
} // namespace

static TileSpeeds someSpeeds() {
  TileSpeeds speeds;
  speeds.beyond = 9.5;
  speeds.l2 = 40.25;
  speeds.packAlong = 3.125;
  speeds.packAcross = 6.5;
  speeds.ghz = 2.875;
  speeds.stepNs[{MicroMath::F32, 14, 2, true}] = 7.25;
  speeds.stepNs[{MicroMath::F32, 14, 2, false}] = 7.5;
  speeds.stepNs[{MicroMath::ByteQuads, 4, 4, false}] = 2.75;
  return speeds;
}

TEST_F(Kept, SpeedsAreReadAsTheyWereWritten) {
  std::string file = path("below/that/speeds.json");
  TileSpeeds written = someSpeeds();
  llvm::cantFail(saveSpeeds(written, file));
  TileSpeeds read = llvm::cantFail(loadSpeeds(file));
  EXPECT_EQ(read.stepNs, written.stepNs);
  EXPECT_EQ(read.beyond, 9.5);
  EXPECT_EQ(read.l2, 40.25);
  EXPECT_EQ(read.packAlong, 3.125);
  EXPECT_EQ(read.packAcross, 6.5);
  EXPECT_EQ(read.ghz, 2.875);
  EXPECT_EQ(read.stepOf({MicroMath::F32, 14, 2, false}), 7.5);
  EXPECT_EQ(read.stepOf({MicroMath::F32, 13, 2, false}), 0);
}

TEST_F(Kept, SpeedsThatCannotBeAreNotBelieved) {
  std::string file = path("speeds.json");
  auto codeOf = [&](llvm::StringRef rates, llvm::StringRef tiles) {
    std::ofstream(file) << "{" << rates.str() << "\"tiles\": [" << tiles.str()
                        << "]}";
    auto speeds = loadSpeeds(file);
    return speeds ? std::optional<ErrorCode>()
                  : takeError(speeds.takeError()).code;
  };
  auto rates = [](const char *l2, const char *cycles = "3") {
    return std::string("\"cycles_per_ns\": ") + cycles +
           ", \"bytes_per_ns\": {\"beyond_l2\": 1, \"l2\": " + l2 +
           ", \"pack_along\": 1, \"pack_across\": 1},";
  };
  EXPECT_EQ(codeOf(rates("1", "0"), ""), ErrorCode::DataLoss);
  EXPECT_EQ(codeOf(rates("1", "\"3\""), ""), ErrorCode::DataLoss);
  auto tile = [](const char *ns) {
    return std::string("{\"math\": 0, \"rows\": 4, \"columns\": 2, "
                       "\"packed\": true, \"step_ns\": ") +
           ns + "}";
  };
  EXPECT_EQ(codeOf(rates("2"), tile("1.5")), std::nullopt);
  EXPECT_EQ(codeOf(rates("2"), ""), std::nullopt);
  for (const char *wrong : {"0", "-1", "\"2\"", "null"}) {
    EXPECT_EQ(codeOf(rates(wrong), tile("1")), ErrorCode::DataLoss) << wrong;
    EXPECT_EQ(codeOf(rates("1"), tile(wrong)), ErrorCode::DataLoss) << wrong;
  }
  EXPECT_EQ(codeOf("", tile("1")), ErrorCode::DataLoss);
  EXPECT_EQ(codeOf(rates("1"), "7"), ErrorCode::DataLoss);
  std::ofstream(file) << "{\"bytes_per_ns\"";
  auto cut = loadSpeeds(file);
  ASSERT_FALSE(bool(cut));
  EXPECT_EQ(takeError(cut.takeError()).code, ErrorCode::DataLoss);
  auto missing = loadSpeeds(path("none.json"));
  ASSERT_FALSE(bool(missing));
  EXPECT_EQ(takeError(missing.takeError()).code, ErrorCode::NotFound);
}

TEST_F(Kept, SpeedsOfAClassServeUntilThoseOfTheMachineAreMeasured) {
  set("XDG_DATA_HOME", folder.c_str());
  set("ASSAY_MODEL_DIR", (folder + "/models").c_str());
  Machine machine;
  machine.processor = "Processor of a class";
  machine.isa.name = "avx2";
  machine.isa.cpu = "znver9";
  EXPECT_EQ(speedsInUse(machine), "");
  std::string ofClass = folder + "/models/speeds/znver9-avx2.json";
  llvm::cantFail(saveSpeeds(someSpeeds(), ofClass));
  EXPECT_EQ(speedsInUse(machine), ofClass);
  Machine narrower = machine, another = machine;
  narrower.isa.name = "baseline";
  another.isa.cpu = "znver8";
  EXPECT_EQ(speedsInUse(narrower), "");
  EXPECT_EQ(speedsInUse(another), "");
  std::string before = analyticFingerprint(machine);
  llvm::cantFail(saveSpeeds(someSpeeds(), speedsPath(machine)));
  EXPECT_EQ(speedsInUse(machine), speedsPath(machine));
  EXPECT_NE(analyticFingerprint(machine), before);
}

TEST_F(Kept, SpeedsBelongToAProcessorAndItsInstructions) {
  set("XDG_DATA_HOME", folder.c_str());
  Machine machine;
  machine.processor = "Processor of a test";
  machine.isa.name = "avx2";
  machine.isa.features = "+avx2";
  Machine other = machine, newer = machine;
  other.processor += " 2";
  newer.isa.features += ",+fma";
  std::string file = speedsPath(machine);
  EXPECT_TRUE(llvm::StringRef(file).starts_with(folder + "/assay/speeds/avx2-"))
      << file;
  EXPECT_EQ(speedsPath(machine), file);
  EXPECT_NE(speedsPath(other), file);
  EXPECT_NE(speedsPath(newer), file);

  llvm::cantFail(saveSpeeds(someSpeeds(), file));
  const TileSpeeds *speeds = measuredSpeeds(machine);
  ASSERT_TRUE(speeds);
  EXPECT_EQ(speeds->l2, 40.25);
  EXPECT_EQ(measuredSpeeds(machine), speeds);
  EXPECT_FALSE(measuredSpeeds(other));
  Machine narrower = machine;
  narrower.isa.name = "baseline";
  EXPECT_FALSE(measuredSpeeds(narrower));
  // The file is read once in a process, whatever is written later.
  std::ofstream(file) << "no longer";
  EXPECT_EQ(measuredSpeeds(machine), speeds);
}

static MicroKey smallKey() {
  MicroKey key;
  key.rows = 2;
  key.unroll = 2;
  return key;
}

TEST_F(Kept, AnObjectIsFoundByItsWholeKeyAndWithItsVerdict) {
  ObjectCache cache(folder, true);
  EXPECT_EQ(cache.directory(), folder + "/kernels");
  bool checked = true;
  EXPECT_FALSE(cache.load("a", checked));
  EXPECT_FALSE(checked);
  cache.store("a", "object of a", /*checked=*/false);
  cache.store("b", "object of b", /*checked=*/true);
  EXPECT_EQ(cache.load("a", checked)->getBuffer(), "object of a");
  EXPECT_FALSE(checked);
  EXPECT_EQ(cache.load("b", checked)->getBuffer(), "object of b");
  EXPECT_TRUE(checked);
  // A file under another key's name, as after a collision of names.
  ASSERT_FALSE(
      llvm::sys::fs::copy_file(cache.pathFor("a"), cache.pathFor("b")));
  EXPECT_FALSE(cache.load("b", checked));
  EXPECT_FALSE(checked);
  EXPECT_TRUE(cache.takeNotes().empty());
  // Files that are cut, down to nothing.
  for (uint64_t size : {25, 20, 3, 0}) {
    std::error_code code;
    llvm::sys::fs::file_t file = llvm::cantFail(
        llvm::sys::fs::openNativeFileForReadWrite(
            cache.pathFor("a"), llvm::sys::fs::CD_OpenExisting,
            llvm::sys::fs::OF_None));
    ASSERT_FALSE(llvm::sys::fs::resize_file(file, size));
    llvm::sys::fs::closeFile(file);
    EXPECT_FALSE(cache.load("a", checked)) << size;
    EXPECT_EQ(cache.takeNotes().size(), 1u) << size;
  }
}

TEST_F(Kept, AKernelThatWasNotCheckedIsMadeAnew) {
  Isa isa = Machine::detect().isa;
  {
    Jit unchecked(isa, folder, true, nullptr);
    ASSERT_TRUE(bool(unchecked.get(smallKey())));
  }
  Jit again(isa, folder, true, nullptr);
  ASSERT_TRUE(bool(again.get(smallKey())));
  EXPECT_EQ(again.compiled(), 0);
  Jit careful(isa, folder, true, checkMicroKernel);
  ASSERT_TRUE(bool(careful.get(smallKey())));
  EXPECT_EQ(careful.compiled(), 1);
  Jit later(isa, folder, true, checkMicroKernel);
  ASSERT_TRUE(bool(later.get(smallKey())));
  EXPECT_EQ(later.compiled(), 0);
}

TEST_F(Kept, CompiledKernelsAreWhereTheEnvironmentSays) {
  set("ASSAY_CACHE_DIR", "/own");
  set("XDG_CACHE_HOME", "/xdg");
  set("HOME", "/home/someone");
  EXPECT_EQ(ObjectCache("", true).directory(), "/own/kernels");
  EXPECT_EQ(ObjectCache("/given", true).directory(), "/given/kernels");
  set("ASSAY_CACHE_DIR", "");
  EXPECT_EQ(ObjectCache("", true).directory(), "/xdg/assay/kernels");
  set("XDG_CACHE_HOME", "");
  EXPECT_EQ(ObjectCache("", true).directory(),
            "/home/someone/.cache/assay/kernels");
  set("HOME", nullptr);
  ObjectCache none("", true);
  EXPECT_EQ(none.directory(), "");
  none.store("a", "object", true);
  EXPECT_TRUE(none.takeNotes().empty());

  ObjectCache unwritable("/proc/assay-no-such-folder", true);
  unwritable.store("a", "object", true);
  unwritable.store("b", "object", true);
  EXPECT_EQ(unwritable.takeNotes().size(), 1u);
}

// Vectors hold half as many doubles. The best of three, since other processes
// may be running.
TEST(Peaks, OfDoublesAreHalfThoseOfFloats) {
  Registry::Options options;
  options.diskCache = false;
  Registry registry(options);
  ThreadPool pool(1);
  double ratio = 1;
  for (int i = 0; i < 3 && ratio > 0.65; ++i) {
    double single = llvm::cantFail(measureGflops(registry, {}, 1, pool)),
           twice = llvm::cantFail(measureGflops(
               registry, {DataType::F64, DataType::F64}, 1, pool));
    EXPECT_GT(twice, 0);
    ratio = twice / single;
  }
  EXPECT_LT(ratio, 0.65);
}
