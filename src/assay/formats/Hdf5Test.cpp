// HDF5 files as other programs write them: chunked and compressed datasets,
// whose slabs are cached between reads, big-endian numbers, scalars.
#include "assay/formats/Hdf5Reader.h"
#include "assay/formats/Hdf5Types.h"
#include "assay/formats/TensorFile.h"
#include "assay/support/TestFolder.h"
#include "gtest/gtest.h"

#include <hdf5.h>
#include <numeric>

using namespace assay;
using namespace assay::formats;

namespace {
struct Hdf5Files : TestFolder {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(TestFolder::SetUp());
    file = H5Fcreate(path("x.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT,
                     H5P_DEFAULT);
  }

  /// Writes floats, compressed in chunks of `chunk`; contiguous where `chunk`
  /// is empty.
  void write(const char *name, const std::vector<float> &values,
             std::vector<hsize_t> shape, std::vector<hsize_t> chunk,
             hid_t type = H5T_IEEE_F32LE) {
    hid_t space = shape.empty()
                      ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(shape.size()),
                                         shape.data(), nullptr),
          properties = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunk.empty()) {
      H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_deflate(properties, 1);
    }
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties,
                               H5P_DEFAULT);
    ASSERT_GE(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                       values.data()),
              0);
    H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
  }
  /// Writes elements of any type as they are in memory.
  hid_t writeRaw(const char *name, hid_t type, const void *data, hsize_t n) {
    hid_t space = H5Screate_simple(1, &n, nullptr),
          dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    H5Sclose(space);
    return dataset;
  }
  std::unique_ptr<Hdf5Reader> open() {
    H5Fclose(file);
    return llvm::cantFail(Hdf5Reader::open(path("x.h5")));
  }
  hid_t file = -1;
};
} // namespace

static std::vector<float> counting(size_t n, float from) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), from);
  return values;
}

static std::vector<float> readPart(const Hdf5Reader &reader, const char *name,
                                   int64_t first, int64_t count) {
  std::vector<float> out(static_cast<size_t>(count), -1);
  llvm::cantFail(reader.read(*reader.find(name), first, count, out.data()));
  return out;
}

TEST_F(Hdf5Files, ChunkedDatasetsReadInTurnKeepTheirOwnData) {
  write("a", counting(600, 0), {20, 30}, {7, 11});
  write("b", counting(600, 1000), {20, 30}, {7, 11});
  write("row", counting(50, 5000), {1, 50}, {1, 16});
  auto reader = open();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(readPart(*reader, "a", 0, 600), counting(600, 0));
    EXPECT_EQ(readPart(*reader, "b", 0, 600), counting(600, 1000));
    EXPECT_EQ(readPart(*reader, "row", 0, 50), counting(50, 5000));
    // Ranges that cross rows, in any order.
    EXPECT_EQ(readPart(*reader, "b", 590, 10), counting(10, 1590));
    EXPECT_EQ(readPart(*reader, "a", 29, 33), counting(33, 29));
    EXPECT_EQ(readPart(*reader, "row", 49, 1), counting(1, 5049));
    EXPECT_EQ(readPart(*reader, "a", 0, 1), counting(1, 0));
  }
  EXPECT_EQ(readPart(*reader, "a", 5, 0).size(), 0u);
}

TEST_F(Hdf5Files, ADatasetLargerThanASlabIsReadInAnyOrder) {
  // 72 MiB in rows of 4 MiB: a slab of 64 MiB holds 16 of the 18 rows.
  std::vector<float> values(18 << 20);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i >> 10);
  write("large", values, {18, 1 << 20}, {1, 1 << 18});
  auto reader = open();
  const int64_t row = 1 << 20;
  for (int64_t first : {int64_t{0}, 17 * row + 5, 3 * row - 7, 16 * row - 40,
                        15 * row, 16 * row}) {
    std::vector<float> got = readPart(*reader, "large", first, 100),
                       want(values.begin() + first,
                            values.begin() + first + 100);
    EXPECT_EQ(got, want) << first;
  }
  EXPECT_EQ(readPart(*reader, "large", 0, 18 * row), values);
}

