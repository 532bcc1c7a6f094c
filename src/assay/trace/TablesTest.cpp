// Tables in and out: CSV of other programs, the results of operator tests of
// two devices, and the output of a comparison.
#include "assay/numerics/Convert.h"
#include "assay/trace/CompareReport.h"
#include "assay/trace/Csv.h"
#include "assay/trace/Diff.h"
#include "assay/trace/Import.h"
#include "assay/trace/TestDumps.h"
#include "assay/trace/report/Page.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace assay;
using namespace assay::trace;
using tensor::ElementType;
using formats::Hdf5Reader;
using tensor::Tensor;

namespace {
struct Tables : DumpFolder {
  std::string put(llvm::StringRef name, const std::string &text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string messageOf(const std::string &text) const {
    llvm::Expected<CsvFile> file = readCsv(put("x.csv", text));
    return file ? "" : takeError(file.takeError()).message;
  }
};
} // namespace

TEST_F(Tables, CsvAsRfc4180WritesIt) {
  CsvFile file = llvm::cantFail(readCsv(put(
      "x.csv", "\xef\xbb\xbfname, value \r\n\"a \"\"quoted\"\" b\",1\r\n"
               "\r\n\"two\nlines, and a comma\",\"\"\"\"\r\nshort\r\nlast,9")));
  ASSERT_EQ(file.rows.size(), 4u);
  EXPECT_EQ(file.cell(0, "name"), "a \"quoted\" b");
  EXPECT_EQ(file.cell(0, "value"), "1");
  EXPECT_EQ(file.cell(1, "name"), "two\nlines, and a comma");
  EXPECT_EQ(file.cell(1, "value"), "\"");
  EXPECT_EQ(file.cell(2, "value"), "");
  EXPECT_EQ(file.cell(3, "value"), "9");
  EXPECT_EQ(file.cell(0, "other"), "");
}

TEST_F(Tables, CsvErrorsNameTheLine) {
  std::string x = "'" + path("x.csv") + "'";
  EXPECT_EQ(messageOf("a,b\n\"1\n2\",3\n1,2,3\n"),
            x + " line 4 has 3 cells, the header 2");
  EXPECT_EQ(messageOf("a,b\n1,2\n\"3,4\n5,6\n"),
            x + " line 3: a quote is not closed");
  EXPECT_EQ(messageOf("\n\n"), x + " is empty");
}

static std::string
resultRow(const std::string &name, const std::string &shape,
          const std::string &verdict, const std::string &largest,
          const std::vector<int64_t> &counts) {
  std::string row =
      name + ",aten.x,f32,\"" + shape + "\",-1,1," + verdict + "," + largest;
  for (int64_t count : counts)
    row += "," + std::to_string(count);
  return row + "\n";
}

static const std::string kHeader =
    "name,op_name,dtype,shape,min-val,max-val,is_pass,max,1e-1,1e-2,1e-3,1e-4,"
    "1e-5,1e-6,1e-7,1e-8,1e-9,1e-10\n";

/// Counts by decades: `first` in the first, `last` in the last.
static std::vector<int64_t> decades(int64_t first, int64_t last) {
  std::vector<int64_t> counts(kDiffDecades, 0);
  counts.front() = first;
  counts.back() = last;
  return counts;
}

TEST_F(Tables, AnErrorOutOfProportionToTheBenchFails) {
  // 40 x 50 elements: a thousandth are 2. Twice the bench's count and 2 more are
  // allowed, in every decade.
  struct Case {
    const char *largest;
    int64_t first, last;
    bool passes;
  };
  const Case cases[] = {{"2e-3", 999, 0, true},  // an error of twice the bench's
                        {"2.1e-3", 8, 0, true},  // 2 * 3 + 2
                        {"2.1e-3", 9, 0, false}, //
                        {"2.1e-3", 0, 12, true}, // 2 * 5 + 2
                        {"2.1e-3", 0, 13, false},
                        {"nan", 9, 0, false},
                        {"Inf", 8, 0, true}};
  for (const Case &c : cases) {
    std::string target =
                    put("t.csv", kHeader + resultRow("a", "[40, 50]", "pass",
                                                     c.largest,
                                                     decades(c.first, c.last))),
                bench = put("b.csv", kHeader + resultRow("a", "[40, 50]",
                                                         "pass", "1e-3",
                                                         decades(3, 5)));
    DiffResult result = llvm::cantFail(diffResults(target, bench));
    EXPECT_EQ(result.rows[0].verdict, c.passes ? "pass" : "Fail")
        << c.largest << " " << c.first << " " << c.last;
    EXPECT_EQ(result.passed, c.passes);
    EXPECT_EQ(result.failed, !c.passes);
  }
}

TEST(Msprobe, NamesBecomeThoseOfADumpOrStay) {
  const std::pair<const char *, const char *> names[] = {
      {"Module.conv1.Conv2d.forward.0.input.0",
       "conv1.Conv2d.0.forward_input.0"},
      {"Module.a.b.Linear.backward.11.output.1",
       "a.b.Linear.11.backward_grad_output.1"},
      {"Module.conv1.Conv2d.forward.0.parameters.weight",
       "conv1.Conv2d.0.forward_params.weight"},
      {"Module.conv1.Conv2d.parameters_grad.weight",
       "conv1.Conv2d.0.params_grad.weight"},
      {"Module.conv1.Conv2d.parameters_grad", "conv1.Conv2d.0.params_grad"},
      {"Functional.linear.3.forward.output.0",
       "Functional.linear.3.forward_output.0"},
      {"Tensor.forward.0.forward.input.0", "Tensor.forward.0.forward_input.0"}};
  for (const auto &[from, to] : names)
    EXPECT_EQ(nameOfMsprobe(from), to);
  for (const char *stays :
       {"x", "a.b", "Module.forward.0.input.0", "Module.parameters_grad.weight",
        "Module.fc.Linear.forward", "Functional.relu.2.forward",
        "Module.fc.Linear.forward.0", "Tensor.add.0.forward.other.0"})
    EXPECT_EQ(nameOfMsprobe(stays), stays);
}

TEST(DiffReport, JsonAndCsvHoldEveryRow) {
  DiffResult result;
  result.targetLabel = "xpu", result.benchLabel = "gpu";
  result.rows.resize(2);
  result.rows[0].name = "a", result.rows[0].verdict = "pass";
  result.rows[1].name = "b,c", result.rows[1].verdict = "Unmatched";
  result.rows[1].reason = "only here";
  result.passed = 1, result.unmatched = 1;
  llvm::json::Value json = diffJson(result);
  const llvm::json::Object &object = *json.getAsObject();
  EXPECT_EQ(object.getInteger("passed"), 1);
  EXPECT_EQ(object.getInteger("failed"), 0);
  EXPECT_EQ(object.getInteger("unmatched"), 1);
  ASSERT_EQ(object.getArray("rows")->size(), 2u);
  const llvm::json::Object &second =
      *(*object.getArray("rows"))[1].getAsObject();
  EXPECT_EQ(second.getString("name"), "b,c");
  EXPECT_EQ(second.getString("reason"), "only here");
  std::string text;
  llvm::raw_string_ostream os(text);
  writeDiffCsv(result, os);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  ASSERT_EQ(lines.size(), 4u); // the last line ends
  EXPECT_TRUE(lines[0].starts_with("name,op_name,")) << text;
  EXPECT_TRUE(lines[1].starts_with("a,")) << text;
  EXPECT_TRUE(lines[2].starts_with("\"b,c\",")) << text;
  EXPECT_TRUE(lines[2].ends_with(",only here")) << text;
  EXPECT_EQ(diffSummary(result),
            "2 operators: 1 pass, 0 Fail, 1 unmatched");
}

TEST_F(Tables, ABenchWithoutANumberAllowsEveryError) {
  for (const char *largest : {"nan", "NaN", "inf", "Infinity"}) {
    std::string target = put("t.csv", kHeader + resultRow("a", "[40, 50]",
                                                          "pass", "7",
                                                          decades(999, 999))),
                bench = put("b.csv", kHeader + resultRow("a", "[40, 50]",
                                                         "pass", largest,
                                                         decades(0, 0)));
    EXPECT_EQ(llvm::cantFail(diffResults(target, bench)).passed, 1) << largest;
  }
}

TEST_F(Tables, SmallTensorsMayHaveOneMore) {
  for (int64_t count : {1, 2}) {
    std::string
        target = put("t.csv", kHeader + resultRow("a", "[3]", "pass", "1",
                                                  decades(count, 0))),
        bench = put("b.csv", kHeader + resultRow("a", "[3]", "pass", "1e-3",
                                                 decades(0, 0)));
    EXPECT_EQ(llvm::cantFail(diffResults(target, bench)).passed, count == 1);
  }
}

TEST_F(Tables, RowsOfOneNameAreJoinedInTheirOrder) {
  std::vector<int64_t> none(kDiffDecades, 0), all(kDiffDecades, 3);
  std::string target =
                  put("xpu.csv",
                      kHeader + resultRow("a", "[3]", "PASSED", "1", all) +
                          resultRow("a", "[3]", "True", "1e-9", none) +
                          resultRow("t", "[3]", "fail", "1", all)),
              bench = put("gpu.csv",
                          kHeader + resultRow("a", "[3]", "pass", "1", all) +
                              resultRow("a", "[3]", "pass", "1e-9", none) +
                              resultRow("a", "[3]", "pass", "1e-9", none) +
                              resultRow("b", "[3]", "pass", "1", all));
  DiffResult result = llvm::cantFail(diffResults(target, bench));
  ASSERT_EQ(result.rows.size(), 5u);
  EXPECT_EQ(result.rows[0].verdict, "pass") << result.rows[0].reason;
  EXPECT_EQ(result.rows[1].verdict, "pass") << result.rows[1].reason;
  EXPECT_EQ(result.rows[2].reason, "only in the target");
  EXPECT_EQ(result.rows[3].name, "a");
  EXPECT_EQ(result.rows[3].reason, "only in the bench");
  EXPECT_EQ(result.rows[4].name, "b");
  EXPECT_EQ(diffSummary(result), "5 operators: 2 pass, 0 Fail, 3 unmatched");
  EXPECT_EQ(result.targetLabel, "xpu");
  EXPECT_EQ(result.benchLabel, "gpu");
  std::string csv;
  llvm::raw_string_ostream os(csv);
  writeDiffCsv(result, os);
  EXPECT_TRUE(llvm::StringRef(csv).starts_with(
      "name,op_name,dtype,shape,min-val,max-val,is_pass,xpu_max,gpu_max,"
      "gpu_1e-1,xpu_1e-1,gpu_1e-2"))
      << csv;
  // Its own verdict: a target that fails fails, whatever the bench does.
  result = llvm::cantFail(diffResults(target, target));
  EXPECT_EQ(result.rows[2].reason, "both tests say 'fail'");
  EXPECT_EQ(result.targetLabel, "target");
}

static Tensor f32(const std::vector<float> &values, tensor::Shape shape) {
  Tensor t = llvm::cantFail(Tensor::allocate(
      {ElementType::floating(numerics::FloatFormat::F32), std::move(shape)}));
  std::copy(values.begin(), values.end(), t.mutableData<float>());
  return t;
}

namespace {
struct Reports : Tables {
  Comparison compare(const Named &target, const Named &bench,
                     const NameMap &map = {}) const {
    auto left = llvm::cantFail(Hdf5Reader::open(write("t.h5", target))),
         right = llvm::cantFail(Hdf5Reader::open(write("b.h5", bench)));
    ThreadPool pool(1);
    CompareOptions options;
    options.map = map;
    return llvm::cantFail(compareDumps(*left, *right, options, pool));
  }
  CsvFile csvOf(const Comparison &comparison) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeComparisonCsv(comparison, os);
    return llvm::cantFail(readCsv(put("out.csv", text)));
  }
};
} // namespace

