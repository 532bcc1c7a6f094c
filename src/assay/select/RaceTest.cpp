// Races of kernels whose times are known: each uses a given amount of its
// thread's processor time, so that the result of a race can be computed. The
// order and number of runs and the omitted kernels are exact.
#include "assay/select/Collector.h"
#include "assay/select/Search.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>

using namespace assay;
using namespace assay::select;

/// The result of `attempt`, repeated up to ten times until it equals `due`: an
/// interruption of this process may lengthen any of its times.
template <typename F>
static std::string finally(const std::string &due, F attempt) {
  std::string said;
  for (int i = 0; i < 10 && said != due; ++i)
    said = attempt();
  return said;
}

/// "1" for a number near `due`, else its ratio to it.
static std::string share(double value, double due) {
  double ratio = value / due;
  return std::fabs(ratio - 1) < 0.12 ? "1" : std::to_string(ratio);
}

static double ownTimeNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

namespace {
/// Uses processor time, and writes its letter into a log.
class Burner final : public Contender {
public:
  Burner(double ns, std::string &log, char letter)
      : ns_(ns), log_(log), letter_(letter) {}
  void run() const override {
    log_ += letter_;
    for (double end = ownTimeNs() + ns_; ownTimeNs() < end;)
      ;
  }

private:
  double ns_;
  std::string &log_;
  char letter_;
};

/// Kernel i takes times[i]; without a time it cannot be prepared. Two kernels
/// whose numbers differ by one differ in one choice.
class Track final : public Contest {
public:
  explicit Track(std::vector<double> times) : times_(std::move(times)) {}
  std::string title() const override { return "a track"; }
  double flops() const override { return 1; }
  uint64_t hash() const override { return 5; }
  int threads() const override { return 1; }
  ProblemRef problem() const override { return nullptr; }
  std::vector<int32_t> candidates() const override {
    std::vector<int32_t> all; // the last first
    for (size_t i = times_.size(); i-- > 0;)
      all.push_back(static_cast<int32_t>(i));
    return all;
  }
  std::string name(int32_t kernel) const override {
    return std::string(1, static_cast<char>('a' + kernel));
  }
  int differences(int32_t a, int32_t b) const override {
    return std::abs(a - b);
  }
  llvm::Expected<std::shared_ptr<const Contender>>
  prepare(int32_t kernel) override {
    double ns = times_[static_cast<size_t>(kernel)];
    if (ns == 0)
      return makeError(ErrorCode::Unsupported, "{0} is lame", name(kernel));
    return std::make_shared<Burner>(ns, log, name(kernel)[0]);
  }
  std::string log;

private:
  std::vector<double> times_;
};
} // namespace

TEST(Clock, RunsAKernelAsOftenAsItIsAsked) {
  KernelTimer own(1), wall(2);
  EXPECT_EQ(finally("kkkkk 1",
                    [&] {
                      std::string log;
                      double ns = own.time(Burner(200e3, log, 'k'), 5);
                      EXPECT_GE(ns, 5 * 200e3);
                      return log + " " + share(ns, 5 * 200e3);
                    }),
            "kkkkk 1");
  std::string log;
  EXPECT_GE(wall.time(Burner(200e3, log, 'k'), 5), 5 * 200e3);
  EXPECT_EQ(log, "kkkkkk"); // one before the clock starts
}

TEST(Clock, AsksForAsManyCallsAsFillTheTime) {
  KernelTimer own(1);
  EXPECT_EQ(finally("kkk 10",
                    [&] { // one to warm up, then the quicker of two
                      std::string log;
                      int calls =
                          own.repetitionsFor(Burner(100e3, log, 'k'), 0.95e6);
                      EXPECT_LE(calls, 10);
                      return log + " " + std::to_string(calls);
                    }),
            "kkk 10");
  std::string log;
  EXPECT_EQ(own.repetitionsFor(Burner(100e3, log, 'k'), 1e3), 1);
  EXPECT_EQ(own.repetitionsFor(Burner(0, log, 'k'), 1e9), 4096);
}