TEST_F(Hdf5Files, ALinkThatLeadsNowhereIsListedAndNotRead) {
  write("there", counting(4, 0), {4}, {});
  hid_t group =
      H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nowhere", group, "lost", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
  auto reader = open();
  const Hdf5Dataset *lost = reader->find("/g/lost");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->unsupported.rfind("it cannot be opened: ", 0), 0u)
      << lost->unsupported;
  EXPECT_EQ(readPart(*reader, "there", 0, 4), counting(4, 0));
}

TEST_F(Hdf5Files, AnyByteButZeroIsTrue) {
  hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
  int8_t no = 0, yes = 1;
  H5Tenum_insert(type, "FALSE", &no);
  H5Tenum_insert(type, "TRUE", &yes);
  hsize_t size = 4;
  hid_t space = H5Screate_simple(1, &size, nullptr),
        dataset = H5Dcreate2(file, "truth", type, space, H5P_DEFAULT,
                             H5P_DEFAULT, H5P_DEFAULT);
  const int8_t raw[4] = {0, 1, 2, 4};
  ASSERT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw), 0);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Tclose(type);
  auto reader = open();
  Tensor truth = llvm::cantFail(reader->readTensor(*reader->find("/truth")));
  ASSERT_TRUE(truth.elementType().isBool());
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(truth.data<uint8_t>()[i], i != 0) << i;
}

TEST_F(Hdf5Files, ByteOrderAndScalarsChunkedOrNot) {
  write("big", counting(40, 3), {40}, {}, H5T_IEEE_F32BE);
  write("bigChunked", counting(40, 4), {40}, {9}, H5T_IEEE_F32BE);
  write("scalar", {7.5f}, {}, {});
  write("wide", counting(12, -6), {3, 4}, {2, 3}, H5T_IEEE_F64LE);
  auto reader = open();
  EXPECT_EQ(readPart(*reader, "big", 10, 30), counting(30, 13));
  EXPECT_EQ(readPart(*reader, "bigChunked", 10, 30), counting(30, 14));
  EXPECT_EQ(readPart(*reader, "scalar", 0, 1), std::vector<float>{7.5f});
  Tensor wide = llvm::cantFail(reader->readTensor(*reader->find("/wide")));
  EXPECT_EQ(toString(wide.type()), "tensor<3x4xf64>");
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(wide.data<double>()[i], static_cast<double>(i) - 6);
}

/// A float type whose fields are placed as in IEEE formats.
static hid_t floatType(size_t bytes, size_t exponentBits, size_t mantissaBits,
                       size_t bias) {
  hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 8 * bytes - 1, mantissaBits, exponentBits, 0,
                mantissaBits);
  H5Tset_size(type, bytes);
  H5Tset_ebias(type, bias);
  return type;
}

TEST_F(Hdf5Files, FloatsAreKnownByTheirFields) {
  struct Case {
    const char *name;
    size_t bytes, exponentBits, mantissaBits, bias;
    const char *type;
  };
  const Case cases[] = {
      {"bf16", 2, 8, 7, 127, "bf16"},       {"half", 2, 5, 10, 15, "f16"},
      {"e5m2", 1, 5, 2, 15, "f8E5M2"},      {"e5m2fnuz", 1, 5, 2, 16, "f8E5M2FNUZ"},
      {"e4m3", 1, 4, 3, 7, "f8E4M3FN"},     {"e4m3fnuz", 1, 4, 3, 8, "f8E4M3FNUZ"},
      {"b11", 1, 4, 3, 11, "f8E4M3B11FNUZ"}, {"e3m4", 1, 3, 4, 3, "f8E3M4"}};
  const uint8_t data[4] = {0x40, 0x3f, 0x80, 0x3e};
  for (const Case &c : cases) {
    hid_t type =
        floatType(c.bytes, c.exponentBits, c.mantissaBits, c.bias);
    H5Dclose(writeRaw(c.name, type, data, 4 / c.bytes));
    H5Tclose(type);
  }
  auto reader = open();
  for (const Case &c : cases) {
    Tensor t = llvm::cantFail(reader->readTensor(*reader->find(c.name)));
    EXPECT_EQ(toString(t.elementType()), c.type);
    EXPECT_EQ(std::memcmp(t.bytes(), data, 4), 0) << c.name;
  }
}

