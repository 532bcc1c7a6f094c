#include "assay/formats/Hdf5Reader.h"
#include "assay/trace/HashStream.h"
#include "llvm/ADT/ArrayRef.h"

#include "gtest/gtest.h"

#include <vector>

using namespace assay;
using assay::trace::HashStream;

TEST(HashStream, PiecesHaveTheHashOfTheWhole) {
  std::vector<uint8_t> bytes(5000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  auto inPieces = [&](size_t piece) {
    HashStream stream;
    for (size_t at = 0; at < bytes.size(); at += piece)
      stream.add(bytes.data() + at,
                 static_cast<int64_t>(std::min(piece, bytes.size() - at)));
    return stream.hex();
  };
  std::string whole = formats::hashBytes(bytes);
  for (size_t piece : {size_t{1}, size_t{63}, size_t{1024}, bytes.size()})
    EXPECT_EQ(inPieces(piece), whole) << piece;
  bytes.back() ^= 1;
  EXPECT_NE(inPieces(1024), whole);
}