TEST(Pairs, RunInTurnsEachFirstInEveryOther) {
  const std::string due = "k"
                          "aakk"
                          "kkaa"
                          "aakk 3 1 1 noisy";
  EXPECT_EQ(finally(due,
                    [&] {
                      std::string log;
                      Burner anchor(50e3, log, 'a'), kernel(150e3, log, 'k');
                      PairResult found = measurePairs(
                          KernelTimer(1), anchor, kernel, 2, {3, 3, 0, 0});
                      return log + " " +
                             std::to_string(found.statistics.pairs) + " " +
                             share(found.statistics.median, 3) + " " +
                             share(found.anchorNs, 50e3) +
                             (found.noisy ? " noisy" : "");
                    }),
            due);
  std::string log;
  Burner anchor(50e3, log, 'a');
  EXPECT_FALSE(
      measurePairs(KernelTimer(1), anchor, anchor, 2, {3, 3, 9, 0}).noisy);
}

TEST(Pairs, TwoAreEnoughForTheHopelessAndTheLeastForTheSteady) {
  EXPECT_EQ(
      finally("2 9 5",
              [] {
                std::string log;
                Burner anchor(50e3, log, 'a'), kernel(150e3, log, 'k');
                auto pairs = [&](const Burner &of, PairLimits limits) {
                  return std::to_string(
                      measurePairs(KernelTimer(1), anchor, of, 1, limits)
                          .statistics.pairs);
                };
                return pairs(kernel, {5, 9, 0, 1.7}) + " " +
                       pairs(kernel, {5, 9, 0, 4}) + " " +
                       pairs(anchor, {5, 9, 0.5, 1.7});
              }),
      "2 9 5");
}

static std::map<std::string, Measurement> byName(const RaceResult &result) {
  std::map<std::string, Measurement> rows;
  for (const Measurement &row : result.rows)
    EXPECT_TRUE(rows.emplace(row.kernel, row).second) << row.kernel;
  return rows;
}

/// The rows of a race as words: name, round, pairs, ratio as a share of its
/// expected value; then the rows in the order in which the sink received them.
static std::string raced(Track &track, const RaceOptions &options,
                         llvm::ArrayRef<double> ratios) {
  ThreadPool pool(1);
  Interrupt interrupt;
  std::string sunk;
  auto sink = [&](const Measurement &row) {
    sunk += " " + row.kernel + std::to_string(row.round);
    return llvm::Error::success();
  };
  RaceResult result =
      llvm::cantFail(race(track, pool, options, {}, sink, interrupt));
  std::string text;
  for (const auto &[name, row] : byName(result)) {
    EXPECT_EQ(row.anchor, "h");
    size_t kernel = static_cast<size_t>(name[0] - 'a');
    text += name + std::to_string(row.round) + ":" + std::to_string(row.pairs);
    text += row.valid ? "=" + share(row.ratio, ratios[kernel])
                      : "(" + row.reason + ")";
    text += " ";
  }
  return text + "|" + sunk + (result.noiseFloor < 0.2 ? "" : " noise");
}

TEST(Race, SaysHowMuchSlowerEachKernelIsThanTheFirst) {
  // The anchor is the last, h; c cannot be prepared, a and b are hopeless.
  RaceOptions options;
  options.mostPairs = 9;
  options.finalists = 1;
  options.noise = 0; // never reached: every kernel gets all its pairs
  // Three times the number of finalists get nine pairs; one gets all.
  const std::string due =
      "a0:2=1 b0:2=1 c0:0(c is lame) d1:9=1 e2:9=1 f1:9=1 g0:3=1 h0:3=1 "
      "| c0 h0 g0 f0 e0 d0 b0 a0 e1 d1 f1 e2";
  EXPECT_EQ(finally(due,
                    [&] {
                      Track track({100e3, 90e3, 0, 30e3, 20e3, 36e3, 52e3,
                                   42e3});
                      return raced(track, options,
                                   {100. / 42, 90. / 42, 0, 30. / 42, 20. / 42,
                                    36. / 42, 52. / 42, 1});
                    }),
            due);
}

