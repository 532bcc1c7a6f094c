// The plugin as a framework uses it: loaded, and called through the table that
// GetPjrtApi returns. Misuse returns errors with these texts.
#include "assay/pjrt_abi/Abi.h"

#include "gtest/gtest.h"

#include <dlfcn.h>
#include <string>
#include <vector>

namespace assay::pjrt {
namespace {

const Api &api() {
  static const Api *loaded = [] {
    void *library = ::dlopen(ASSAY_PJRT_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    auto get =
        library
            ? reinterpret_cast<const Api *(*)()>(::dlsym(library, "GetPjrtApi"))
            : nullptr;
    return get ? get() : nullptr;
  }();
  if (!loaded)
    std::abort(); // without the plugin nothing can be tested
  return *loaded;
}

/// The message of an error, which is then freed; empty for null.
std::string textOf(Error *error) {
  if (!error)
    return "";
  args::ErrorMessage message = {sizeof(message), nullptr, error, nullptr, 0};
  api().ErrorMessage(&message);
  std::string text(message.message, message.message_size);
  args::ErrorDestroy gone = {sizeof(gone), nullptr, error};
  api().ErrorDestroy(&gone);
  return text;
}

class Plugin : public testing::Test {
protected:
  void SetUp() override {
    args::ClientCreate create = {};
    create.struct_size = sizeof create;
    ASSERT_EQ(textOf(api().ClientCreate(&create)), "");
    client_ = create.client;
  }
  void TearDown() override {
    args::ClientDestroy destroy = {sizeof(destroy), nullptr, client_};
    api().ClientDestroy(&destroy);
  }

  std::string compile(std::string code, LoadedExecutable *&out,
                      std::string options = "", std::string format = "mlir") {
    pjrt::Program program = {sizeof(program), nullptr,       code.data(),
                             code.size(),     format.data(), format.size()};
    args::ClientCompile a = {};
    a.client = client_;
    a.program = &program;
    a.compile_options = options.data();
    a.compile_options_size = options.size();
    std::string text = textOf(api().ClientCompile(&a));
    out = a.executable;
    return text;
  }

  Buffer *buffer(const std::vector<float> &values) {
    args::ClientBufferFromHostBuffer a = {};
    a.client = client_;
    a.data = values.data();
    a.type = kF32;
    auto size = static_cast<int64_t>(values.size());
    a.dims = &size;
    a.num_dims = 1;
    EXPECT_EQ(textOf(api().ClientBufferFromHostBuffer(&a)), "");
    destroy(a.done_with_host_buffer);
    return a.buffer;
  }

  void destroy(Event *event) {
    args::EventDestroy a = {sizeof(a), nullptr, event};
    api().EventDestroy(&a);
  }
  void destroy(Buffer *buffer) {
    args::BufferDestroy a = {sizeof(a), nullptr, buffer};
    api().BufferDestroy(&a);
  }
  void destroy(LoadedExecutable *executable) {
    args::LoadedExecutableDestroy a = {sizeof(a), nullptr, executable};
    api().LoadedExecutableDestroy(&a);
  }

  std::string execute(LoadedExecutable *executable,
                      std::vector<Buffer *> arguments, Buffer *&result,
                      size_t devices = 1) {
    ExecuteOptions options = {};
    Buffer *const *lists[] = {arguments.data()};
    Buffer **results[] = {&result};
    args::LoadedExecutableExecute a = {};
    a.executable = executable;
    a.options = &options;
    a.argument_lists = lists;
    a.num_devices = devices;
    a.num_args = arguments.size();
    a.output_lists = results;
    return textOf(api().LoadedExecutableExecute(&a));
  }

  std::string read(Buffer *buffer, std::vector<float> &out) {
    args::BufferToHostBuffer a = {};
    a.src = buffer;
    a.dst = out.data();
    a.dst_size = out.size() * sizeof(float);
    std::string text = textOf(api().BufferToHostBuffer(&a));
    if (text.empty())
      destroy(a.event);
    return text;
  }

  Client *client_ = nullptr;
};

const char kDouble[] = R"(module @twice {
  func.func @main(%x: tensor<2xf32> {jax.buffer_donor = true}) -> tensor<2xf32> {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
})";

TEST_F(Plugin, RunsAProgramAndTakesWhatIsDonated) {
  LoadedExecutable *executable;
  ASSERT_EQ(compile(kDouble, executable), "");
  Buffer *x = buffer({1, 2}), *y = nullptr;
  ASSERT_EQ(execute(executable, {x}, y), "");
  std::vector<float> values(2), few(1);
  EXPECT_EQ(read(y, values), "");
  EXPECT_EQ(values, (std::vector<float>{2, 4}));
  EXPECT_EQ(read(y, few), "the host buffer has 4 bytes, the tensor 8");
  EXPECT_EQ(read(x, values), "the buffer has been deleted or donated");
  Buffer *none = nullptr;
  EXPECT_EQ(execute(executable, {x}, none),
            "argument 0 has been deleted or donated");
  EXPECT_EQ(execute(executable, {y, y}, none),
            "the program takes 1 arguments, it was given 2");
  EXPECT_EQ(execute(executable, {y}, none, 3),
            "the program runs on 1 devices, not on 3");
  Buffer *long_ = buffer({1, 2, 3});
  EXPECT_EQ(execute(executable, {long_}, none),
            "argument 0 is tensor<3xf32>, expected tensor<2xf32>");
  args::LoadedExecutableDelete gone = {sizeof(gone), nullptr, executable};
  api().LoadedExecutableDelete(&gone);
  EXPECT_EQ(execute(executable, {y}, none), "the executable has been deleted");
  for (Buffer *each : {x, y, long_})
    destroy(each);
  destroy(executable);
}

TEST_F(Plugin, AnArgumentStaysWhereNoResultCanHaveItsMemory) {
  LoadedExecutable *executable;
  ASSERT_EQ(compile(R"(module @sums {
  func.func @main(%x: tensor<2xf32> {jax.buffer_donor = true}, %y: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {
    %z = stablehlo.add %x, %y : tensor<2xf32>
    return %z : tensor<2xf32>
  }
})",
                    executable),
            "");
  Buffer *x = buffer({1, 2}), *y = buffer({3, 4}), *z = nullptr;
  ASSERT_EQ(execute(executable, {x, y}, z), "");
  std::vector<float> values(2);
  EXPECT_EQ(read(x, values), "");
  EXPECT_EQ(read(y, values), "the buffer has been deleted or donated");
  for (Buffer *each : {x, y, z})
    destroy(each);
  destroy(executable);
}

TEST_F(Plugin, BytesOutsideOfATensorAreNotCopied) {
  Buffer *x = buffer({1, 2});
  float out = 0;
  args::BufferCopyRawToHost a = {};
  a.buffer = x;
  a.dst = &out;
  a.offset = 6;
  a.transfer_size = 4;
  EXPECT_EQ(textOf(api().BufferCopyRawToHost(&a)),
            "bytes 6 to 10 are not in a tensor of 8");
  a.offset = 4;
  EXPECT_EQ(textOf(api().BufferCopyRawToHost(&a)), "");
  EXPECT_EQ(out, 2);
  destroy(a.event);
  destroy(x);
}

TEST_F(Plugin, BytesLieAsALayoutSays) {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  std::vector<int64_t> shape{2, 3}, order{0, 1};
  MemoryLayout layout = {};
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  args::ClientBufferFromHostBuffer a = {};
  a.client = client_;
  a.data = values.data();
  a.type = kF32;
  a.dims = shape.data();
  a.num_dims = shape.size();
  a.device_layout = &layout;
  ASSERT_EQ(textOf(api().ClientBufferFromHostBuffer(&a)), "");
  destroy(a.done_with_host_buffer);
  std::vector<float> turned{1, 4, 2, 5, 3, 6}, out(6);
  EXPECT_EQ(read(a.buffer, out), ""); // its bytes, as they are
  EXPECT_EQ(out, turned);
  // The program sees the values, and its results are in the requested layout.
  LoadedExecutable *executable;
  ASSERT_EQ(compile(R"(func.func @main(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"},
        tensor<3x2xf32> {mhlo.layout_mode = "auto"}) {
      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %x, %x, %t : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>
    })",
                    executable),
            "");
  Buffer *results[3];
  ASSERT_EQ(execute(executable, {a.buffer}, results[0]), "");
  std::vector<std::vector<float>> expected{values, turned, values};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read(results[i], out), "");
    EXPECT_EQ(out, expected[i]) << i;
    destroy(results[i]);
  }
  destroy(a.buffer);
  destroy(executable);
  order = {1, 1};
  EXPECT_EQ(textOf(api().ClientBufferFromHostBuffer(&a)),
            "a layout has each of 2 dimensions once");
  layout.tiled.num_tiles = 1;
  EXPECT_EQ(textOf(api().ClientBufferFromHostBuffer(&a)),
            "a layout with tiles or strides: memory of the platform assay is "
            "dense, its dimensions in any order");
  EXPECT_EQ(compile("func.func @main(%x: tensor<4xf32> {mhlo.layout_mode = "
                    "\"{1,0}\"}) { return }",
                    executable),
            "argument 0: a layout has each of 1 dimensions once");
}

