// Every error of the readers and writers of tensors, checked by its message:
// pickles, .pt, ZIP, .npy and ONNX files, damaged in one place, written byte by
// byte.
#include "assay/formats/Npy.h"
#include "assay/formats/OnnxTensor.h"
#include "assay/formats/PtFile.h"
#include "assay/formats/Safetensors.h"
#include "assay/formats/Zip.h"
#include "assay/support/TestFolder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::formats;

static llvm::ArrayRef<uint8_t> bytesOf(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

template <typename T>
static void expectRefused(llvm::Expected<T> result, ErrorCode code,
                          const std::string &message) {
  ASSERT_FALSE(bool(result)) << message;
  ErrorText text = takeError(result.takeError());
  EXPECT_EQ(text.message, message);
  EXPECT_EQ(text.code, code) << message;
}

static void expectRefused(llvm::Error error, ErrorCode code,
                          const std::string &message) {
  ErrorText text = takeError(std::move(error));
  EXPECT_EQ(text.message, message);
  EXPECT_EQ(text.code, code) << message;
}

// The storage of the tensor (64 elements of torch.FloatStorage on the CPU).
static const std::string kStorage =
    std::string("(X\7\0\0\0storage", 13) + "ctorch\nFloatStorage\n" +
    std::string("X\1\0\0\0" "0X\3\0\0\0cpuK\x40tQ", 18);
static const std::string kRebuild = "ctorch._utils\n_rebuild_tensor_v2\n";

TEST(PickleRefusals, NameWhatIsDamaged) {
  const std::pair<std::string, const char *> cases[] = {
      {"0", "the stack is empty"},
      {"t", "no mark"},
      {"J\x01", "it ends inside a number"},
      {"\x8a\x09" "123456789", "an integer of more than 64 bits"},
      {"X\x01", "it ends inside a text"},
      {std::string("X\5\0\0\0a", 6), "a text is longer than the file"},
      {"Na", "items without a collection"},
      {"Nq", "it ends inside a memo"},
      {"h\x07", "a memo that was not set"},
      {"q\x07", "a memo of nothing"},
      {"NQ", "a persistent id that is not a storage"},
      {kRebuild + ")R", "a tensor without a storage"},
      {kRebuild + "(" + kStorage + std::string("K\0K\2\x85)tR", 8),
       "a tensor's sizes or strides"},
      // An offset of 2^52, one of -1, and a size of 2^52.
      {kRebuild + "(" + kStorage +
           std::string("\x8a\7\0\0\0\0\0\0\x10K\2\x85K\1\x85tR", 17),
       "a tensor's sizes or strides"},
      {kRebuild + "(" + kStorage +
           std::string("J\xff\xff\xff\xffK\2\x85K\1\x85tR", 13),
       "a tensor's sizes or strides"},
      {kRebuild + "(" + kStorage +
           std::string("K\0\x8a\7\0\0\0\0\0\0\x10\x85K\1\x85tR", 17),
       "a tensor's sizes or strides"},
      {"Nb", "state of nothing"},
      {"N)R", "a call of what is not a function"},
      {"ctorch._utils\n_rebuild_parameter\n)R",
       "a parameter without a tensor"},
      {"2", "a copy of nothing"},
      {"N", "no end"}};
  for (const auto &[code, why] : cases)
    expectRefused(readPickle(bytesOf(code), "'x'"), ErrorCode::InvalidArgument,
                  std::string("'x': damaged pickle: ") + why);
  expectRefused(readPickle(bytesOf("\xff"), "'x'"), ErrorCode::Unsupported,
                "'x': pickle opcode 0xff");
  std::string long_;
  for (int i = 0; i <= 1 << 24; ++i)
    long_ += "\x80\x02"; // the protocol opcode, many times
  expectRefused(readPickle(bytesOf(long_), "'x'"), ErrorCode::InvalidArgument,
                "'x': damaged pickle: more than 16 million values");
}

namespace {
struct FileRefusals : TestFolder {
  /// Writes a .pt file with this pickle and the storage '0'.
  std::string pt(const std::string &pickle, const std::string &data) const {
    auto zip = llvm::cantFail(ZipWriter::create(path("x.pt")));
    if (!pickle.empty())
      llvm::cantFail(zip->add("a/data.pkl", pickle, {}, false));
    llvm::cantFail(zip->add("a/data/0", data, {}, false));
    llvm::cantFail(zip->finish());
    return path("x.pt");
  }
};
} // namespace

TEST_F(FileRefusals, PtFilesThatHoldNoTensors) {
  expectRefused(PtReader::fromBytes(bytesOf("\x80\x02\x8a\x0a"), "x", nullptr),
                ErrorCode::Unsupported,
                "'x' is a .pt file of PyTorch before 1.6; save it again with a "
                "later one");
  expectRefused(PtReader::open(pt("", "data")), ErrorCode::InvalidArgument,
                "'" + path("x.pt") +
                    "' is an archive without data.pkl: no .pt file");
  // A list that contains itself.
  expectRefused(PtReader::open(pt(std::string("]q\0h\0a.", 7), "data")),
                ErrorCode::InvalidArgument,
                "'" + path("x.pt") +
                    "': values nested more than 64 deep, or more than 1048576 "
                    "tensors");
}

TEST_F(FileRefusals, PtTensorsBeyondTheirStorage) {
  std::string tensor =
      kRebuild + "(" + kStorage + std::string("K\0K\2\x85K\1\x85tR.", 11);
  PtReader whole = llvm::cantFail(PtReader::open(pt(tensor, "12345678")));
  EXPECT_TRUE(bool(whole.read(0)));
  PtReader cut = llvm::cantFail(PtReader::open(pt(tensor, "1234567")));
  llvm::Expected<Tensor> read = cut.read(0);
  ASSERT_FALSE(bool(read));
  EXPECT_NE(takeError(read.takeError())
                .message.find(": its storage of 1 elements is too short"),
            std::string::npos);
}

TEST_F(FileRefusals, ZipMembersOfOtherMethodsAndSizes) {
  expectRefused(readZipDirectory(bytesOf("no archive at all"), "'x'"),
                ErrorCode::InvalidArgument, "'x' is not an .npz (ZIP) file");
  auto zip = llvm::cantFail(ZipWriter::create(path("x.zip")));
  expectRefused(zip->add(std::string(65536, 'n'), "", {}, false),
                ErrorCode::InvalidArgument,
                "a member name of 65536 bytes does not fit a ZIP file");
  llvm::cantFail(zip->add("member", "", bytesOf("some text"), false));
  llvm::cantFail(zip->finish());
  std::string file = llvm::cantFail(llvm::errorOrToExpected(
                         llvm::MemoryBuffer::getFile(path("x.zip"))))
                         ->getBuffer()
                         .str();
  std::shared_ptr<const void> owner;
  ZipMember member = llvm::cantFail(readZipDirectory(bytesOf(file), "'x'"))[0];
  EXPECT_TRUE(bool(unpackMember(bytesOf(file), member, "'x'", owner)));
  member.bytes += 1;
  expectRefused(unpackMember(bytesOf(file), member, "'x'", owner),
                ErrorCode::DataLoss, "'x' has a damaged ZIP directory");
  member.method = 12; // bzip2
  expectRefused(unpackMember(bytesOf(file), member, "'x'", owner),
                ErrorCode::Unsupported,
                "'x' uses ZIP compression method 12; stored and deflated are "
                "known");
}

TEST(NpyRefusals, OtherVersionsAndHugeHeaders) {
  expectRefused(parseNpy(bytesOf(std::string("\x93NUMPY\4\0\0\0\0\0", 12)), "'x'"),
                ErrorCode::Unsupported,
                "'x' has .npy version 4; versions 1 to 3 are known");
  expectRefused(
      parseNpy(bytesOf(std::string("\x93NUMPY\2\0\0\0\0\x10", 12)), "'x'"),
      ErrorCode::InvalidArgument,
      "'x' has a .npy header of 268435456 bytes, more than any array needs");
}

TEST(OnnxRefusals, NameWhatIsWrong) {
  std::string many;
  for (int i = 0; i < 65; ++i)
    many += std::string("\x08\x01", 2); // a dimension of 1
  const std::tuple<std::string, ErrorCode, const char *> cases[] = {
      {many + std::string("\x10\x01", 2), ErrorCode::InvalidArgument,
       "it has no proper shape"},
      {std::string("\x10\x08", 2), ErrorCode::Unsupported,
       "elements of ONNX's type 8 are not read"},
      {std::string("\x10\x01\x6a\0", 4), ErrorCode::Unsupported,
       "its data are segments, text or in another file"},
      {std::string("\x08\x02", 2), ErrorCode::InvalidArgument,
       "it is not a TensorProto"},
      {std::string("\x08\x02\x10\x01\x4a\x04" "abcd", 10), ErrorCode::DataLoss,
       "its data have 4 bytes, expected 8 for tensor<2xf32>"}};
  for (const auto &[bytes, code, why] : cases) {
    auto read = parseOnnxTensor(bytesOf(bytes), "x");
    ASSERT_FALSE(bool(read)) << why;
    ErrorText text = takeError(read.takeError());
    EXPECT_NE(text.message.find(why), std::string::npos) << text.message;
    EXPECT_EQ(text.code, code) << why;
  }
}

TEST_F(FileRefusals, TensorsThatNoFileOrMemoryHolds) {
  TensorType huge{*numerics::parseElementType("f64"), {int64_t{1} << 61}};
  const char *overflow =
      "the size of tensor<2305843009213693952xf64> in bytes overflows 64 bits";
  expectRefused(Tensor::allocate(huge), ErrorCode::ResourceLimit, overflow);
  expectRefused(byteCount(huge), ErrorCode::ResourceLimit, overflow);
  TensorType four{*numerics::parseElementType("f32"), {4}};
  expectRefused(Tensor::fromBuffer(four, Buffer::allocate(15)),
                ErrorCode::DataLoss, "tensor<4xf32> needs 16 bytes, got 15");
}