TEST_F(Reports, TheCsvHasEveryDigitAndBothSides) {
  Comparison comparison =
      compare({{"/3/a.Linear.0.forward_output.0", f32({1, 2, 3}, {3})},
               {"/3/b.Linear.0.forward_output.0", f32({1, 2}, {2})},
               {"/word/c", f32({1}, {})}},
              {{"/3/a.Linear.0.forward_output.0", f32({1, 2, 3.1f}, {1, 3})},
               {"/3/b.Linear.0.forward_output.0", f32({1, 2, 3}, {3})},
               {"/word/c", f32({1}, {})},
               {"/3/d.Linear.0.forward_output.0", f32({1}, {1})}});
  CsvFile csv = csvOf(comparison);
  ASSERT_EQ(csv.rows.size(), 4u);
  // |3 - 3.1f| in doubles.
  EXPECT_EQ(csv.cell(0, "Max Err (t)"), "0.099999904632568359");
  EXPECT_EQ(csv.cell(0, "Status"), "Fail");
  EXPECT_EQ(csv.cell(0, "Shape"), "[3] | [1, 3]");
  EXPECT_EQ(csv.cell(0, "Step"), "3");
  EXPECT_EQ(csv.cell(0, "Target value"), "3");
  EXPECT_EQ(csv.cell(0, "Bench value"), "3.1");
  EXPECT_EQ(csv.cell(0, "Match"), "exact");
  EXPECT_EQ(csv.cell(1, "Shape"), "[2] | [3]");
  EXPECT_EQ(csv.cell(1, "RMSE"), "");
  size_t word = 0, alone = 0;
  for (size_t i = 0; i < 4; ++i) {
    word = csv.cell(i, "Module") == "word/c" ? i : word;
    alone = csv.cell(i, "Status") == "Unmatched" ? i : alone;
  }
  EXPECT_EQ(csv.cell(word, "Step"), "");
  EXPECT_EQ(csv.cell(word, "Status"), "");
  EXPECT_EQ(csv.cell(alone, "Module"), "d.Linear.0.forward_output.0");
  EXPECT_EQ(csv.cell(alone, "Shape"), "[1]");
  EXPECT_EQ(compareSummary(comparison), "3 tensors compared: 1 pass, 2 Fail; "
                                        "0 only in the target, 1 only in the "
                                        "bench");
}

