#include "assay/formats/Hdf5Journal.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/support/TestFolder.h"
#include "assay/trace/DumpName.h"
#include "assay/trace/DumpWriter.h"
#include "assay/trace/Statistics.h"
#include "assay/trace/Summary.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace assay;
using namespace assay::trace;
using numerics::FloatFormat;
using tensor::ElementType;
using formats::Hdf5Reader;
using tensor::Tensor;

namespace {
struct Dump : TestFolder {};
} // namespace

static Tensor filled(ElementType type, tensor::Shape shape, unsigned seed) {
  Tensor tensor = llvm::cantFail(Tensor::allocate({type, std::move(shape)}));
  auto *bytes = reinterpret_cast<uint8_t *>(tensor.mutableBytes());
  for (int64_t i = 0; i < tensor.denseBytes(); ++i)
    bytes[i] = static_cast<uint8_t>(
        type.isBool() ? i % 2
                      : (static_cast<unsigned>(i) * 7 + seed * 31) % 120);
  return tensor;
}

static std::string messageOf(llvm::Error error) {
  return takeError(std::move(error)).message;
}

TEST_F(Dump, EveryTypeComesBackInCreationOrder) {
  std::vector<ElementType> types = {
      ElementType::boolean(),
      ElementType::integer(8),
      ElementType::unsignedInteger(64),
      ElementType::floating(FloatFormat::BF16),
      ElementType::floating(FloatFormat::F16),
      ElementType::floating(FloatFormat::F8E4M3FN),
      ElementType::floating(FloatFormat::F64),
      ElementType::complex(FloatFormat::F32)};
  {
    auto writer = llvm::cantFail(DumpWriter::create(path("d/x.h5")));
    for (size_t i = types.size(); i-- > 0;) // not the order of the names
      llvm::cantFail(
          writer->add("/1/t" + std::to_string(i),
                      filled(types[i], {3, 5}, static_cast<unsigned>(i))));
    llvm::cantFail(writer->add("/1/scalar", filled(types[6], {}, 1)));
    llvm::cantFail(writer->add("/1/empty", filled(types[6], {0, 2}, 1)));
    DumpStatistics statistics = llvm::cantFail(writer->close());
    EXPECT_EQ(statistics.tensors, 10);
  }
  EXPECT_FALSE(llvm::sys::fs::exists(path("d/x.h5.journal")));
  EXPECT_TRUE(llvm::sys::fs::exists(path("d/x_summary.csv")));
  auto reader = llvm::cantFail(Hdf5Reader::open(path("d/x.h5")));
  ASSERT_EQ(reader->datasets().size(), 10u);
  for (size_t i = 0; i < types.size(); ++i) {
    const formats::Hdf5Dataset &dataset =
        reader->datasets()[types.size() - 1 - i];
    EXPECT_EQ(dataset.path, "/1/t" + std::to_string(i));
    Tensor back = llvm::cantFail(reader->readTensor(dataset)),
           want = filled(types[i], {3, 5}, static_cast<unsigned>(i));
    EXPECT_EQ(back.type(), want.type());
    EXPECT_EQ(std::memcmp(back.bytes(), want.bytes(),
                          static_cast<size_t>(want.denseBytes())),
              0);
  }
  EXPECT_EQ(
      llvm::cantFail(reader->readTensor(*reader->find("/1/scalar"))).rank(), 0);
  EXPECT_EQ(
      llvm::cantFail(reader->readTensor(*reader->find("/1/empty"))).size(), 0);
}

TEST_F(Dump, EqualTensorsAreStoredOnce) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  auto writer = llvm::cantFail(DumpWriter::create(path("x.h5")));
  llvm::cantFail(writer->add("/1/a", filled(f32, {1000}, 1)));
  llvm::cantFail(writer->add("/1/b", filled(f32, {1000}, 1)));
  llvm::cantFail(writer->add(
      "/1/c", filled(f32, {10, 100}, 1))); // another shape: stored again
  llvm::cantFail(writer->add("/2/a", filled(f32, {1000}, 1)));
  DumpStatistics statistics = llvm::cantFail(writer->close());
  EXPECT_EQ(statistics.storedOnce, 2);
  EXPECT_EQ(statistics.bytesSaved, 8000);
  auto reader = llvm::cantFail(Hdf5Reader::open(path("x.h5")));
  EXPECT_EQ(reader->find("/1/a")->offset, reader->find("/2/a")->offset);
  EXPECT_NE(reader->find("/1/a")->offset, reader->find("/1/c")->offset);
  EXPECT_EQ(reader->find("/1/a")->hash, reader->find("/1/c")->hash);
}

