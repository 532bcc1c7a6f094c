// Why parts of ranks cannot be put together, and inputs that the dump writer
// and the layouts refuse, each with its message.
#include "assay/support/TestFolder.h"
#include "assay/trace/DumpWriter.h"
#include "assay/trace/ranks/Assemble.h"
#include "assay/trace/ranks/Layout.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace assay;
using namespace assay::trace;
using numerics::ElementType;
using tensor::Tensor;

static Tensor zeros(tensor::Shape shape,
                    ElementType type = ElementType::integer(32)) {
  Tensor t = llvm::cantFail(Tensor::allocate({type, std::move(shape)}));
  std::fill_n(t.mutableBytes(), t.size() * type.storageBytes(), std::byte{0});
  return t;
}

template <typename T> static std::string messageOf(llvm::Expected<T> result) {
  if (result)
    return "accepted";
  return takeError(result.takeError()).message;
}

static std::string joinedBy(const char *placement,
                            const std::vector<Tensor> &parts) {
  return messageOf(joinParts(parts, llvm::cantFail(parsePlacement(placement))));
}

TEST(AssembleRefusals, OfPartsThatDoNotFit) {
  EXPECT_EQ(joinedBy("shard 0", {zeros({2, 3}), zeros({2, 4})}),
            "its parts have unlike shapes or types");
  EXPECT_EQ(joinedBy("shard 2", {zeros({2, 3}), zeros({2, 3})}),
            "it has 2 dimensions and is cut along dimension 2");
  EXPECT_EQ(joinedBy("sum", {zeros({2}), zeros({3})}),
            "its summands have unlike shapes or types");
  EXPECT_EQ(joinedBy("sum", {zeros({2}, ElementType::boolean()),
                             zeros({2}, ElementType::boolean())}),
            "numbers of its type are not reduced");
}

static RankPart partAt(int64_t rank, const char *places) {
  RankPart part;
  part.rank = rank;
  part.tensor = zeros({2});
  part.places = llvm::cantFail(parsePlaces(places));
  return part;
}

static std::string assembled(std::vector<RankPart> parts) {
  std::vector<Divergence> diverging;
  return messageOf(assemble(std::move(parts), diverging));
}

TEST(AssembleRefusals, OfRanksThatDoNotFit) {
  EXPECT_EQ(assembled({partAt(0, "tp 0/2: sum"), partAt(1, "tp 1/2: mean")}),
            "its placement differs between ranks");
  EXPECT_EQ(assembled({partAt(0, "tp 0/2: halves"), partAt(1, "tp 1/2: halves")}),
            "its placement 'halves' has no meaning here");
  EXPECT_EQ(assembled({partAt(0, "tp 1/2: first")}),
            "the first part along 'tp' was not recorded");
  EXPECT_EQ(assembled({partAt(0, "tp 0/2: last")}),
            "the last part along 'tp' was not recorded");
  EXPECT_EQ(assembled({partAt(0, "tp 0/2: sum")}),
            "only 1 of 2 parts along 'tp' were recorded");
  EXPECT_EQ(assembled({partAt(0, "tp 0/2: sum"), partAt(1, "tp 0/2: sum")}),
            "two ranks have the same place");
}

TEST(LayoutRefusals, OfPlacements) {
  EXPECT_EQ(messageOf(parsePlacement("halves")),
            "placement 'halves', expected replicate, sum, mean, max, min, "
            "first, last or shard DIM [blocks N:N] [zigzag] [scaled]");
  EXPECT_EQ(messageOf(parsePlaces("tp 2/2: sum")),
            "attribute placement 'tp 2/2: sum', expected \"AXIS I/N: "
            "PLACEMENT; …\"");
}

namespace {
struct DumpRefusals : TestFolder {};
} // namespace

TEST_F(DumpRefusals, OfTheWriter) {
  auto writer = llvm::cantFail(DumpWriter::create(path("x.h5"), {}));
  ErrorText text = takeError(writer->add("no_step", zeros({2})));
  EXPECT_EQ(text.message, "'no_step' is not a dataset path; expected /STEP/NAME");
  EXPECT_EQ(text.code, ErrorCode::InvalidArgument);
  llvm::cantFail(writer->add("/0/a", zeros({2})));
  llvm::cantFail(writer->close());
  text = takeError(writer->add("/0/b", zeros({2})));
  EXPECT_EQ(text.message,
            "'" + path("x.h5") + "' is closed; '/0/b' comes too late");
  std::ofstream(path("file")) << "x";
  EXPECT_NE(messageOf(DumpWriter::create(path("file/in/x.h5"), {}))
                .find("cannot make folder '" + path("file/in") + "': "),
            std::string::npos);
}
