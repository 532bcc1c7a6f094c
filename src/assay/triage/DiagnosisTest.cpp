// The report of a triage, and the words of its variations.
#include "assay/support/TestFolder.h"
#include "assay/triage/Asking.h"
#include "assay/triage/Diagnosis.h"

using namespace assay;
using namespace assay::triage;
using verify::Status;

static Diagnosis someDiagnosis() {
  Diagnosis found;
  found.subject = "a problem, engine native";
  found.add("As asked", "FAILED");
  for (int i = 0; i < 9; ++i)
    found.add("Again", "PASSED");
  found.files = {"a.mlir", "b.mlir"};
  found.repro = "assay verify --matmul 2x3:3x4";
  found.smallest = "assay verify --matmul 1x1:1x1";
  found.side = Side::Both;
  found.why = "two reasons";
  return found;
}

static std::string printed(const Diagnosis &diagnosis) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnosis.print(os);
  return text;
}

TEST(Diagnosis, StepsAreNumberedAndTheVerdictComesLast) {
  Diagnosis found = someDiagnosis();
  std::string text = printed(found);
  EXPECT_EQ(text.rfind("triage of a problem, engine native\n"
                       "  1. As asked: FAILED\n  2. Again: PASSED\n",
                       0),
            0u);
  std::string end = " 10. Again: PASSED\nsmallest test: a.mlir\n"
                    "smallest test: b.mlir\n"
                    "repro: assay verify --matmul 2x3:3x4\n"
                    "repro: assay verify --matmul 1x1:1x1\n"
                    "at fault: both (two reasons)\n";
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
  found.smallest = found.repro;
  text = printed(found);
  EXPECT_EQ(text.find("repro:"), text.rfind("repro:"));
}

TEST(Diagnosis, JsonSaysTheSame) {
  llvm::json::Value value = someDiagnosis().toJson();
  const llvm::json::Object &json = *value.getAsObject();
  EXPECT_EQ(json.getString("subject"), "a problem, engine native");
  EXPECT_EQ(json.getString("at_fault"), "both");
  EXPECT_EQ(json.getString("why"), "two reasons");
  EXPECT_EQ(json.getString("repro"), "assay verify --matmul 2x3:3x4");
  EXPECT_EQ(json.getString("smallest"), "assay verify --matmul 1x1:1x1");
  EXPECT_EQ(json.getArray("steps")->size(), 10u);
  EXPECT_EQ((*json.getArray("steps"))[0].getAsObject()->getString("answer"),
            "FAILED");
  EXPECT_EQ(*json.getArray("files"), (llvm::json::Array{"a.mlir", "b.mlir"}));
}

TEST(Diagnosis, OnlyAnUnrepeatedFailureMeansNothingWasChecked) {
  Diagnosis found;
  for (auto [side, name, code] :
       {std::tuple(Side::Engine, "engine", 0),
        {Side::Reference, "reference", 0},
        {Side::Both, "both", 0},
        {Side::Tolerance, "tolerance", 0},
        {Side::Unsure, "unsure", 0},
        {Side::NotRepeated, "nobody", 3}}) {
    found.side = side;
    EXPECT_STREQ(nameOf(side), name);
    EXPECT_EQ(static_cast<int>(found.exitCode()), code) << name;
  }
}

TEST(Answers, FailWhereSomethingIsWrong) {
  Answer answer;
  for (Status status : {Status::Failed, Status::Crashed, Status::Timeout}) {
    answer.outcome.status = status;
    EXPECT_TRUE(answer.failed());
    EXPECT_FALSE(answer.passed());
  }
  for (Status status : {Status::Passed, Status::Mistrusted, Status::Skipped,
                        Status::Unimplemented, Status::InvalidArguments}) {
    answer.outcome.status = status;
    EXPECT_FALSE(answer.failed());
  }
  answer.outcome.status = Status::Failed;
  answer.outcome.reason = "errors:3 total:8";
  EXPECT_EQ(answer.text(), "FAILED (errors:3 total:8)");
  answer.exists = false;
  EXPECT_FALSE(answer.failed());
  EXPECT_EQ(answer.text(), "no such problem");
}

TEST(Words, MakeOneProblemOrNone) {
  using Texts = std::vector<std::string>;
  auto read = [](Texts words) { return readProblem(words); };
  std::optional<verify::Problem> problem =
      read({"--matmul", "--dt=bf16", "--stag=ba", "2x3:3x4"});
  ASSERT_TRUE(problem);
  EXPECT_FALSE(read({"--matmul", "2x3:3x4", "5x6:6x7"}));
  EXPECT_FALSE(read({"--matmul"}));
  EXPECT_FALSE(read({"--matmul", "2x3:4x5"}));       // invalid
  EXPECT_FALSE(read({"--matmul", "--no", "2x3:3x4"})); // no knob
  EXPECT_FALSE(read({"--matmul", "--attr-post-ops=relu_dst", "2x3:3x4"}));
  Asking asking(*problem, 1);
  EXPECT_EQ(asking.words(), (Texts{"--matmul", "--dt=bf16:bf16:bf16",
                                   "--stag=ba", "2x3:3x4"}));
  EXPECT_EQ(asking.with({"--dt=f32", "--mb=1"}),
            (Texts{"--matmul", "--dt=bf16:bf16:bf16", "--stag=ba", "--dt=f32",
                   "--mb=1", "2x3:3x4"}));
  Variation none;
  none.words = {"--matmul", "2x3:4x5"};
  EXPECT_FALSE(asking.ask(none).exists);
}

namespace {
using Folders = TestFolder;
}

TEST_F(Folders, AreMadeWithThoseAboveThem) {
  EXPECT_FALSE(bool(makeFolder("")));
  EXPECT_FALSE(bool(makeFolder(path("a/b/c"))));
  EXPECT_TRUE(llvm::sys::fs::is_directory(path("a/b/c")));
  EXPECT_FALSE(bool(makeFolder(path("a/b/c"))));
  llvm::Error error = makeFolder("/proc/nowhere/at/all");
  ASSERT_TRUE(bool(error));
  ErrorText text = takeError(std::move(error));
  EXPECT_EQ(text.code, ErrorCode::InvalidArgument);
  EXPECT_EQ(text.message.rfind("'/proc/nowhere/at/all': ", 0), 0u);
}
