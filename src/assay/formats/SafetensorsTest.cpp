// safetensors: tensors are read by their offsets, packed elements are unpacked, and
// every false header ends in one message that says what is wrong.
#include "assay/formats/Safetensors.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cstring>
#include <numeric>

using namespace assay;
using namespace assay::formats;
using numerics::FloatFormat;

/// The bytes of a file: the length of the header, the header, the data.
static std::vector<uint8_t> fileOf(const std::string &header,
                                   const std::vector<uint8_t> &data,
                                   int64_t claimed = -1) {
  uint64_t length =
      claimed < 0 ? header.size() : static_cast<uint64_t>(claimed);
  std::vector<uint8_t> bytes(8 + header.size() + data.size());
  std::memcpy(bytes.data(), &length, 8);
  llvm::copy(data, llvm::copy(header, bytes.begin() + 8));
  return bytes;
}

static std::string tensorHeader(const std::string &dtype,
                                const std::string &shape, int begin, int end) {
  return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape +
         R"(,"data_offsets":[)" + std::to_string(begin) + "," +
         std::to_string(end) + "]}}";
}

/// The message of the error from opening the bytes and reading tensor x, or "".
static std::string messageOf(const std::vector<uint8_t> &bytes) {
  llvm::Expected<SafetensorsReader> reader =
      SafetensorsReader::fromBytes(bytes, "f", nullptr);
  if (!reader)
    return takeError(reader.takeError()).message;
  llvm::Expected<Tensor> tensor = reader->read("x");
  return tensor ? "" : takeError(tensor.takeError()).message;
}

TEST(Safetensors, TensorsComeInTheOrderOfTheirData) {
  std::string header =
      R"({"a":{"dtype":"F32","shape":[],"data_offsets":[12,16]},)"
      R"("m":{"dtype":"C64","shape":[2],"data_offsets":[16,32]},)"
      R"("none":{"dtype":"I64","shape":[0,4],"data_offsets":[32,32]},)"
      R"("z":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}})";
  std::vector<uint8_t> data(32);
  std::iota(data.begin(), data.end(), uint8_t{1});
  std::vector<uint8_t> bytes = fileOf(header, data);
  SafetensorsReader reader =
      llvm::cantFail(SafetensorsReader::fromBytes(bytes, "f", nullptr));
  EXPECT_EQ(reader.names().size(), 4u);
  EXPECT_EQ(reader.names()[0], "z");
  EXPECT_EQ(reader.names()[1], "a");
  using Type = ElementType;
  auto expect = [&](llvm::StringRef name, TensorType type, size_t begin) {
    Tensor got = llvm::cantFail(reader.read(name));
    EXPECT_EQ(got.type(), type) << name.str();
    EXPECT_EQ(std::memcmp(got.bytes(), &data[begin],
                          static_cast<size_t>(got.denseBytes())),
              0)
        << name.str();
  };
  expect("z", {Type::floating(FloatFormat::BF16), {2, 3}}, 0);
  expect("a", {Type::floating(FloatFormat::F32), {}}, 12);
  expect("m", {Type::complex(FloatFormat::F32), {2}}, 16);
  expect("none", {Type::integer(64), {0, 4}}, 0);
  EXPECT_NE(
      takeError(reader.read("q").takeError()).message.find("no tensor 'q'"),
      std::string::npos);
}

TEST(Safetensors, PackedElementsKeepAllTheirBits) {
  // Five elements of six bits: 30 bits in four bytes, least significant bits
  // first.
  const uint8_t codes[5] = {0x3f, 0x01, 0x2a, 0x3c, 0x33};
  std::vector<uint8_t> packed(4);
  for (int i = 0; i < 5; ++i)
    for (int bit = 0; bit < 6; ++bit)
      if (codes[i] >> bit & 1)
        packed[static_cast<size_t>((6 * i + bit) / 8)] |=
            static_cast<uint8_t>(1 << ((6 * i + bit) % 8));
  std::vector<uint8_t> bytes =
      fileOf(tensorHeader("F6_E2M3", "[5]", 0, 4), packed);
  SafetensorsReader reader =
      llvm::cantFail(SafetensorsReader::fromBytes(bytes, "f", nullptr));
  Tensor six = llvm::cantFail(reader.read("x"));
  EXPECT_EQ(six.elementType(), ElementType::floating(FloatFormat::F6E2M3FN));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(static_cast<uint8_t>(six.bytes()[i]), codes[i]) << i;
  // The third of the four elements is in the last two of the three bytes.
  bytes = fileOf(tensorHeader("F6_E3M2", "[4]", 0, 3), {0x00, 0xf0, 0x03});
  reader = llvm::cantFail(SafetensorsReader::fromBytes(bytes, "f", nullptr));
  Tensor last = llvm::cantFail(reader.read("x"));
  EXPECT_EQ(static_cast<int>(last.bytes()[2]), 0x3f);
  EXPECT_EQ(static_cast<int>(last.bytes()[3]), 0);
  bytes = fileOf(tensorHeader("F4", "[3]", 0, 2), {0xb7, 0x0e});
  reader = llvm::cantFail(SafetensorsReader::fromBytes(bytes, "f", nullptr));
  Tensor four = llvm::cantFail(reader.read("x"));
  EXPECT_EQ(static_cast<int>(four.bytes()[0]), 7);
  EXPECT_EQ(static_cast<int>(four.bytes()[1]), 11);
  EXPECT_EQ(static_cast<int>(four.bytes()[2]), 14);
}

