// A helper process that answers, refuses, crashes, loops or exceeds its memory
// limit never affects the calling process.
#include "assay/support/HelperProcess.h"

#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace assay;


/// Serves a request according to its first word.
static llvm::Expected<std::string> serve(llvm::StringRef request) {
  if (request == "crash")
    ::raise(SIGSEGV);
  if (request == "abort")
    std::abort();
  if (request == "exit")
    ::_exit(0);
  if (request == "loop")
    for (volatile int forever = 1; forever;)
      ;
  if (request == "refuse")
    return makeError(ErrorCode::InvalidArgument, "not a word");
  if (request == "open")
    return std::to_string(::dup(0));
  return std::string(100, 'x').append(request);
}

static std::unique_ptr<HelperProcess> start() {
  return llvm::cantFail(HelperProcess::start(serve, [] { return ::fork(); }));
}

static ErrorText failure(HelperProcess &helper, llvm::StringRef request) {
  llvm::Expected<std::string> answer = helper.ask(request, 1);
  if (answer)
    return {ErrorCode::Internal, "answered " + *answer};
  return takeError(answer.takeError());
}

TEST(HelperProcess, AnswersOneRequestAfterAnother) {
  auto helper = start();
  EXPECT_EQ(llvm::cantFail(helper->ask("", 5)), std::string(100, 'x'));
  std::string large(40 << 20, 'y');
  EXPECT_EQ(llvm::cantFail(helper->ask(large, 60)),
            std::string(100, 'x') + large);
  ErrorText refused = failure(*helper, "refuse");
  EXPECT_EQ(refused.code, ErrorCode::InvalidArgument);
  EXPECT_EQ(refused.message, "not a word");
  EXPECT_EQ(llvm::cantFail(helper->ask("z", 5)), std::string(100, 'x') + "z");
}

TEST(HelperProcess, ItsEndIsAnErrorThatSaysHow) {
  for (auto [request, text] :
       {std::pair("crash", "ended by segmentation fault"),
        {"abort", "ended by aborted"},
        {"exit", "ended by itself"},
        {"loop", "took more than 1 s"}}) {
    auto helper = start();
    ErrorText error = failure(*helper, request);
    EXPECT_EQ(error.code, ErrorCode::DataLoss) << request;
    EXPECT_EQ(error.message, text);
    EXPECT_EQ(failure(*helper, "").code, ErrorCode::DataLoss)
        << "after " << request;
  }
}

TEST(HelperProcess, KeepsNoFileOfThisProcessOpen) {
  int pair[2];
  ASSERT_EQ(::pipe(pair), 0);
  auto helper = start();
  // The copy has its socket and the three standard files open, so the next
  // number is 4: it did not inherit the pipe.
  EXPECT_EQ(llvm::cantFail(helper->ask("open", 5)), std::string("4"));
  ::close(pair[1]);
  char byte;
  EXPECT_EQ(::read(pair[0], &byte, 1), 0);
  ::close(pair[0]);
}

TEST(HelperProcess, EndsWithItsObject) {
  pid_t process = 0;
  {
    auto helper = llvm::cantFail(HelperProcess::start(serve, [&] {
      process = ::fork();
      return process;
    }));
    EXPECT_EQ(::kill(process, 0), 0);
  }
  EXPECT_EQ(::kill(process, 0), -1); // gone, and no zombie
}
