// .pt files, their pickles and ONNX's tensors, written byte by byte according
// to the format descriptions.
#include "assay/formats/OnnxTensor.h"
#include "assay/formats/PtFile.h"
#include "assay/formats/Zip.h"
#include "assay/support/TestFolder.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using namespace assay::formats;

static llvm::ArrayRef<uint8_t> bytesOf(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

static std::string little(uint64_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i)
    out += static_cast<char>(value >> (8 * i));
  return out;
}

static std::string textOf(const std::string &text) {
  return "X" + little(text.size(), 4) + text;
}

static PicklePtr unpickled(const std::string &text) {
  // Bytes after the end are ignored.
  std::string padded = text + std::string(1000, '\0');
  return llvm::cantFail(readPickle(bytesOf(padded), "'x'"));
}

TEST(Pickle, NumbersOfEveryWidthAndSign) {
  const std::pair<std::string, double> cases[] = {
      {std::string("K\xff", 2), 255},
      {std::string("M\x01\x80", 3), 0x8001},
      {std::string("J\xfe\xff\xff\xff", 5), -2},
      {std::string("\x8a\x01\xff", 3), -1},
      {std::string("\x8a\x01\x7f", 3), 127},
      {std::string("\x8a\x02\x00\xff", 4), -256},
      {std::string("\x8a\x02\xff\x00", 4), 255},
      {std::string("\x8a\x00", 2), 0},
      {std::string("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\xff", 10), -1},
      {std::string("G\x3f\xf8\0\0\0\0\0\0", 9), 1.5},
      {"\x88", 1},
      {"\x89", 0}};
  for (const auto &[code, want] : cases)
    EXPECT_EQ(unpickled(code + ".")->number, want) << want;
}

TEST(Pickle, TheMemoHoldsMoreThanAByteCounts) {
  PicklePtr value = unpickled(textOf("far") + "r" + little(300, 4) +
                              textOf("near") + "q\x2c" + "j" + little(300, 4) +
                              "h\x2c\x87.");
  ASSERT_EQ(value->items.size(), 3u);
  EXPECT_EQ(value->items[1]->text, "far");
  EXPECT_EQ(value->items[2]->text, "near"); // at 44, the lowest byte of 300
}

TEST(Pickle, AnOrderedDictIsAMapAndASizeASequence) {
  PicklePtr map = unpickled("ccollections\nOrderedDict\n)R(" + textOf("a") +
                            "K\x07" + textOf("b") + "K\x08u.");
  EXPECT_EQ(map->kind, PickleValue::Kind::Map);
  ASSERT_EQ(map->items.size(), 4u);
  EXPECT_EQ(map->items[2]->text, "b");
  EXPECT_EQ(map->items[3]->number, 8);
  PicklePtr size = unpickled("ctorch\nSize\n((K\x02K\x03ttR.");
  EXPECT_EQ(size->kind, PickleValue::Kind::Sequence);
  ASSERT_EQ(size->items.size(), 2u);
  EXPECT_EQ(size->items[1]->number, 3);
}

namespace {
struct PtFiles : TestFolder {
  /// Writes a file whose value is a tensor: a strided view of storage '0'.
  std::string write(const std::string &type, int offset,
                    const std::string &shape, const std::string &strides,
                    const std::string &data, const std::string &order) const {
    std::string storage = "(" + textOf("storage") + "ctorch\n" + type + "\n" +
                          textOf("0") + textOf("cpu") + "K\x08tQ";
    std::string pickle = "\x80\x02"
                         "ctorch._utils\n_rebuild_tensor_v2\n(" +
                         storage + "K" + little(static_cast<uint64_t>(offset), 1) +
                         shape + strides + "\x89N" + "tR.";
    auto zip = llvm::cantFail(ZipWriter::create(path("x.pt")));
    llvm::cantFail(zip->add("a/data.pkl", pickle, {}, false));
    if (!order.empty())
      llvm::cantFail(zip->add("a/byteorder", order, {}, false));
    llvm::cantFail(zip->add("a/data/0", data, {}, false));
    llvm::cantFail(zip->finish());
    return path("x.pt");
  }
};
} // namespace

TEST_F(PtFiles, WindowsOfEitherByteOrder) {
  for (bool big : {false, true}) {
    std::string data;
    for (int i = 0; i < 8; ++i)
      data += big ? std::string{static_cast<char>(i + 1), 0}
                  : std::string{0, static_cast<char>(i + 1)};
    // A 2 x 3 view with strides 1 and 2, at offset 0 or 1.
    for (int offset : {0, 1}) {
      PtReader reader = llvm::cantFail(
          PtReader::open(write("ShortStorage", offset, "(K\x02K\x03t",
                               "(K\x01K\x02t", data, big ? "big" : "little")));
      ASSERT_EQ(reader.tensors().size(), 1u);
      Tensor t = llvm::cantFail(reader.read(0));
      EXPECT_EQ(toString(t.type()), "tensor<2x3xi16>");
      const int16_t want[6] = {1, 3, 5, 2, 4, 6};
      for (int i = 0; i < 6; ++i)
        EXPECT_EQ(t.data<int16_t>()[i], (want[i] + offset) << 8)
            << big << " " << i;
    }
  }
}