TEST(Safetensors, FalseHeadersAreRefused) {
  std::vector<uint8_t> sixteen(16, 1);
  EXPECT_EQ(messageOf(fileOf(tensorHeader("F32", "[4]", 0, 16), sixteen)), "");
  EXPECT_EQ(messageOf(fileOf(tensorHeader("F32", "[4]", 0, 20), sixteen)),
            "'f' is not a safetensors file or is damaged: the data of tensor 'x' "
            "lie outside of the file");
  EXPECT_EQ(messageOf(fileOf(tensorHeader("F32", "[4]", 12, 8), sixteen)),
            "'f' is not a safetensors file or is damaged: the data of tensor 'x' "
            "lie outside of the file");
  EXPECT_EQ(messageOf(fileOf(tensorHeader("F32", "[3]", 0, 16), sixteen)),
            "'f:x' is damaged: tensor<3xf32> needs 12 bytes of data, got 16");
  EXPECT_EQ(messageOf(fileOf(tensorHeader("F32", "[5]", 0, 16), sixteen)),
            "'f:x' is damaged: tensor<5xf32> needs 20 bytes of data, got 16");
  EXPECT_EQ(messageOf(fileOf(tensorHeader("F32", "[-4]", 0, 16), sixteen)),
            "'f' is not a safetensors file or is damaged: the data of tensor 'x' "
            "lie outside of the file");
  EXPECT_EQ(messageOf(fileOf(tensorHeader("Q7", "[4]", 0, 16), sixteen)),
            "'f:x' has the unknown dtype 'Q7'");
  EXPECT_EQ(messageOf(fileOf("{}", sixteen, 1000)),
            "'f' is not a safetensors file or is damaged: its header claims 1000 "
            "bytes");
  EXPECT_EQ(messageOf({1, 2, 3}),
            "'f' is not a safetensors file or is damaged: it is shorter than its "
            "header");
  EXPECT_EQ(messageOf(fileOf("[[[[[[1]]]]]]", sixteen)),
            "'f' is not a safetensors file or is damaged: its header is not JSON: "
            "it nests more than 4 levels deep");
  EXPECT_EQ(messageOf(fileOf(R"({"x":{"dtype":"F32","shape":[4]}})", sixteen)),
            "'f' is not a safetensors file or is damaged: tensor 'x' lacks dtype, "
            "shape or data_offsets");
}

TEST(Safetensors, BracketsInTextsNestNothing) {
  std::string header = tensorHeader("F32", "[4]", 0, 16);
  header.insert(1, R"("__metadata__":{"note":"[[[[[[[[{{{{ \" ]"},)");
  std::vector<uint8_t> bytes = fileOf(header, std::vector<uint8_t>(16, 1));
  SafetensorsReader reader =
      llvm::cantFail(SafetensorsReader::fromBytes(bytes, "f", nullptr));
  ASSERT_EQ(reader.metadata().size(), 1u);
  EXPECT_EQ(reader.metadata()[0].second, "[[[[[[[[{{{{ \" ]");
  EXPECT_EQ(reader.names(), std::vector<std::string>{"x"});
}

TEST(Safetensors, EveryTypeHasTheFormatsName) {
  for (auto [dtype, type, bits] :
       {std::tuple("BOOL", "i1", 8), {"U8", "ui8", 8}, {"I8", "i8", 8},
        {"U16", "ui16", 16}, {"I16", "i16", 16}, {"U32", "ui32", 32},
        {"I32", "i32", 32}, {"U64", "ui64", 64}, {"I64", "i64", 64},
        {"F4", "f4E2M1FN", 4}, {"F6_E2M3", "f6E2M3FN", 6},
        {"F6_E3M2", "f6E3M2FN", 6}, {"F8_E4M3", "f8E4M3FN", 8},
        {"F8_E5M2", "f8E5M2", 8}, {"F8_E8M0", "f8E8M0FNU", 8},
        {"F8_E4M3FNUZ", "f8E4M3FNUZ", 8}, {"F8_E5M2FNUZ", "f8E5M2FNUZ", 8},
        {"F16", "f16", 16}, {"BF16", "bf16", 16}, {"F32", "f32", 32},
        {"F64", "f64", 64}, {"C64", "complex<f32>", 64}}) {
    std::vector<uint8_t> bytes =
        fileOf(tensorHeader(dtype, "[4]", 0, bits / 2),
               std::vector<uint8_t>(static_cast<size_t>(bits / 2), 1));
    SafetensorsReader reader =
        llvm::cantFail(SafetensorsReader::fromBytes(bytes, "f", nullptr));
    Tensor t = llvm::cantFail(reader.read("x"));
    EXPECT_EQ(numerics::toString(t.elementType()), type) << dtype;
    EXPECT_EQ(t.size(), 4) << dtype;
  }
}
