#include "assay/pjrt/Options.h"

#include "gtest/gtest.h"

#include <cstdlib>

namespace assay::pjrt {
namespace {

NamedValue text(const char *name, const char *value) {
  NamedValue made = {};
  made.name = name;
  made.name_size = std::char_traits<char>::length(name);
  made.type = NamedValue::String;
  made.string_value = value;
  made.value_size = std::char_traits<char>::length(value);
  return made;
}

std::string messageOf(const char *variable, const char *value) {
  ::setenv(variable, value, 1);
  llvm::Expected<Options> options = Options::read({});
  ::unsetenv(variable);
  return options ? "" : takeError(options.takeError()).message;
}

TEST(Options, AFrameworksOptionGoesBeforeTheEnvironments) {
  ::setenv("ASSAY_DEVICES", "8", 1);
  ::setenv("ASSAY_ENGINE", "reference", 1);
  llvm::Expected<Options> options =
      Options::read({text("devices", "2"), text("node_id", "0")});
  ::unsetenv("ASSAY_DEVICES");
  ::unsetenv("ASSAY_ENGINE");
  ASSERT_TRUE(static_cast<bool>(options));
  EXPECT_EQ(options->devices, 2);
  EXPECT_EQ(options->engine, "reference");
}

TEST(Options, MistypedVariablesAreNamed) {
  EXPECT_EQ(unknownVariables({"ASSAY_CHEK", "ASSAY_CHECK", "ASSAY_ISA",
                              "ASSAY_PYTHON", "CHECK", "ASSAY_BIN"}),
            "assay: the variable ASSAY_CHEK is set and unknown; did you mean "
            "ASSAY_CHECK?\n");
  EXPECT_EQ(messageOf("ASSAY_RECORD", "/etc/hostname"),
            "ASSAY_RECORD is '/etc/hostname', a file; expected a folder");
}

TEST(Options, WrongOnesSayWhatIsExpected) {
  EXPECT_EQ(messageOf("ASSAY_DEVICES", "65"),
            "ASSAY_DEVICES is '65', expected a number from 1 to 64");
  EXPECT_EQ(messageOf("ASSAY_ENGINE", "cuda"),
            "ASSAY_ENGINE is 'cuda', expected native, reference or "
            "pjrt:PATH.so");
  EXPECT_EQ(messageOf("ASSAY_ENGINE", "pjrt:device.so"),
            "ASSAY_ENGINE is 'pjrt:device.so', but no program 'assay' was named "
            "that runs it in a process of its own");
  EXPECT_EQ(messageOf("ASSAY_CHECK", "yes"),
            "ASSAY_CHECK is 'yes', expected nan, bound or shadow");
  EXPECT_EQ(takeError(Options::read({text("device", "2")}).takeError()).message,
            "the plugin assay has no option 'device', only engine, check, "
            "record, devices, threads and memory");
  EXPECT_EQ(messageOf("ASSAY_MEMORY", "much"),
            "ASSAY_MEMORY: 'much' is not a size such as 500M or 4G");
  EXPECT_TRUE(static_cast<bool>(Options::read({text("num_nodes", "1")})));
  EXPECT_EQ(takeError(Options::read({text("num_nodes", "2")}).takeError())
                .message,
            "2 processes are to share the platform assay, which has virtual "
            "devices in one: ASSAY_DEVICES");
}

} // namespace
} // namespace assay::pjrt
