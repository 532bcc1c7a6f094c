#include "assay/judge/contraction/Norms.h"
#include "assay/judge/contraction/Fill.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/TestProblem.h"

#include "gtest/gtest.h"

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;

static const std::vector<const char *> kProblems[] = {
    {"--matmul", "17x64:64x33"},
    {"--matmul", "2x5x40:1x40x9"},
    {"--matmul", "--stag=ba", "--wtag=ba", "7x129:129x6"},
    {"--conv", "--dir=FWD_D", "g2mb3ic34ih7oc6kh3ph1"},
    {"--conv", "--dir=FWD_D", "ic8ih11oc5kh5sh2ph2dh1"},
    {"--conv", "--dir=BWD_D", "mb2ic5ih9oc33kh3ph1sh2"},
    {"--conv", "--dir=BWD_W", "mb2ic5ih9oc7kh3ph1"},
    {"--deconv", "--dir=FWD_D", "ic40ih5oc6kh3sh2"},
    {"--ip", "--dir=BWD_D", "mb8ic12ih2oc40"},
    {"--ip", "--dir=BWD_W", "mb64ic5ih2oc3"},
};

TEST(Norms, BoundTheSumOfMagnitudesFromAboveAndTheirShareFromBelow) {
  ThreadPool pool(2);
  for (FillKind kind : {FillKind::Normal, FillKind::Uniform})
    for (const std::vector<const char *> &words : kProblems) {
      Problem problem = problemOfWords(words);
      Lowered c = llvm::cantFail(lower(problem));
      ASSERT_TRUE(normsApply(c.contraction, kind)) << words.back();
      FillPlan plan = planFill(c, kind, 1);
      plan.nanAt = -1;
      std::vector<float> a(c.contraction.aElements()),
          b(c.contraction.bElements());
      fillSlot(c, plan, c.a, a.data(), pool);
      fillSlot(c, plan, c.b, b.data(), pool);
      Norms norms(c.contraction, a.data(), b.data(), pool);
      std::vector<double> all(c.contraction.cElements()), piece(3);
      norms.load(0, static_cast<int64_t>(all.size()), all.data());
      for (int64_t i = 0; i < c.contraction.cElements(); ++i) {
        double sum =
            contractPoint(c.contraction, a.data(), b.data(), i).absolute;
        EXPECT_LE(sum, all[i] * 1.0001) << words.back() << " " << i;
        EXPECT_GE(sum, all[i] * kNormShare) << words.back() << " " << i;
      }
      // A piece has the same values as the whole.
      int64_t middle = c.contraction.cElements() / 2;
      norms.load(middle, 3, piece.data());
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(piece[i], all[middle + i]) << words.back();
    }
}

TEST(Norms, AreRefusedWhereTheyAreFarFromTheSum) {
  Problem heavy = problemOfWords({"--matmul", "17x64:64x33"}),
          shallow = problemOfWords({"--matmul", "17x8:8x33"});
  Problem cut =
      problemOfWords({"--conv", "--dir=FWD_D",
                      "ic8ih1oc5oh1kh7ph3"}); // one tap of 49 reads data
  EXPECT_FALSE(
      normsApply(llvm::cantFail(lower(heavy)).contraction, FillKind::Heavy));
  EXPECT_FALSE(
      normsApply(llvm::cantFail(lower(shallow)).contraction, FillKind::Normal));
  EXPECT_FALSE(
      normsApply(llvm::cantFail(lower(cut)).contraction, FillKind::Normal));
}
