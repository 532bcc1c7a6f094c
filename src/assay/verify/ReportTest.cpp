// The output, counts and exit code of a run; the same as JSON and as JUnit XML;
// an outcome passed between ranks; the line of mode P.
#include "assay/verify/OutcomeJson.h"
#include "assay/verify/PerfTemplate.h"
#include "assay/verify/TestProblem.h"

using namespace assay;
using namespace assay::verify;

static Outcome outcomeOf(Status status, std::string reason = "") {
  Outcome outcome;
  outcome.status = status;
  outcome.reason = std::move(reason);
  outcome.milliseconds = 12.4;
  return outcome;
}

namespace {
struct Printed {
  std::string text;
  llvm::raw_string_ostream os{text};
};
} // namespace

TEST(Report, ALineForEachProblemAndTheCountsAtTheEnd) {
  Printed out;
  Report report(out.os, /*quiet=*/false, /*keepJson=*/false);
  Problem problem = problemOf("--matmul 2x3:3x4");
  Outcome first = outcomeOf(Status::Passed);
  first.before = {"before"};
  first.after = {"after", "that"};
  report.add(problem, std::move(first));
  report.add(problem, outcomeOf(Status::Failed, "errors:1 total:8"));
  for (int i = 0; i < 2; ++i)
    report.add(problem, outcomeOf(Status::Skipped, "too large"));
  report.add(problem, outcomeOf(Status::Unimplemented, "data type s4"));
  Outcome last = outcomeOf(Status::Executed);
  last.trouble = {"onednn hangs"};
  last.untaken = {"attr-fpmath"};
  report.add(problem, std::move(last));
  report.addTime("fill", 0.25);
  report.addTime("fill", 0.25);
  report.close(2);
  std::string line = " (12 ms) __REPRO: --matmul 2x3:3x4\n";
  EXPECT_EQ(
      out.os.str(),
      "before\n0:PASSED" + line + "after\nthat\n" +
          "1:FAILED (errors:1 total:8)" + line + "2:SKIPPED (too large)" +
          line + "3:SKIPPED (too large)" + line +
          "4:UNIMPLEMENTED (data type s4)" + line + "5:EXECUTED" + line +
          "       2 SKIPPED (too large)\n"
          "       1 UNIMPLEMENTED (data type s4)\n"
          "       1 with a fast reference in trouble: onednn hangs\n"
          "       1 with --attr-fpmath, an allowance that the engine does not use\n"
          "total: 2.00 s; fill: 0.50 s (25%)\n"
          "tests:6 passed:2 skipped:2 mistrusted:0 unimplemented:1 "
          "invalid_arguments:0 failed:1 crashed:0 timeout:0 listed:0\n");
}

TEST(Report, QuietShowsTroubleAndTheClosingLine) {
  Printed out;
  Report report(out.os, /*quiet=*/true, /*keepJson=*/false);
  Problem problem = problemOf("--matmul 2x3:3x4");
  for (Status status :
       {Status::Passed, Status::Skipped, Status::Listed, Status::Initialized,
        Status::Executed, Status::Mistrusted, Status::Crashed, Status::Timeout,
        Status::InvalidArguments})
    report.add(problem, outcomeOf(status, "why"));
  report.addTime("fill", 1);
  report.close(2);
  std::string line = " (why) (12 ms) __REPRO: --matmul 2x3:3x4\n";
  EXPECT_EQ(out.os.str(),
            "5:MISTRUSTED" + line + "6:CRASHED" + line + "7:TIMEOUT" + line +
                "8:INVALID_ARGUMENTS" + line +
                "tests:9 passed:3 skipped:1 mistrusted:1 unimplemented:0 "
                "invalid_arguments:1 failed:0 crashed:1 timeout:1 listed:1\n");
}

TEST(Report, OfManyReasonsTheMostFrequentTenAreShown) {
  Printed out;
  Report report(out.os, false, false);
  Problem problem = problemOf("--matmul 2x3:3x4");
  for (int reason = 0; reason < 12; ++reason)
    for (int times = 0; times <= reason; ++times)
      report.add(problem,
                 outcomeOf(Status::Skipped, "r" + std::to_string(reason)));
  report.close(1);
  std::string text = out.os.str();
  EXPECT_NE(text.find("\n      12 SKIPPED (r11)\n      11 SKIPPED (r10)\n"),
            std::string::npos);
  EXPECT_NE(text.find("\n       3 SKIPPED (r2)\n         and 2 more reasons\n"),
            std::string::npos);
  EXPECT_EQ(text.find("SKIPPED (r1)\n"), std::string::npos);
}

