#include "assay/formats/Npy.h"
#include "assay/formats/Npz.h"
#include "assay/formats/TensorFile.h"
#include "assay/support/TestFolder.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstring>
#include <fstream>

using namespace assay;
using namespace assay::formats;
using numerics::FloatFormat;

namespace {
struct NpzFiles : TestFolder {};
} // namespace

template <typename T>
static Tensor make(ElementType type, Shape shape, std::vector<T> values) {
  Tensor tensor = llvm::cantFail(Tensor::allocate({type, std::move(shape)}));
  if (!values.empty())
    std::memcpy(tensor.mutableBytes(), values.data(),
                values.size() * sizeof(T));
  return tensor;
}

/// A .npy image with any header text and data.
static std::string image(llvm::StringRef header, llvm::StringRef data) {
  std::string result("\x93NUMPY\x01\x00", 8);
  result += static_cast<char>(header.size() & 0xff);
  result += static_cast<char>(header.size() >> 8);
  return result + header.str() + data.str();
}

static llvm::Expected<Tensor>
parse(const std::string &text,
      const std::optional<TensorType> &expected = std::nullopt) {
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(text.data()),
                                text.size());
  llvm::Expected<StoredTensor> stored = parseNpy(bytes, "'x.npy'");
  if (!stored)
    return stored.takeError();
  return finishStored(*stored, expected, "'x.npy'");
}

static std::string messageOf(llvm::Expected<Tensor> result) {
  return result ? "no error" : takeError(result.takeError()).message;
}