TEST_F(Plugin, ProgramsThatCannotRunSayWhy) {
  LoadedExecutable *none;
  EXPECT_EQ(compile(kDouble, none, "", "hlo"),
            "programs come as 'mlir', this one as 'hlo'");
  EXPECT_NE(compile("what is this", none), "");
  EXPECT_NE(compile("func.func @main() -> tensor<si7> { }", none), "");
  EXPECT_EQ(compile("func.func @main(%x: tensor<f6E2M3FN>) { return }", none),
            "argument 0 has the element type f6E2M3FN, which PJRT lacks");
  // device_ordinal 7.
  EXPECT_EQ(compile(kDouble, none, std::string("\x1a\x02\x08\x07")),
            "the program is for device 7; there are 1: ASSAY_DEVICES sets "
            "their number");
}

TEST_F(Plugin, ABufferKeepsItsKindOfMemory) {
  LoadedExecutable *executable;
  ASSERT_EQ(compile("func.func @main(%x: tensor<1xf32>) -> (tensor<1xf32> "
                    "{mhlo.memory_kind = \"pinned_host\"}) { return %x : "
                    "tensor<1xf32> }",
                    executable),
            "");
  auto kindOf = [&](Buffer *buffer) {
    args::BufferMemory of = {};
    of.buffer = buffer;
    EXPECT_EQ(textOf(api().BufferMemory(&of)), "");
    args::MemoryKind kind = {};
    kind.memory = of.memory;
    EXPECT_EQ(textOf(api().MemoryKind(&kind)), "");
    return std::string(kind.kind, kind.kind_size);
  };
  Buffer *x = buffer({1}), *y = nullptr;
  ASSERT_EQ(execute(executable, {x}, y), "");
  EXPECT_EQ(kindOf(x), "device");
  EXPECT_EQ(kindOf(y), "pinned_host");
  LoadedExecutable *none;
  EXPECT_EQ(compile("func.func @main(%x: tensor<1xf32>) -> (tensor<1xf32> "
                    "{mhlo.memory_kind = \"far\"}) { return %x : "
                    "tensor<1xf32> }",
                    none),
            "result 0 is for a memory of kind far; there are device, "
            "pinned_host, unpinned_host");
  destroy(x);
  destroy(y);
  destroy(executable);
}

