// Transfers through pipes that take a few bytes at a time, while signals arrive.
#include "assay/support/FullTransfer.h"

#include "gtest/gtest.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace assay;

static std::string numbered(size_t size) {
  std::string text(size, ' ');
  for (size_t i = 0; i < size; ++i)
    text[i] = static_cast<char>('a' + i * 7 % 26);
  return text;
}

TEST(FullTransfer, WholePipesBesideSignals) {
  // Without SA_RESTART a blocked read or write ends with EINTR.
  struct sigaction action{}, before{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::string sent = numbered(5 << 20), received(sent.size(), '\0');
  pthread_t reader = pthread_self();
  std::thread writer([&, end = ends[1]] {
    for (size_t at = 0; at < sent.size(); at += 300001) {
      size_t size = std::min<size_t>(300001, sent.size() - at);
      EXPECT_EQ(writeFully(end, sent.data() + at, size).bytes, size);
      pthread_kill(reader, SIGUSR1);
    }
    close(end);
  });
  EXPECT_EQ(readFully(ends[0], received.data(), received.size()).bytes,
            received.size());
  EXPECT_EQ(received, sent);
  Transfer beyond = readFully(ends[0], received.data(), 1);
  EXPECT_EQ(beyond.bytes, 0u);
  EXPECT_EQ(beyond.error, 0);
  writer.join();
  close(ends[0]);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(FullTransfer, PositionsAndEndsOfFiles) {
  FILE *file = tmpfile();
  ASSERT_NE(file, nullptr);
  int descriptor = fileno(file);
  std::string text = numbered(200000), found;
  EXPECT_EQ(writeFully(descriptor, text.data(), text.size(), 100).bytes,
            text.size());
  EXPECT_EQ(readToEnd(descriptor, found), 0);
  EXPECT_EQ(found, std::string(100, '\0') + text);
  char part[8];
  Transfer last = readFully(descriptor, part, 8, 100 + 199997);
  EXPECT_EQ(last.bytes, 3u);
  EXPECT_EQ(last.error, 0);
  EXPECT_EQ(std::string(part, 3), text.substr(199997));
  fclose(file);
}

TEST(FullTransfer, ErrorsAreNumbersAndWords) {
  char byte = 0;
  EXPECT_EQ(readFully(-1, &byte, 1).error, EBADF);
  EXPECT_EQ(writeFully(-1, &byte, 1).error, EBADF);
  std::string text;
  EXPECT_EQ(readToEnd(-1, text), EBADF);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  close(ends[1]);
  EXPECT_EQ(sendFully(ends[0], &byte, 1).error, EPIPE);
  close(ends[0]);
  int full = open("/dev/full", O_WRONLY);
  if (full >= 0) {
    EXPECT_EQ(writeFully(full, &byte, 1).error, ENOSPC);
    close(full);
  }
  auto codeOf = [](const char *verb, int error) {
    return takeError(systemError(verb, "x", error)).code;
  };
  EXPECT_EQ(codeOf("write", ENOSPC), ErrorCode::ResourceLimit);
  EXPECT_EQ(codeOf("open", ENOENT), ErrorCode::NotFound);
  EXPECT_EQ(codeOf("write", ENOENT), ErrorCode::InvalidArgument);
  EXPECT_EQ(takeError(systemError("open", "x", EACCES)).message,
            "cannot open 'x': permission denied");
}