TEST_F(Reports, APageReadsTheCsvOfAComparison) {
  Comparison comparison = compare({{"/1/a", f32({1}, {1})},
                                   {"/1/b", f32({2}, {1})},
                                   {"/1/c", f32({3}, {1})}},
                                  {{"/1/a", f32({1}, {1})},
                                   {"/1/b", f32({5}, {1})},
                                   {"/1/c", f32({3}, {1})}});
  csvOf(comparison);
  ThreadPool pool(1);
  auto sources = llvm::cantFail(readSources({path("out.csv")}, {}, pool));
  const llvm::json::Object &document = *sources[0].document.getAsObject();
  EXPECT_EQ(document.getInteger("passed"), 2);
  EXPECT_EQ(document.getInteger("failed"), 1);
  const llvm::json::Array &rows = *document.getArray("rows");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].getAsObject()->getString("status"), "Pass");
  EXPECT_EQ(rows[1].getAsObject()->getString("status"), "Fail");
  EXPECT_EQ(rows[1].getAsObject()->getInteger("index"), 1);
  // No name ends the element that the data are in.
  sources[0].path = "</script><b>&";
  std::string page;
  llvm::raw_string_ostream os(page);
  writePage("a <b> & c", sources, os);
  EXPECT_NE(page.find("<title>a &lt;b&gt; &amp; c</title>"), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>\\u003cb>&"), std::string::npos);
}

