/// The differences between oneDNN 2.x (Debian) and 3.x. 2.x makes an operation
/// descriptor first and describes source and destination together where they
/// have one type; 3.x makes the primitive descriptor at once and describes them
/// separately. Otherwise only the scales (Attributes.cpp, Limits.cpp) and a few
/// names that one version lacks depend on the version.
#pragma once

#include "oneapi/dnnl/dnnl.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// Whether the headers are of this version or a later one.
#define ASSAY_DNNL_SINCE(major, minor)                                         \
  (DNNL_VERSION_MAJOR > (major) ||                                             \
   (DNNL_VERSION_MAJOR == (major) && DNNL_VERSION_MINOR >= (minor)))

namespace assay::engine::onednn {

using Desc = dnnl::memory::desc;

/// "oneDNN 2.6"
inline std::string versionName() {
  return "oneDNN " + std::to_string(DNNL_VERSION_MAJOR) + "." +
         std::to_string(DNNL_VERSION_MINOR);
}

#if DNNL_VERSION_MAJOR >= 3

/// Arguments of a descriptor: `src, dst` in 3.x, `src` in 2.x.
#define ASSAY_SRC_DST(src, dst) src, dst
/// An argument that only 3.x has.
#define ASSAY_SINCE_3(desc) , desc
/// The tensors of lrn's backward pass in their order.
#define ASSAY_LRN_BACKWARD(src, diffSrc, diffDst) diffSrc, diffDst, src

using SoftmaxForward = dnnl::softmax_forward;
using SoftmaxBackward = dnnl::softmax_backward;
using PoolingForward = dnnl::pooling_forward;
using PoolingBackward = dnnl::pooling_backward;

template <typename Primitive, typename... Arguments>
auto describe(const dnnl::engine &engine, const dnnl::primitive_attr &attr,
              const Arguments &...arguments) {
  return typename Primitive::primitive_desc(engine, arguments..., attr);
}

template <typename Primitive, typename Forward, typename... Arguments>
auto describeBackward(const dnnl::engine &engine,
                      const dnnl::primitive_attr &attr, const Forward &forward,
                      const Arguments &...arguments) {
  return
      typename Primitive::primitive_desc(engine, arguments..., forward, attr);
}

inline dnnl::memory::dims dimsOf(const Desc &desc) { return desc.get_dims(); }

inline dnnl::concat::primitive_desc
describeConcat(const dnnl::engine &engine, const Desc &dst, int axis,
               const std::vector<Desc> &sources) {
  return dnnl::concat::primitive_desc(engine, dst, axis, sources);
}

inline dnnl::sum::primitive_desc describeSum(const dnnl::engine &engine,
                                             const Desc &dst,
                                             const std::vector<float> &scales,
                                             const std::vector<Desc> &sources) {
  return dnnl::sum::primitive_desc(engine, dst, scales, sources);
}

#else

#define ASSAY_SRC_DST(src, dst) src
#define ASSAY_SINCE_3(desc)
#define ASSAY_LRN_BACKWARD(src, diffSrc, diffDst) src, diffSrc

using SoftmaxForward = dnnl::softmax_v2_forward;
using SoftmaxBackward = dnnl::softmax_v2_backward;
using PoolingForward = dnnl::pooling_v2_forward;
using PoolingBackward = dnnl::pooling_v2_backward;

/// A primitive descriptor with the operation descriptor that it was made from:
/// next_impl() needs that, and 2.x keeps no copy.
template <typename Primitive> struct Described : Primitive::primitive_desc {
  using Base = typename Primitive::primitive_desc;
  std::shared_ptr<typename Primitive::desc> operation;
  Described(Base base, std::shared_ptr<typename Primitive::desc> from)
      : Base(std::move(base)), operation(std::move(from)) {}
};

template <typename Primitive, typename... Arguments>
auto describe(const dnnl::engine &engine, const dnnl::primitive_attr &attr,
              const Arguments &...arguments) {
  using Pd = typename Primitive::primitive_desc;
  auto desc = std::make_shared<typename Primitive::desc>(arguments...);
  if constexpr (std::is_constructible_v<Pd, decltype(*desc),
                                        dnnl::primitive_attr, dnnl::engine>)
    return Described<Primitive>(Pd(*desc, attr, engine), desc);
  else // shuffle takes no attributes
    return Described<Primitive>(Pd(*desc, engine), desc);
}

template <typename Primitive, typename Forward, typename... Arguments>
auto describeBackward(const dnnl::engine &engine,
                      const dnnl::primitive_attr &attr, const Forward &forward,
                      const Arguments &...arguments) {
  using Pd = typename Primitive::primitive_desc;
  auto desc = std::make_shared<typename Primitive::desc>(arguments...);
  if constexpr (std::is_constructible_v<Pd, decltype(*desc),
                                        dnnl::primitive_attr, dnnl::engine,
                                        Forward>)
    return Described<Primitive>(Pd(*desc, attr, engine, forward), desc);
  else // shuffle takes no attributes
    return Described<Primitive>(Pd(*desc, engine, forward), desc);
}

inline dnnl::memory::dims dimsOf(const Desc &desc) { return desc.dims(); }

inline dnnl::concat::primitive_desc
describeConcat(const dnnl::engine &engine, const Desc &dst, int axis,
               const std::vector<Desc> &sources) {
  return dnnl::concat::primitive_desc(dst, axis, sources, engine);
}

inline dnnl::sum::primitive_desc describeSum(const dnnl::engine &engine,
                                             const Desc &dst,
                                             const std::vector<float> &scales,
                                             const std::vector<Desc> &sources) {
  return dnnl::sum::primitive_desc(dst, scales, sources, engine);
}

#endif

} // namespace assay::engine::onednn