TEST(Report, TheExitCodeIsOfTheWorst) {
  auto code = [](std::initializer_list<Status> statuses) {
    Printed out;
    Report report(out.os, true, false);
    Problem problem = problemOf("--matmul 2x3:3x4");
    for (Status status : statuses)
      report.add(problem, outcomeOf(status));
    return static_cast<int>(report.exitCode());
  };
  EXPECT_EQ(code({}), 3);
  EXPECT_EQ(code({Status::Skipped, Status::Listed}), 3);
  for (Status fine : {Status::Passed, Status::Initialized, Status::Executed})
    EXPECT_EQ(code({Status::Skipped, fine}), 0);
  for (Status bad : {Status::Failed, Status::Crashed, Status::Timeout,
                     Status::Mistrusted, Status::Unimplemented}) {
    EXPECT_EQ(code({Status::Passed, bad}), 1) << nameOf(bad);
    EXPECT_EQ(code({bad, Status::InvalidArguments}), 2) << nameOf(bad);
  }
}

TEST(Report, JsonHasARowAProblem) {
  Printed out;
  Report report(out.os, true, /*keepJson=*/true);
  Problem problem = problemOf("--matmul 2x3:3x4");
  report.add(problem, outcomeOf(Status::Passed));
  Outcome outcome = outcomeOf(Status::Failed, "errors:1");
  outcome.facts["elements"] = 8;
  outcome.judge = "reference";
  outcome.untaken = {"impl"};
  outcome.trouble = {"onednn crashes"};
  report.add(problem, std::move(outcome));
  report.addTime("fill", 0.5);
  llvm::json::Object json = report.json();
  const llvm::json::Array &rows = *json.getArray("problems");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], llvm::json::Value(llvm::json::Object{
                         {"status", "PASSED"},
                         {"repro", "assay verify --matmul 2x3:3x4"},
                         {"ms", 12.4}}));
  EXPECT_EQ(rows[1], llvm::json::Value(llvm::json::Object{
                         {"status", "FAILED"},
                         {"repro", "assay verify --matmul 2x3:3x4"},
                         {"ms", 12.4},
                         {"reason", "errors:1"},
                         {"judge", "reference"},
                         {"elements", 8},
                         {"not_taken", llvm::json::Array{"impl"}},
                         {"fast_reference_trouble",
                          llvm::json::Array{"onednn crashes"}}}));
  EXPECT_EQ(json.getObject("counts")->getInteger("tests"), 2);
  EXPECT_EQ(json.getObject("counts")->getInteger("failed"), 1);
  EXPECT_EQ(json.getObject("counts")->getInteger("executed"), 0);
  EXPECT_EQ(json.getObject("seconds")->getNumber("fill"), 0.5);
}

TEST(Junit, KindsOfTroubleAreCountedAndTextsEscaped) {
  Printed out;
  Report report(out.os, true, false, /*keepJunit=*/true);
  Problem problem = problemOf("--matmul 2x3:3x4_n\"a&b\"");
  report.add(problem, outcomeOf(Status::Passed));
  Outcome failed = outcomeOf(Status::Failed, "1 < 2 \"or\"\x01");
  failed.after = {"line > 1", "line 2"};
  report.add(problem, std::move(failed));
  for (Status status : {Status::Mistrusted, Status::Crashed, Status::Timeout,
                        Status::InvalidArguments, Status::Skipped,
                        Status::Unimplemented, Status::Listed,
                        Status::Initialized})
    report.add(problem, outcomeOf(status));
  Printed xml;
  report.junit(xml.os, 3.25);
  std::string text = xml.os.str();
  EXPECT_EQ(text.rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<testsuites>\n<testsuite name=\"assay verify\" "
                       "tests=\"10\" failures=\"2\" errors=\"3\" "
                       "skipped=\"3\" time=\"3.250\">\n",
                       0),
            0u)
      << text;
  EXPECT_NE(text.find("<testcase classname=\"matmul\" name=\"--matmul "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("time=\"0.012\"/>\n"), std::string::npos);
  EXPECT_NE(text.find("<failure message=\"FAILED: 1 &lt; 2 "
                      "&quot;or&quot;?\" type=\"FAILED\">line &gt; 1\nline "
                      "2\nrepro: assay verify --matmul "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("a&amp;b"), std::string::npos);
  EXPECT_NE(text.find("<failure message=\"MISTRUSTED\""), std::string::npos);
  EXPECT_NE(text.find("<error message=\"CRASHED\""), std::string::npos);
  EXPECT_NE(text.find("<error message=\"INVALID_ARGUMENTS\""),
            std::string::npos);
  EXPECT_NE(text.find("<skipped message=\"UNIMPLEMENTED\"/></testcase>\n"),
            std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 27), "</testsuite>\n</testsuites>\n");
}