TEST(ReportWords, NumbersThatJsonLacksAreText) {
  EXPECT_EQ(jsonNumber(INFINITY), llvm::json::Value("inf"));
  EXPECT_EQ(jsonNumber(-INFINITY), llvm::json::Value("-inf"));
  EXPECT_EQ(jsonNumber(NAN), llvm::json::Value("nan"));
  EXPECT_EQ(jsonNumber(0.5), llvm::json::Value(0.5));
}

// The pairs found, written as a map, lead to the same pairs.
TEST_F(Reports, TheMapOfAComparisonGivesItAgain) {
  Named target = {{"/1/m.a.Linear.0.forward_output.0", f32({1, 2}, {2})},
                  {"/1/m.a.Linear.0.forward_output.1", f32({1, 2, 3}, {3})},
                  {"/1/m.zz.Softmax.0.forward_output.0", f32({7}, {1, 1, 1})}},
        bench = {{"/1/m.a.Linear.0.forward_output.first", f32({1, 2, 3}, {3})},
                 {"/1/m.a.Linear.0.forward_output.second", f32({1, 2}, {2})},
                 {"/1/m.other.Norm.0.forward_output.0", f32({7}, {1})}};
  Comparison first = compare(target, bench);
  auto benchOf = [](const Comparison &comparison, int64_t at) {
    for (const ComparedRow &row : comparison.rows)
      if (row.pair.target == at)
        return row.pair.bench;
    return int64_t{-2};
  };
  EXPECT_EQ(benchOf(first, 0), 1); // by shape: the items have other names
  EXPECT_EQ(benchOf(first, 1), 0);
  NameMap map = mapOf(first);
  ASSERT_EQ(map.tensors.count("m.a.Linear.0.forward_output.0"), 1u);
  EXPECT_EQ(map.tensors["m.a.Linear.0.forward_output.0"],
            "m.a.Linear.0.forward_output.second");
  ASSERT_EQ(map.tensors.count("m.zz.Softmax.0.forward_output.0"),
            static_cast<size_t>(benchOf(first, 2) < 0));
  llvm::cantFail(writeNameMap(path("map.json"), map));
  Comparison again = compare(
      target, bench, llvm::cantFail(readNameMap(path("map.json"))));
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(benchOf(again, i), benchOf(first, i)) << i;
}
