// HDF5 files that other programs wrote: chunked and compressed datasets, whose
// slabs are kept between reads, big-endian numbers, scalars.
#include "assay/support/TestFolder.h"
#include "assay/tensor/Hdf5Reader.h"
#include "gtest/gtest.h"

#include <hdf5.h>
#include <numeric>

using namespace assay;
using namespace assay::tensor;

namespace {
struct Hdf5Files : TestFolder {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(TestFolder::SetUp());
    file = H5Fcreate(path("x.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT,
                     H5P_DEFAULT);
  }

  /// Writes floats in chunks of `chunk`, compressed; contiguous where it is
  /// empty.
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
    // Parts, across rows, in any order.
    EXPECT_EQ(readPart(*reader, "b", 590, 10), counting(10, 1590));
    EXPECT_EQ(readPart(*reader, "a", 29, 33), counting(33, 29));
    EXPECT_EQ(readPart(*reader, "row", 49, 1), counting(1, 5049));
    EXPECT_EQ(readPart(*reader, "a", 0, 1), counting(1, 0));
  }
  EXPECT_EQ(readPart(*reader, "a", 5, 0).size(), 0u);
}

TEST_F(Hdf5Files, ADatasetLargerThanASlabIsReadInAnyOrder) {
  // 72 MiB in rows of 4 MiB: a slab of 64 MiB holds sixteen of the eighteen.
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