TEST_F(Plugin, ShardingsThatCannotBe) {
  LoadedExecutable *none;
  // num_partitions 2.
  auto messageOf = [&](const std::string &mesh, const std::string &type,
                       const std::string &sharding) {
    return compile("module { sdy.mesh @mesh = <" + mesh +
                       ">\n func.func @main(%x: tensor<" + type + "> {" +
                       sharding + "}) { return } }",
                   none, "\x1a\x02\x28\x02");
  };
  const char *onX = "sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>";
  EXPECT_EQ(messageOf("[\"x\"=2]", "3xf32", onX),
            "argument 0: dimension 0 of size 3 is not divided by 2 parts");
  EXPECT_EQ(messageOf("[\"x\"=2], device_ids=[0, 5]", "4xf32", onX),
            "argument 0: a mesh names device 5 of 2");
  EXPECT_EQ(messageOf("[\"x\"=4]", "4xf32", onX),
            "argument 0: a value lies on a mesh of 4 devices, the program is "
            "for 2");
  EXPECT_EQ(
      messageOf("[\"x\"=2]", "4xf32", "mhlo.sharding = \"{devices=[2]0,1}\""),
      "argument 0: the sharding {devices=[2]0,1} is in GSPMD's form; "
      "Shardy's are read (jax_use_shardy_partitioner)");
  // num_replicas 2.
  EXPECT_EQ(compile(kDouble, none, "\x1a\x02\x20\x02"),
            "the program is for 2 replicas; the plugin assay runs programs of "
            "one, with several partitions");
}

TEST_F(Plugin, DevicesThatAreNotThere) {
  args::ClientLookupDevice device = {};
  device.client = client_;
  device.id = 5;
  EXPECT_EQ(textOf(api().ClientLookupDevice(&device)),
            "there is no device 5; there are 1");
  int assignment[4];
  args::ClientDefaultDeviceAssignment a = {};
  a.client = client_;
  a.num_replicas = 2;
  a.num_partitions = 2;
  a.default_assignment_size = 4;
  a.default_assignment = assignment;
  EXPECT_EQ(textOf(api().ClientDefaultDeviceAssignment(&a)),
            "2 replicas of 2 partitions need more devices than the 1 there "
            "are; ASSAY_DEVICES sets their number");
}

TEST_F(Plugin, ForeignBytesAreNoExecutable) {
  args::ExecutableDeserializeAndLoad a = {};
  a.client = client_;
  a.serialized_executable = "99999\nshort";
  a.serialized_executable_size = 11;
  EXPECT_EQ(textOf(api().ExecutableDeserializeAndLoad(&a)),
            "these bytes are not an executable that the plugin assay wrote");
}

TEST_F(Plugin, WhatIsAbsentSaysSo) {
#define CALL(NAME, ...) EXPECT_TRUE(api().NAME) << #NAME;
#define ABSENT(NAME, ...)                                                      \
  {                                                                            \
    args::NAME a = {};                                                         \
    EXPECT_EQ(textOf(api().NAME(&a)), "the plugin assay has no " #NAME);       \
  }
#include "assay/pjrt_abi/Calls.def"
#undef ABSENT
#undef CALL
}

} // namespace
} // namespace assay::pjrt