// TensorProto.DataType of onnx.proto3, each with one element as raw data.
TEST(Onnx, EveryTypeHasItsNumber) {
  const std::pair<int, const char *> types[] = {
      {1, "f32"},         {2, "ui8"},         {3, "i8"},
      {4, "ui16"},        {5, "i16"},         {6, "i32"},
      {7, "i64"},         {9, "i1"},          {10, "f16"},
      {11, "f64"},        {12, "ui32"},       {13, "ui64"},
      {14, "complex<f32>"}, {15, "complex<f64>"}, {16, "bf16"},
      {17, "f8E4M3FN"},   {18, "f8E4M3FNUZ"}, {19, "f8E5M2"},
      {20, "f8E5M2FNUZ"}};
  for (const auto &[code, name] : types) {
    int fits = 0;
    for (int width : {1, 2, 4, 8, 16}) {
      std::string message = std::string("\x08\x01\x10", 3) +
                            static_cast<char>(code) + "\x4a" +
                            static_cast<char>(width) +
                            std::string(static_cast<size_t>(width), '\0');
      llvm::Expected<OnnxTensor> read = parseOnnxTensor(bytesOf(message), "x");
      if (!read) {
        llvm::consumeError(read.takeError());
        continue;
      }
      EXPECT_EQ(toString(read->tensor.type()),
                std::string("tensor<1x") + name + ">");
      EXPECT_EQ(read->tensor.elementType().storageBytes(), width) << name;
      ++fits;
    }
    EXPECT_EQ(fits, 1) << name; // exactly one width matches the type
  }
  for (int code : {0, 8, 21, 22}) {
    std::string message = std::string("\x08\x01\x10", 3) +
                          static_cast<char>(code) + "\x4a\x01\x05";
    EXPECT_EQ(takeError(parseOnnxTensor(bytesOf(message), "x").takeError()).code,
              ErrorCode::Unsupported)
        << code;
  }
}

// Unknown fields are skipped, whatever their wire type.
TEST(Onnx, UnknownFieldsAreSkipped) {
  std::string known = std::string("\x08\x02\x10\x02\x4a\x02\x07\x09", 8);
  for (std::string other :
       {std::string("\xa0\x06\x96\x01"), std::string("\xa1\x06") + "12345678",
        std::string("\xa2\x06\x03") + "abc", std::string("\xa5\x06") + "1234"})
    for (const std::string &message : {other + known, known + other}) {
      OnnxTensor read =
          llvm::cantFail(parseOnnxTensor(bytesOf(message), "x"));
      EXPECT_EQ(toString(read.tensor.type()), "tensor<2xui8>");
      EXPECT_EQ(read.tensor.data<uint8_t>()[1], 9);
    }
  EXPECT_FALSE(bool(parseOnnxTensor(bytesOf(known + "\xa3\x06"), "x")));
}

TEST(Onnx, NumbersOfTenBytesAndLargeDimensions) {
  // dims 2, data_type INT64, int64_data in one field per number: -1 and 300.
  std::string minusOne(9, '\xff');
  std::string message = std::string("\x08\x02\x10\x07", 4) + "\x38" + minusOne +
                        "\x01" + "\x38\xac\x02";
  OnnxTensor read = llvm::cantFail(parseOnnxTensor(bytesOf(message), "x"));
  EXPECT_EQ(toString(read.tensor.type()), "tensor<2xi64>");
  EXPECT_EQ(read.tensor.data<int64_t>()[0], -1);
  EXPECT_EQ(read.tensor.data<int64_t>()[1], 300);
  // The same numbers in one packed field, and a name.
  message = std::string("\x08\x02\x10\x07", 4) + "\x3a\x0c" + minusOne + "\x01" +
            "\xac\x02" + "\x42\x03out";
  read = llvm::cantFail(parseOnnxTensor(bytesOf(message), "x"));
  EXPECT_EQ(read.name, "out");
  EXPECT_EQ(read.tensor.data<int64_t>()[0], -1);
  // 300 bytes, raw.
  message = std::string("\x08\xac\x02\x10\x02\x4a\xac\x02", 8) +
            std::string(300, '\x05');
  read = llvm::cantFail(parseOnnxTensor(bytesOf(message), "x"));
  EXPECT_EQ(toString(read.tensor.type()), "tensor<300xui8>");
  EXPECT_EQ(read.tensor.data<uint8_t>()[299], 5);
}
