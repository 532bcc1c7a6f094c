// What the commands of `tune` print, as text, JSON and CSV, for results that
// are written by hand here.
#include "assay/select/Evaluate.h"
#include "assay/select/Ranking.h"
#include "assay/select/Validate.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::select;

/// A report's text, with single spaces and without lines of dashes.
template <typename Report>
static std::string printed(const Report &report, bool details) {
  std::string text, out;
  llvm::raw_string_ostream os(text);
  report.print(os, details);
  for (char c : text) {
    if (c == '\n' && !out.empty() && out.back() == ' ')
      out.pop_back();
    if (c != ' ' || (!out.empty() && out.back() != ' ' && out.back() != '\n'))
      out += c;
  }
  return out;
}

static void expectHas(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(Reports, TwoModelsArePrintedWhereTheyDiffer) {
  CompareModelsReport report;
  report.rows = {{"p1", "a", "b", 0.5, 0.04},
                 {"p2", "c", "d", 0.125, 0.1},
                 {"p3", "e", "f", 0, 0},
                 {"p4", "g", "g", 0, 0}};
  report.measured = true;
  report.output = "x.csv";
  report.notes = {"of another machine"};
  std::string text = printed(report, true);
  expectHas(text, "problem new / old time noise new pick old pick\n");
  expectHas(text, "\np1 0.500 4.0% a b\n");
  expectHas(text, "\np2 0.125 10.0% c d\n");
  expectHas(text, "\np3 - 0.0% e f\n");
  EXPECT_EQ(text.find("p4"), std::string::npos);
  expectHas(text, "\nwritten to 'x.csv'\n");
  std::string end = "compared: 3 of 4 problems differ; over those the new picks "
                    "take 0.250 of the old ones' time (geomean)\n"
                    "note: of another machine\n";
  expectHas(text, end);
  EXPECT_EQ(printed(report, false), end);
  report.rows.erase(report.rows.begin(), report.rows.begin() + 2);
  report.notes.clear();
  EXPECT_EQ(printed(report, false), "compared: 1 of 2 problems differ\n");
}

TEST(Reports, EveryFigureOfASummaryHasItsRow) {
  EvaluateReport report;
  Summary &s = report.summary;
  s.mean = {0.9, 0.88, 0.92}, s.p50 = {0.95, 0.93, 0.97};
  s.p10 = {0.8, 0.78, 0.82}, s.p1 = {0.6, 0.5, 0.7}, s.min = {0.4, 0.4, 0.45};
  s.top1 = {0.3, 0.2, 0.4}, s.top5 = {0.7, 0.6, 0.75};
  s.ndcg1 = {0.91, 0.9, 0.93}, s.ndcg5 = {0.94, 0.92, 0.96};
  s.ndcg10 = {0.96, 0.95, 0.98};
  report.rows = 100, report.failures = 3, report.problems = 20, report.seen = 4;
  std::string text = printed(report, true);
  expectHas(text, "100 rows, 3 failed, 20 problems of which the model was "
                  "trained on 4\nnote: problems seen in training");
  for (const char *row :
       {"mean efficiency 90.00 % [88.00, 92.00]", "P50 95.00 % [93.00, 97.00]",
        "P10 80.00 % [78.00, 82.00]", "P1 60.00 % [50.00, 70.00]",
        "minimum 40.00 % [40.00, 45.00]", "top-1 30.00 % [20.00, 40.00]",
        "top-5 70.00 % [60.00, 75.00]", "NDCG@1 91.00 % [90.00, 93.00]",
        "NDCG@5 94.00 % [92.00, 96.00]", "NDCG@10 96.00 % [95.00, 98.00]"})
    expectHas(text, "\n" + std::string(row) + "\n");
  report.baseline = "old";
  report.acceptance.emplace();
  report.oldSummary.mean = {0.95, 0, 0}, report.oldSummary.p50 = {0.9, 0, 0};
  report.oldSummary.p10 = {0.8, 0, 0}, report.oldSummary.min = {0.1, 0, 0};
  text = printed(report, true);
  for (const char *row : {"against the baseline 'old':",
                          "mean efficiency 0.9500 0.9000 -0.0500",
                          "median efficiency 0.9000 0.9500 +0.0500",
                          "P10 efficiency 0.8000 0.8000 +0.0000",
                          "minimum 0.1000 0.4000 +0.3000"})
    expectHas(text, "\n" + std::string(row) + "\n");
}

TEST(Reports, AChoiceSaysItsPlace) {
  kernels::Registry::Options options;
  options.diskCache = false;
  kernels::Registry registry(options);
  // No model is shipped for this type, on any machine.
  kernels::TypePair wide{kernels::DataType::F64, kernels::DataType::F64};
  auto problem =
      kernels::GemmProblem::make(wide, kernels::Layout::RCR, 64, 48, 300);
  Interrupt interrupt;
  CostReport report = llvm::cantFail(
      explainByCost(registry, problem, 3, /*measure=*/false, interrupt));
  ASSERT_EQ(report.rows.size(), 3u);
  EXPECT_EQ(report.rows[0].kernel, report.choice.config.name());
  EXPECT_GT(report.supported, 3u);
  EXPECT_EQ(report.toJson().getAsObject()->getInteger("place"), report.place);
  // Without a model, dispatch uses the first kernel of the analytic order.
  ASSERT_EQ(report.choice.by, "analytic");
  EXPECT_EQ(report.place, 1);
  EXPECT_LE(report.rows[0].cost.totalNs(), report.rows[1].cost.totalNs());
  EXPECT_LE(report.rows[1].cost.totalNs(), report.rows[2].cost.totalNs());
  report.choice.why.clear();
  expectHas(printed(report, true),
            "choice: " + report.choice.config.name() +
                ", number 1 in the analytic model's order\n" +
                std::to_string(report.supported) +
                " kernels support the problem\n");
}