TEST_F(Dump, DoubledNamesAndASecondWriterAreRefused) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  auto writer = llvm::cantFail(DumpWriter::create(path("x.h5")));
  llvm::cantFail(writer->add("/1/a", filled(f32, {10}, 1)));
  EXPECT_EQ(messageOf(writer->add("/1/a", filled(f32, {10}, 2))),
            "'" + path("x.h5") + "' already holds '/1/a'");
  EXPECT_EQ(messageOf(DumpWriter::create(path("x.h5")).takeError()),
            "'" + path("x.h5") +
                "' is being recorded already, by this process or another; give "
                "another path");
  EXPECT_EQ(messageOf(Hdf5Reader::open(path("x.h5")).takeError()),
            "'" + path("x.h5") +
                "' is still being recorded; stop the recorder first");
  llvm::cantFail(writer->close());
  llvm::cantFail(Hdf5Reader::open(path("x.h5")));
}

TEST_F(Dump, ForeignAndTruncatedFilesGiveOneMessage) {
  std::ofstream(path("text.h5")) << "not HDF5";
  EXPECT_EQ(messageOf(Hdf5Reader::open(path("text.h5")).takeError()),
            "'" + path("text.h5") + "' is not an HDF5 file");
  std::ofstream(path("x.npz")) << "PK";
  EXPECT_EQ(messageOf(Hdf5Reader::open(path("x.npz")).takeError()),
            "'" + path("x.npz") +
                "' is not an HDF5 file; `assay import` makes a dump of it");
  EXPECT_EQ(messageOf(Hdf5Reader::open(path("none.h5")).takeError()),
            "cannot open '" + path("none.h5") + "': no such file or directory");
  auto writer = llvm::cantFail(DumpWriter::create(path("x.h5")));
  llvm::cantFail(writer->add(
      "/1/a", filled(ElementType::floating(FloatFormat::F32), {5000}, 1)));
  llvm::cantFail(writer->close());
  ASSERT_EQ(::truncate(path("x.h5").c_str(), 9000), 0);
  EXPECT_EQ(messageOf(Hdf5Reader::open(path("x.h5")).takeError()),
            "'" + path("x.h5") + "' is truncated: it ends before its data do");
}

TEST_F(Dump, ManyThreadsRecordThroughASmallQueue) {
  // Room for about three tensors: threads wait, help to write, link, and flush.
  DumpOptions options;
  options.queueBytes = 100 << 10;
  options.summary = false;
  auto writer = llvm::cantFail(DumpWriter::create(path("x.h5"), options));
  constexpr int kThreads = 4, kTensors = 120, kContents = 150;
  tensor::TensorType type{ElementType::integer(32), {8000}};
  auto content = [](int number) {
    return std::vector<int32_t>(8000, number % kContents);
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::deque<std::pair<int64_t, std::vector<int32_t>>> lent;
      for (int i = 0; i < kTensors; ++i) {
        int number = thread * kTensors + i;
        std::vector<int32_t> values = content(number);
        std::string name = "/1/t" + std::to_string(number);
        bool lend = i % 5 == 0;
        int64_t ticket = llvm::cantFail(
            writer->record(name, type, values.data(), {}, lend, i % 2 == 0));
        if (lend)
          lent.emplace_back(ticket, std::move(values));
        else
          std::fill(values.begin(), values.end(), -1); // was copied
        while (!lent.empty() && lent.front().first <= writer->finished())
          lent.pop_front();
        if (i % 50 == 49)
          llvm::cantFail(writer->flush());
      }
      llvm::cantFail(writer->flush());
    });
  for (std::thread &thread : threads)
    thread.join();
  DumpStatistics statistics = llvm::cantFail(writer->close());
  EXPECT_EQ(statistics.tensors, kThreads * kTensors);
  EXPECT_EQ(statistics.tensors - statistics.storedOnce, kContents);
  EXPECT_NE(
      messageOf(writer->record("/1/late", type, content(0).data()).takeError())
          .find("comes too late"),
      std::string::npos);
  auto reader = llvm::cantFail(Hdf5Reader::open(path("x.h5")));
  ASSERT_EQ(reader->datasets().size(),
            static_cast<size_t>(kThreads * kTensors));
  for (const formats::Hdf5Dataset &dataset : reader->datasets()) {
    Tensor tensor = llvm::cantFail(reader->readTensor(dataset));
    int number = std::stoi(dataset.path.substr(4));
    for (int32_t value : llvm::ArrayRef(tensor.data<int32_t>(), 8000))
      ASSERT_EQ(value, number % kContents) << dataset.path;
  }
}