TEST_F(Hdf5Files, ComplexNumbersAndEnumerations) {
  hid_t complex = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(complex, "r", 0, H5T_IEEE_F32BE);
  H5Tinsert(complex, "i", 4, H5T_IEEE_F32BE);
  const uint8_t parts[8] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0}; // 1 and 2
  H5Dclose(writeRaw("complex", complex, parts, 1));
  H5Tclose(complex);
  hid_t letters = H5Tenum_create(H5T_NATIVE_INT8);
  int8_t zero = 0, one = 1;
  H5Tenum_insert(letters, "A", &zero);
  H5Tenum_insert(letters, "B", &one);
  const int8_t raw[3] = {0, 1, 0};
  H5Dclose(writeRaw("letters", letters, raw, 3));
  H5Tclose(letters);
  auto reader = open();
  Tensor c = llvm::cantFail(reader->readTensor(*reader->find("complex")));
  EXPECT_EQ(toString(c.type()), "tensor<1xcomplex<f32>>");
  EXPECT_EQ(c.data<float>()[0], 1);
  EXPECT_EQ(c.data<float>()[1], 2);
  EXPECT_EQ(toString(reader->find("letters")->type.element), "i8");
}

static void attach(hid_t object, const char *name, hid_t type,
                   const void *value) {
  hid_t space = H5Screate(H5S_SCALAR),
        attribute =
            H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, type, value), 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

TEST_F(Hdf5Files, AttributesNameTypesAndAreKept) {
  hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 16);
  const uint16_t codes[2] = {0x3f80, 0x4000};
  const float floats[2] = {1, 2};
  int32_t number = -7;
  hid_t dataset = writeRaw("z", H5T_NATIVE_UINT16, codes, 2);
  attach(dataset, "dtype", text, "torch.bfloat16\0");
  attach(dataset, "count", H5T_NATIVE_INT32, &number);
  attach(dataset, "hash", text, "0123456789abcde");
  H5Dclose(dataset);
  dataset = writeRaw("a", H5T_NATIVE_FLOAT, floats, 2);
  attach(dataset, "dtype", text, "bfloat16\0......"); // the width does not
                                                      // match
  H5Dclose(dataset);
  H5Tclose(text);
  std::string file = path("x.h5");
  auto reader = open();
  ASSERT_EQ(reader->datasets().size(), 2u);
  // Without tracked order, datasets are listed as they were made, not by name.
  const Hdf5Dataset &z = reader->datasets()[0], &a = reader->datasets()[1];
  EXPECT_EQ(z.path, "/z");
  EXPECT_EQ(toString(z.type), "tensor<2xbf16>");
  EXPECT_EQ(z.hash, "0123456789abcde");
  ASSERT_EQ(z.attributes.size(), 1u);
  EXPECT_EQ(z.attributes[0].first, "count");
  EXPECT_EQ(z.attributes[0].second, "-7");
  EXPECT_EQ(toString(a.type), "tensor<2xf32>");
  EXPECT_EQ(readPart(*reader, "a", 0, 2), (std::vector<float>{1, 2}));
  EXPECT_NE(takeError(readTensor(file).takeError())
                .message.find("holds 2 tensors; name one as"),
            std::string::npos);
  EXPECT_EQ(llvm::cantFail(readTensor(file + ":/a")).data<float>()[1], 2);
}

TEST(Hdf5Types, ShortNamesOfPyTorch) {
  for (auto [name, type] : {std::pair("torch.half", "f16"),
                            {"float", "f32"},
                            {"torch.double", "f64"},
                            {"cfloat", "complex<f32>"},
                            {"torch.cdouble", "complex<f64>"},
                            {"short", "i16"},
                            {"torch.int", "i32"},
                            {"torch.long", "i64"},
                            {"torch.uint8", "ui8"},
                            {"torch.bfloat16", "bf16"},
                            {"float8_e5m2", "f8E5M2"},
                            {"bf16", "bf16"},
                            {"bool", "i1"}}) {
    std::optional<ElementType> found = hdf5::elementFromName(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(numerics::toString(*found), type) << name;
  }
  EXPECT_FALSE(hdf5::elementFromName("quint8").has_value());
}