// zlib compresses 64 MiB at a time, and writes incompressible data in many
// pieces.
TEST_F(NpzFiles, WhatDoesNotShrinkAndIsLongIsKeptWhole) {
  std::vector<uint64_t> values((size_t{64} << 20) / 8 + 1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (i + 1) * 0x9E3779B97F4A7C15u ^ i << 29;
  auto n = static_cast<int64_t>(values.size());
  std::string file = path("long.npz");
  NpzWriter writer = llvm::cantFail(NpzWriter::create(file, /*compress=*/true));
  llvm::cantFail(writer.add(
      "x", make<uint64_t>(ElementType::unsignedInteger(64), {n},
                          values)));
  llvm::cantFail(writer.finish());
  Tensor back =
      llvm::cantFail(llvm::cantFail(NpzReader::open(file)).read("x"));
  EXPECT_EQ(std::memcmp(back.bytes(), values.data(), values.size() * 8), 0);
}

TEST_F(NpzFiles, RoundTripKeepsEveryTypeStoredAndDeflated) {
  for (bool compress : {false, true}) {
    std::string file = path(compress ? "c.npz" : "s.npz");
    std::vector<float> many(3000);
    for (size_t i = 0; i < many.size(); ++i)
      many[i] = static_cast<float>(i) * 0.5f;
    NpzWriter writer = llvm::cantFail(NpzWriter::create(file, compress));
    Tensor f32 =
        make<float>(ElementType::floating(FloatFormat::F32), {30, 100}, many);
    Tensor bf16 = make<uint16_t>(ElementType::floating(FloatFormat::BF16), {2},
                                 {0x3f80, 0x4000});
    Tensor i4 = make<int8_t>(ElementType::integer(4), {3}, {-8, 0, 7});
    Tensor empty =
        make<float>(ElementType::floating(FloatFormat::F64), {0, 4}, {});
    llvm::cantFail(writer.add("a", f32));
    llvm::cantFail(writer.add("b/c", bf16));
    llvm::cantFail(writer.add("i4", i4));
    llvm::cantFail(writer.add("empty", empty));
    llvm::cantFail(writer.finish());
    NpzReader reader = llvm::cantFail(NpzReader::open(file));
    EXPECT_EQ(reader.names(),
              (std::vector<std::string>{"a", "b/c", "i4", "empty"}));
    Tensor back = llvm::cantFail(reader.read("a"));
    EXPECT_EQ(back.type(), f32.type());
    EXPECT_EQ(std::memcmp(back.bytes(), f32.bytes(), 12000), 0);
    EXPECT_EQ(llvm::cantFail(reader.read("b/c")).type(), bf16.type());
    EXPECT_EQ(llvm::cantFail(reader.read("i4")).data<int8_t>()[0], -8);
    EXPECT_EQ(llvm::cantFail(reader.read("empty")).size(), 0);
  }
}

TEST_F(NpzFiles, NoFileAppearsWithoutFinish) {
  {
    NpzWriter writer = llvm::cantFail(NpzWriter::create(path("x.npz")));
    llvm::cantFail(writer.add(
        "a", make<float>(ElementType::floating(FloatFormat::F32), {1}, {1.f})));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(path("x.npz")));
  EXPECT_FALSE(llvm::sys::fs::exists(path("x.npz.partial")));
}

TEST_F(NpzFiles, DamageIsFoundByTheChecksum) {
  NpzWriter writer = llvm::cantFail(NpzWriter::create(path("x.npz")));
  llvm::cantFail(
      writer.add("a", make<float>(ElementType::floating(FloatFormat::F32), {2},
                                  {1.f, 2.f})));
  llvm::cantFail(writer.finish());
  std::fstream file(path("x.npz"),
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(
      64 + 128); // the data, after the member's header at 64 of 128 bytes
  file.put('\x7f');
  file.close();
  NpzReader reader = llvm::cantFail(NpzReader::open(path("x.npz")));
  EXPECT_EQ(messageOf(reader.read("a")),
            "'" + path("x.npz") +
                ":a' is damaged: its checksum does not match");
}

/// Replaces `from` by `to`, of the same length, everywhere in the file.
static void exchange(const std::string &path, const std::string &from,
                     const std::string &to) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (size_t at = bytes.find(from); at != std::string::npos;
       at = bytes.find(from, at + 1))
    bytes.replace(at, from.size(), to);
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Writes `value` into the first directory entry, at `offset` after its
/// signature.
static void setInDirectory(const std::string &path, size_t offset,
                           const std::string &value) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  bytes.replace(bytes.find("PK\x01\x02") + offset, value.size(), value);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_F(NpzFiles, ANameThatIsThereTwiceIsListedOnce) {
  Tensor one = make<float>(ElementType::floating(FloatFormat::F32), {1}, {1.f}),
         two = make<float>(ElementType::floating(FloatFormat::F32), {1}, {2.f});
  NpzWriter writer = llvm::cantFail(NpzWriter::create(path("x.npz")));
  llvm::cantFail(writer.add("first", one));
  llvm::cantFail(writer.add("other", two));
  llvm::cantFail(writer.finish());
  exchange(path("x.npz"), "other.npy", "first.npy");
  NpzReader reader = llvm::cantFail(NpzReader::open(path("x.npz")));
  EXPECT_EQ(reader.names(), std::vector<std::string>{"first"});
  EXPECT_EQ(llvm::cantFail(reader.read("first")).data<float>()[0], 2.f);
}

TEST_F(NpzFiles, FalseDirectoriesAreRefused) {
  std::vector<float> many(500, 1.f);
  auto write = [&] {
    NpzWriter writer = llvm::cantFail(NpzWriter::create(path("x.npz"), true));
    llvm::cantFail(
        writer.add("a", make<float>(ElementType::floating(FloatFormat::F32),
                                    {500}, many)));
    llvm::cantFail(writer.finish());
  };
  auto message = [&] {
    llvm::Expected<NpzReader> reader = NpzReader::open(path("x.npz"));
    return reader ? messageOf(reader->read("a"))
                  : takeError(reader.takeError()).message;
  };
  write();
  EXPECT_EQ(message(), "no error");
  setInDirectory(path("x.npz"), 8, std::string("\1\0", 2)); // the flags
  EXPECT_NE(message().find("member 'a.npy' is encrypted"), std::string::npos)
      << message();
  write();
  setInDirectory(path("x.npz"), 24, std::string("\x60\x09\0\0", 4)); // 2400
  EXPECT_NE(message().find("has damaged compressed data"), std::string::npos)
      << message();
  write();
  setInDirectory(path("x.npz"), 24, std::string("\0\0\0\x40", 4)); // 1 GiB
  EXPECT_NE(message().find("claims 1073741824 bytes in"), std::string::npos)
      << message();
}

TEST(TensorSpec, TheLastContainerOfAPathHoldsTheMember) {
  TensorSpec spec = parseTensorSpec("old.npz:1/x.npz:layer.0:w");
  EXPECT_EQ(spec.path, "old.npz:1/x.npz");
  EXPECT_EQ(spec.member, "layer.0:w");
  EXPECT_EQ(parseTensorSpec("a/b.NPY").path, "a/b.NPY");
  EXPECT_EQ(parseTensorSpec("x.h5:/1/a.Linear.0").member, "/1/a.Linear.0");
}

TEST_F(NpzFiles, MissingMembersAreNamed) {
  NpzWriter writer = llvm::cantFail(NpzWriter::create(path("x.npz")));
  llvm::cantFail(writer.add(
      "a", make<float>(ElementType::floating(FloatFormat::F32), {1}, {1.f})));
  llvm::cantFail(writer.finish());
  EXPECT_EQ(messageOf(readTensor(path("x.npz") + ":b")),
            "'" + path("x.npz") + "' has no tensor 'b'; it holds a");
  EXPECT_EQ(messageOf(readTensor(path("none.npz") + ":b")),
            "cannot open '" + path("none.npz") +
                "': no such file or directory");
  EXPECT_EQ(llvm::cantFail(readTensor(path("x.npz"))).data<float>()[0], 1.f);
}

TEST(Npy, ReadsFortranOrderAndBigEndian) {
  std::string data;
  for (int i = 0; i < 6; ++i)
    data += std::string{0, 0, 0, static_cast<char>(i)};
  Tensor t = llvm::cantFail(parse(image(
      "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }", data)));
  std::vector<int32_t> got(t.data<int32_t>(), t.data<int32_t>() + 6);
  EXPECT_EQ(got, (std::vector<int32_t>{0, 2, 4, 1, 3, 5}));
}

TEST(Npy, BigEndianComplexNumbersAreSwappedPartByPart) {
  std::string data("\x3f\x80\0\0\x40\0\0\0", 8); // 1 and 2
  Tensor t = llvm::cantFail(parse(image(
      "{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", data)));
  EXPECT_EQ(t.data<float>()[0], 1.f);
  EXPECT_EQ(t.data<float>()[1], 2.f);
}

TEST(Npy, AcceptsKeysInAnyOrderAndLongIntegers) {
  Tensor t = llvm::cantFail(parse(image(
      "{\"shape\":(2L,),'fortran_order':False,'descr':'|b1'}\n", "\x01\x07")));
  EXPECT_TRUE(t.elementType().isBool());
  EXPECT_EQ(t.data<uint8_t>()[1], 1); // any byte other than 0 is true
}

TEST(Npy, ExpectedTypeDecidesWhatTheFormatLacks) {
  ElementType bf16 = ElementType::floating(FloatFormat::BF16),
              i4 = ElementType::integer(4);
  std::string two = image(
      "{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}", "\x80\x3f");
  EXPECT_EQ(llvm::cantFail(parse(two, TensorType{bf16, {1}})).elementType(),
            bf16);
  std::string raw = image(
      "{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", "\x80\x3f");
  EXPECT_EQ(llvm::cantFail(parse(raw)).elementType(), bf16);
  std::string bytes = image(
      "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", "\xf8\x07");
  EXPECT_EQ(llvm::cantFail(parse(bytes, TensorType{i4, {2}})).data<int8_t>()[0],
            -8);
  std::string nibbles = image(
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "\x0f\x07");
  EXPECT_EQ(
      llvm::cantFail(parse(nibbles, TensorType{i4, {2}})).data<int8_t>()[0],
      -1);
  EXPECT_EQ(messageOf(parse(
                image("{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}",
                      "\x08"),
                TensorType{i4, {1}})),
            "'x.npy': element 0 is 8, outside of i4 (-8 to 7)");
  EXPECT_EQ(messageOf(parse(
                two, TensorType{ElementType::floating(FloatFormat::F32), {1}})),
            "'x.npy' has element type ui16, expected f32");
  EXPECT_EQ(messageOf(parse(
                image("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
                      "\x08"),
                TensorType{bf16, {1}})),
            "'x.npy' has element type ui8, expected bf16");
  EXPECT_EQ(messageOf(parse(two, TensorType{bf16, {2}})),
            "'x.npy' has shape tensor<1xbf16>, expected tensor<2xbf16>");
}

TEST(Npy, BadFilesGiveOneClearMessage) {
  auto header = [](const std::string &descr, const std::string &shape) {
    return image("{'descr': " + descr +
                     ", 'fortran_order': False, 'shape': " + shape + ", }",
                 "");
  };
  EXPECT_EQ(messageOf(parse("hello")),
            "'x.npy' is not a .npy file (its magic is missing)");
  EXPECT_EQ(messageOf(parse(std::string("\x93NUMPY\x01\x00\x76", 9))),
            "'x.npy' is truncated within its header");
  EXPECT_EQ(
      messageOf(parse(image("{'descr': '<f4', 'shape': (2,)}", ""))),
      "'x.npy' has a damaged .npy header: '{'descr': '<f4', 'shape': (2,)}'");
  EXPECT_EQ(messageOf(parse(header("'<f4'", "(2,)"))),
            "'x.npy' is truncated: tensor<2xf32> needs 8 bytes of data, got 0");
  EXPECT_EQ(messageOf(parse(header("'|O'", "(2,)"))),
            "'x.npy' holds Python objects; save it as an array of numbers");
  EXPECT_EQ(messageOf(parse(header("'<U5'", "(2,)"))),
            "'x.npy' has NumPy type '<U5'; Assay reads bool, integers, floats "
            "and complex");
  EXPECT_EQ(messageOf(parse(header("[('a', '<f4')]", "(2,)"))),
            "'x.npy' has NumPy type '[('a', '<f4')]'; Assay reads bool, "
            "integers, floats and complex");
  EXPECT_EQ(messageOf(parse(header("'<f4'", "(9223372036854775807, 4)"))),
            "'x.npy': the number of elements of a shape overflows 64 bits (at "
            "size 4)");
  EXPECT_EQ(messageOf(parse(header("'<f4'", "(-1,)"))),
            "'x.npy': negative dimension size -1");
  EXPECT_EQ(
      messageOf(parse(image(
          "{'descr': '|V1', 'fortran_order': False, 'shape': (1,)}", "a"))),
      "'x.npy' has raw 1-byte elements of unknown type; give the type with a "
      "program");
}