TEST_F(Dump, AFullDiskKeepsWhatIsFinished) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  std::string message;
  pid_t child = ::fork(); // the limit belongs to the process
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto writer = llvm::cantFail(DumpWriter::create(path("x.h5")));
    for (unsigned i = 0; i < 100; ++i)
      if (llvm::Error error = writer->add("/1/t" + std::to_string(i),
                                          filled(f32, {20000}, i))) {
        llvm::consumeError(std::move(error));
        break;
      }
    std::ofstream(path("message")) << messageOf(writer->close().takeError());
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  std::ifstream messageFile(path("message"));
  std::getline(messageFile, message);
  EXPECT_NE(message.find("cannot write '" + path("x.h5") + "': file too large"),
            std::string::npos)
      << message;
  auto reader = llvm::cantFail(Hdf5Reader::open(path("x.h5")));
  // Twelve datasets of 80000 bytes each in 2^20 bytes, beside some ten thousand of metadata.
  EXPECT_EQ(reader->datasets().size(), 12u);
  for (const formats::Hdf5Dataset &dataset : reader->datasets())
    EXPECT_EQ(formats::hashBytes(
                  {reinterpret_cast<const uint8_t *>(
                       llvm::cantFail(reader->readTensor(dataset)).bytes()),
                   80000}),
              dataset.hash);
}

static std::string linear(unsigned i) {
  return "/1/m" + std::to_string(i) + ".Linear.0.forward_output.0";
}

/// Records until it is killed, and reports each finished tensor through the
/// pipe; `together`: many tensors wait and are written in batches.
[[noreturn]] static void recordForever(const std::string &file, int pipe,
                                       bool together) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  auto writer = llvm::cantFail(DumpWriter::create(file));
  for (unsigned i = 0; i < 100000; ++i) {
    llvm::cantFail(writer->add(
        linear(i), filled(f32, {1 + (i * 37) % 3000}, i % 7 == 0 ? 3 : i)));
    if (together && i > 0)
      continue;
    llvm::cantFail(writer->flush()); // finished: must survive
    if (::write(pipe, &i, sizeof i) < 0)
      std::_Exit(1);
  }
  std::_Exit(0);
}

static void expectIntact(const Hdf5Reader &reader) {
  for (const formats::Hdf5Dataset &dataset : reader.datasets()) {
    Tensor tensor = llvm::cantFail(reader.readTensor(dataset));
    ASSERT_EQ(
        formats::hashBytes({reinterpret_cast<const uint8_t *>(tensor.bytes()),
                           static_cast<size_t>(tensor.denseBytes())}),
        dataset.hash);
  }
}

TEST_F(Dump, AKilledRecorderLosesNoFinishedTensor) {
  unsigned random = 12345;
  int rebuilt = 0, kept = 0;
  for (int round = 0; round < 100; ++round) {
    std::string file = path("k.h5");
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    pid_t child = ::fork();
    if (child == 0)
      recordForever(file, pipe[1], round % 2 == 1);
    ::close(pipe[1]);
    random = random * 1664525 + 1013904223;
    unsigned last = 0, value = 0;
    int64_t finished = 0;
    // In most rounds something is finished, however busy the machine is.
    if (round % 5 != 0)
      finished += ::read(pipe[0], &last, sizeof last) == sizeof last;
    ::usleep((random >> 8) % 12000);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    while (::read(pipe[0], &value, sizeof value) == sizeof value) {
      last = value;
      ++finished;
    }
    ::close(pipe[0]);
    if (!llvm::sys::fs::exists(file))
      continue;
    auto reader = llvm::cantFail(Hdf5Reader::open(file));
    ASSERT_GE(static_cast<int64_t>(reader->datasets().size()), finished);
    ASSERT_NO_FATAL_FAILURE(expectIntact(*reader));
    if (finished > 0) {
      ASSERT_NE(reader->find(linear(last)), nullptr);
    }
    rebuilt += reader->repaired() && reader->repaired()->rebuilt;
    kept += finished > 0;
    ::unlink(file.c_str());
  }
  EXPECT_GE(kept, 80);
  EXPECT_GT(rebuilt, 0);
}