TEST(Race, WhatIsKnownIsNotMeasuredAgain) {
  Track track({30e3, 40e3, 20e3});
  KnownRows known(1);
  known[0].kernel = "a";
  known[0].anchor = "b"; // the anchor when the race began
  known[0].ratio = 0.123;
  known[0].valid = true;
  ThreadPool pool(1);
  Interrupt interrupt;
  std::set<std::string> sunk;
  auto sink = [&](const Measurement &row) {
    sunk.insert(row.kernel);
    return llvm::Error::success();
  };
  RaceOptions options;
  options.mostPairs = 5;
  auto rows = byName(
      llvm::cantFail(race(track, pool, options, known, sink, interrupt)));
  EXPECT_EQ(rows.at("a").ratio, 0.123);
  EXPECT_EQ(rows.at("c").anchor, "b");
  EXPECT_EQ(sunk, (std::set<std::string>{"b", "c"}));
  EXPECT_EQ(track.log.find('a'), std::string::npos);
}

TEST(Race, AnActiveOneClimbsFromNeighbourToNeighbour) {
  std::vector<double> times;
  for (int i = 0; i < 12; ++i)
    times.push_back(60e3 - 4e3 * i);
  auto climbed = [&](size_t most) {
    Track track(times);
    RaceOptions options;
    options.kernels = {/*all=*/false, /*count=*/0, /*active=*/true};
    options.first = {0};
    options.most = most;
    options.mostPairs = 5;
    ThreadPool pool(1);
    Interrupt interrupt;
    std::string names;
    for (const auto &[name, row] : byName(llvm::cantFail(race(
             track, pool, options, {},
             [](const Measurement &) { return llvm::Error::success(); },
             interrupt))))
      names += name;
    return names;
  };
  // Six steps, no more kernels than allowed, and an end when nothing is gained.
  EXPECT_EQ(finally("abcdefg", [&] { return climbed(0); }), "abcdefg");
  EXPECT_EQ(finally("abcd", [&] { return climbed(4); }), "abcd");
  times[3] = 90e3;
  EXPECT_EQ(finally("abcd", [&] { return climbed(0); }), "abcd");
}

TEST(Race, KernelChoicesHaveNames) {
  auto parse = [](const char *text) {
    return llvm::cantFail(select::parseKernelChoice(text));
  };
  EXPECT_TRUE(parse("all").all);
  select::KernelChoice sample = parse("sample:7"), active = parse("active"),
                       more = parse("active:200");
  EXPECT_FALSE(sample.all);
  EXPECT_FALSE(sample.active);
  EXPECT_EQ(sample.count, 7);
  EXPECT_TRUE(active.active);
  EXPECT_EQ(active.count, 64);
  EXPECT_TRUE(more.active);
  EXPECT_FALSE(more.all);
  EXPECT_EQ(more.count, 200);
  for (const char *text : {"active:", "active:0", "active:x", "active7",
                           "sample", "sample:0", "sample:-1", "some"})
    EXPECT_EQ(assay::takeError(select::parseKernelChoice(text).takeError())
                  .message,
              "--kernels is '" + std::string(text) +
                  "', expected all, active, active:N, or sample:N with N of "
                  "at least 1");
}

TEST(Race, PicksAreTimedBesideTheFirstThatCanBe) {
  Track track({60e3, 0, 30e3});
  Interrupt interrupt;
  EXPECT_EQ(finally("0 1 1, 2 1 1, ",
                    [&] {
                      std::string text;
                      const double times[] = {60e3, 0, 30e3};
                      for (const TimedContender &row : llvm::cantFail(
                               timeContenders(track, {1, 0, 1, 2}, 5,
                                              interrupt))) {
                        EXPECT_LE(row.pairs, 5);
                        double due = times[row.kernel];
                        text += std::to_string(row.kernel) + " " +
                                share(row.ratio, due / 60e3) + " " +
                                share(row.ns, due) + ", ";
                      }
                      return text;
                    }),
            "0 1 1, 2 1 1, ");
  auto none = timeContenders(track, {1}, 5, interrupt);
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(takeError(none.takeError()).message,
            "no kernel could be prepared for a track");
}
