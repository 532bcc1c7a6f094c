#include "assay/tensor/Tensor.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::tensor;

static TensorType f32(std::initializer_list<int64_t> shape) {
  return {ElementType::floating(numerics::FloatFormat::F32), Shape(shape)};
}

TEST(Tensor, SplatExpandsToEveryElement) {
  float value = 2.5f;
  Tensor splat = Tensor::splat(f32({3, 5}), &value);
  EXPECT_TRUE(splat.isSplat());
  EXPECT_EQ(splat.heldBytes(), 4);
  llvm::Expected<Tensor> dense = splat.dense();
  ASSERT_TRUE(static_cast<bool>(dense));
  ASSERT_EQ(dense->size(), 15);
  for (int64_t i = 0; i < 15; ++i)
    EXPECT_EQ(dense->data<float>()[i], 2.5f);
}

TEST(Tensor, OverflowingShapesAreRefusedBeforeAllocation) {
  llvm::Expected<Tensor> huge =
      Tensor::allocate({ElementType::integer(8), Shape{INT64_MAX, 2}});
  ASSERT_FALSE(static_cast<bool>(huge));
  EXPECT_EQ(takeError(huge.takeError()).code, ErrorCode::ResourceLimit);
  llvm::Expected<Tensor> bytes = Tensor::allocate(
      {ElementType::floating(numerics::FloatFormat::F64), Shape{INT64_MAX}});
  ASSERT_FALSE(static_cast<bool>(bytes));
  EXPECT_EQ(takeError(bytes.takeError()).code, ErrorCode::ResourceLimit);
}

TEST(Tensor, EmptyAndScalarShapes) {
  EXPECT_EQ(llvm::cantFail(elementCount({})), 1);
  EXPECT_EQ(llvm::cantFail(elementCount({3, 0, INT64_MAX})), 0);
  EXPECT_EQ(toString(f32({2, 3})), "tensor<2x3xf32>");
  EXPECT_EQ(toString(f32({})), "tensor<f32>");
}

TEST(Tensor, CopiesShareTheBufferAndReshapeKeepsIt) {
  Tensor a = llvm::cantFail(Tensor::allocate(f32({2, 3})));
  EXPECT_TRUE(a.unique());
  Tensor b = a.reshaped({6});
  EXPECT_FALSE(a.unique());
  EXPECT_EQ(a.bytes(), b.bytes());
}