TEST(OutcomeJson, EveryFieldArrives) {
  Outcome sent = outcomeOf(Status::Timeout, "too late");
  sent.before = {"a", "b"};
  sent.after = {"c"};
  sent.untaken = {"impl"};
  sent.trouble = {"onednn hangs"};
  sent.judge = "native";
  sent.facts["elements"] = 3;
  for (bool recorded : {false, true}) {
    Outcome copy = sent;
    auto [got, isRecorded] = outcomeIn(toJson(std::move(copy), recorded));
    EXPECT_EQ(isRecorded, recorded);
    EXPECT_EQ(got.status, Status::Timeout);
    EXPECT_EQ(got.reason, "too late");
    EXPECT_EQ(got.before, sent.before);
    EXPECT_EQ(got.after, sent.after);
    EXPECT_EQ(got.untaken, sent.untaken);
    EXPECT_EQ(got.trouble, sent.trouble);
    EXPECT_EQ(got.judge, "native");
    EXPECT_EQ(got.milliseconds, 12.4);
    EXPECT_EQ(got.facts.getInteger("elements"), 3);
  }
  auto [nothing, isRecorded] = outcomeIn(llvm::json::Value(7));
  EXPECT_EQ(nothing.status, Status::Passed);
  EXPECT_FALSE(isRecorded);
}

TEST(PerfTemplate, FieldsAreTimesNumbersAndWords) {
  Problem problem = problemOf("--matmul --dt=bf16 --stag=ba "
                              "--attr-post-ops=relu --bia-dt=f32 "
                              "2x3:3x4_n\"named\"");
  PerfFacts facts;
  facts.problem = &problem;
  facts.seconds = {0.002, 0.001, 0.006};
  facts.createSeconds = 0.5;
  facts.inputBytes = 3000;
  facts.outputBytes = 1000;
  facts.index = 7;
  auto line = [&](const char *text) {
    auto made = applyPerfTemplate(text, facts);
    return made ? *made : "error: " + takeError(made.takeError()).message;
  };
  EXPECT_EQ(line("%time%,%-time%,%0time%,%+time%"),
            "1.000000,1.000000,3.000000,6.000000");
  EXPECT_EQ(line("%ctime% %Kctime%"), "500.000000 0.500000");
  EXPECT_EQ(line("%ops% %Kops%"), "48.000000 0.048000"); // 2 * 2 * 3 * 4
  EXPECT_EQ(line("%flops% %+Kflops%"), "48000.000000 8.000000");
  EXPECT_EQ(line("%Mbw% %0Gbw%"), "4.000000 0.001333");
  EXPECT_EQ(line("%ibytes% %Kobytes% %iobytes%"),
            "3000.000000 1.000000 4000.000000");
  EXPECT_EQ(line("%idx%:%driver%:%engine%:%impl%:%sdt%:%bia_dt%"),
            "7:matmul:onednn:onednn:bf16:bf16:bf16:f32");
  EXPECT_EQ(line("%stag% %wtag% %dtag% %alg% %dir% %mb%"),
            "ba any any direct undef 0");
  EXPECT_EQ(line("%name% %desc% [%attr%]"),
            "\"named\" 2x3:3x4 [--attr-post-ops=relu]");
  EXPECT_EQ(line("%prb%"), problem.repro);
  facts.implementation = "brgemm:avx512";
  EXPECT_EQ(line("%impl%"), "brgemm:avx512");
  EXPECT_EQ(line("plain text, 100"), "plain text, 100");
  EXPECT_NE(line("%time").find("has no closing '%'"), std::string::npos);
  EXPECT_NE(line("%tim%").find("'%tim%' is not a field"), std::string::npos);
  EXPECT_NE(line("%%").find("is not a field"), std::string::npos);
  Problem conv = problemOf("--conv --dir=BWD_W --alg=wino mb3ic2ih3oc4kh3ph1");
  facts.problem = &conv;
  EXPECT_EQ(line("%dir% %mb% %alg% %name%"), "BWD_W 3 wino \"\"");
}

TEST(PerfTemplate, TheHeaderNamesItsFields) {
  EXPECT_EQ(llvm::cantFail(perfHeader("perf,%time%,%0Gflops%,%+ctime%,%Gops%,"
                                      "%bw%,%prb%")),
            "perf,min_time,avg_Gflops,max_ctime,Gops,min_bw,prb");
  auto wrong = perfHeader("%tim%");
  EXPECT_FALSE(bool(wrong));
  llvm::consumeError(wrong.takeError());
  EXPECT_EQ(perfTemplateText("csv").take_front(19), "perf,%engine%,%impl");
  EXPECT_EQ(perfTemplateText(""), perfTemplateText("def"));
  EXPECT_EQ(perfTemplateText("%time%"), "%time%");
}