// A recorder that continues a killed one's file keeps its tensors.
TEST_F(Dump, WhatAKilledRecorderLeftIsKeptUnderANumber) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  for (const char *name : {"run.h5", "plain"})
    for (unsigned times : {1u, 2u}) {
      int pipe[2];
      ASSERT_EQ(::pipe(pipe), 0);
      pid_t child = ::fork();
      if (child == 0) {
        auto writer = llvm::cantFail(DumpWriter::create(path(name)));
        llvm::cantFail(writer->add("/1/t", filled(f32, {5}, times)));
        llvm::cantFail(writer->flush());
        (void)!::write(pipe[1], &times, sizeof times);
        ::pause();
      }
      unsigned value = 0;
      EXPECT_EQ(::read(pipe[0], &value, sizeof value), 4);
      ::close(pipe[0]), ::close(pipe[1]);
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  for (const char *name : {"run.h5", "plain"}) {
    auto writer = llvm::cantFail(DumpWriter::create(path(name)));
    llvm::cantFail(writer->add("/1/t", filled(f32, {5}, 3)));
    llvm::cantFail(writer->close());
  }
  const std::pair<const char *, unsigned> files[] = {
      {"run.killed-1.h5", 1},   {"run.killed-2.h5", 2},   {"run.h5", 3},
      {"plain.killed-1.h5", 1}, {"plain.killed-2.h5", 2}, {"plain", 3}};
  for (auto [name, seed] : files) {
    auto reader = llvm::cantFail(Hdf5Reader::open(path(name)));
    Tensor due = filled(f32, {5}, seed);
    ASSERT_NE(reader->find("/1/t"), nullptr) << name;
    Tensor found = llvm::cantFail(reader->readTensor(*reader->find("/1/t")));
    EXPECT_EQ(std::memcmp(found.bytes(), due.bytes(), 20), 0) << name;
  }
}

TEST_F(Dump, RepairRebuildsAFileWhoseMetadataWereBeingChanged) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  for (bool busy : {false, true}) {
    pid_t child = ::fork();
    if (child == 0) {
      auto writer = llvm::cantFail(DumpWriter::create(path("r.h5")));
      for (unsigned i = 0; i < 20; ++i)
        llvm::cantFail(
            writer->add("/1/t" + std::to_string(i), filled(f32, {50}, i % 6)));
      llvm::cantFail(writer->flush());
      std::_Exit(0); // as a kill would end it
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    if (busy) {
      std::fstream journal(path("r.h5.journal"),
                           std::ios::in | std::ios::out | std::ios::binary);
      journal.seekp(10);
      journal.write("busy", 4);
    }
    auto reader = llvm::cantFail(Hdf5Reader::open(path("r.h5")));
    ASSERT_TRUE(reader->repaired());
    EXPECT_EQ(reader->repaired()->rebuilt, busy);
    EXPECT_EQ(reader->repaired()->tensors, 20);
    ASSERT_EQ(reader->datasets().size(), 20u);
    for (unsigned i = 0; i < 20; ++i) {
      const formats::Hdf5Dataset &dataset = reader->datasets()[i];
      EXPECT_EQ(dataset.path, "/1/t" + std::to_string(i));
      Tensor back = llvm::cantFail(reader->readTensor(dataset)),
             want = filled(f32, {50}, i % 6);
      EXPECT_EQ(std::memcmp(back.bytes(), want.bytes(), 200), 0);
    }
    EXPECT_EQ(reader->datasets()[0].offset, reader->datasets()[6].offset);
    ::unlink(path("r.h5").c_str());
  }
}

TEST_F(Dump, TheSummaryAtCloseIsThatOfTheFile) {
  ElementType f32 = ElementType::floating(FloatFormat::F32);
  auto writer = llvm::cantFail(DumpWriter::create(path("s.h5")));
  llvm::cantFail(writer->add("/2/none", filled(f32, {0}, 1)));
  llvm::cantFail(writer->add("/2/nothing", filled(f32, {0, 3}, 1)));
  // A group within a step is listed where its first member was made.
  for (const char *name : {"/2/a", "/1/b", "/2/inner/c", "/1/d", "/2/e",
                           "/2/inner/f", "/1/inner/deep/g", "/1/h", "/3/i"})
    llvm::cantFail(
        writer->add(name, filled(f32, {7}, static_cast<unsigned>(name[3]))));
  llvm::cantFail(writer->add("/1/empty", filled(f32, {0}, 1)));
  llvm::cantFail(writer->add("/1/again", filled(f32, {0}, 1)));
  llvm::cantFail(writer->close());
  auto reader = llvm::cantFail(Hdf5Reader::open(path("s.h5")));
  ThreadPool pool;
  std::string text;
  llvm::raw_string_ostream os(text);
  writeSummaryCsv(llvm::cantFail(summarize(*reader, pool)), os);
  std::ifstream file(path("s_summary.csv"));
  std::string written((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(written, text);
  EXPECT_EQ(llvm::StringRef(text).count('\n'), 14u);
}

TEST_F(Dump, AForkedChildWritesNothing) {
  auto writer = llvm::cantFail(DumpWriter::create(path("x.h5")));
  llvm::cantFail(
      writer->add("/1/before", filled(ElementType::integer(32), {4, 4}, 1)));
  writer->beforeFork();
  pid_t child = ::fork();
  if (child == 0) {
    std::string said = messageOf(
        writer->add("/1/lost", filled(ElementType::integer(32), {4, 4}, 2)));
    writer->leaveToParent();
    writer.reset();
    bool right = said.ends_with("x.h5' is recorded by the process that made "
                                "it; '/1/lost' comes from a child of it");
    ::_exit(right ? 0 : 1);
  }
  writer->afterFork();
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(llvm::cantFail(writer->close()).tensors, 1);
  EXPECT_FALSE(llvm::sys::fs::exists(path("x.h5.journal")));
}

TEST(DumpNames, PartsComeApartAndTogether) {
  DumpName name = parseDumpName(
      "/1/blocks.0.mlp.linear_fc1.ColumnParallelLinear.0.forward_params.bias");
  EXPECT_EQ(name.step, 1);
  EXPECT_EQ(name.module, "blocks.0.mlp.linear_fc1");
  EXPECT_EQ(name.className, "ColumnParallelLinear");
  EXPECT_EQ(name.call, 0);
  EXPECT_EQ(name.kind, TensorKind::ForwardParams);
  EXPECT_EQ(name.item, "bias");
  EXPECT_EQ(
      name.dataset(),
      "/1/blocks.0.mlp.linear_fc1.ColumnParallelLinear.0.forward_params.bias");
  DumpName bare = parseDumpName(
      "/1/blocks.0.mlp.linear_fc1.ColumnParalleLinear.forward_params.bias");
  EXPECT_EQ(bare.className, "ColumnParalleLinear");
  EXPECT_EQ(bare.call, -1);
  EXPECT_EQ(parseDumpName("/1/Model.0.forward_output.out.logits").item,
            "out.logits");
  EXPECT_EQ(parseDumpName("/1/Model.0.forward_output.out.logits").className,
            "Model");
  EXPECT_EQ(parseDumpName("/weights/a.b").kind, TensorKind::Other);
  EXPECT_EQ(parseDumpName("/weights/a.b").module, "weights/a.b");
  EXPECT_EQ(rankOfFile("x/globalrank-12_localrank-4.h5"), 12);
}

TEST(Statistics, CountsAndMomentsOfMixedValues) {
  Tensor tensor = llvm::cantFail(
      Tensor::allocate({ElementType::floating(FloatFormat::F32), {8}}));
  float values[] = {1, 2, 3, 4, 0, 1e-40f, NAN, -INFINITY};
  std::memcpy(tensor.mutableBytes(), values, sizeof values);
  TensorFigures figures = figuresOf(tensor);
  const numerics::TensorStatistics &s = figures.values;
  EXPECT_EQ(s.nan(), 1);
  EXPECT_EQ(s.minusInf(), 1);
  EXPECT_EQ(s.zeros(), 1);
  EXPECT_EQ(s.subnormals(), 1);
  EXPECT_EQ(s.finite(), 6);
  EXPECT_DOUBLE_EQ(s.mean(), 10.0 / 6);
  EXPECT_DOUBLE_EQ(s.norm(), std::sqrt(30.0));
  EXPECT_NEAR(s.standardDeviation(), std::sqrt(30.0 / 6 - 100.0 / 36), 1e-12);
  EXPECT_EQ(figures.percentiles[2], 1); // the third of six
  EXPECT_EQ(figures.percentiles[4], 4);
}
