// Unusual files: pipes, two writers at the same time, archives written by other
// programs or with many members, headers that are longer than usual.
#include "assay/formats/Hdf5Journal.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/formats/Npy.h"
#include "assay/formats/Npz.h"
#include "assay/formats/Stored.h"
#include "assay/formats/TensorFile.h"
#include "assay/formats/Zip.h"
#include "assay/support/AtomicFile.h"
#include "assay/support/MemoryBudget.h"
#include "assay/support/TestFolder.h"
#include "assay/tensor/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <malloc.h>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace assay;
using namespace assay::formats;
using numerics::FloatFormat;

namespace {
struct Files : TestFolder {
  std::string readBack(llvm::StringRef name) const {
    std::ifstream in(path(name), std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  }
  void put(llvm::StringRef name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
};
} // namespace

static std::string messageOf(llvm::Error error) {
  return error ? takeError(std::move(error)).message : "";
}

TEST_F(Files, APipeIsWrittenAndStaysAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  int reader = ::open(path("pipe").c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(messageOf(writeAtomically(path("pipe"), "twelve bytes")), "");
  char got[64] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 12);
  EXPECT_STREQ(got, "twelve bytes");
  struct stat status;
  ASSERT_EQ(::stat(path("pipe").c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
  EXPECT_NE(::access((path("pipe") + ".partial").c_str(), F_OK), 0);
  ::close(reader);
}

TEST_F(Files, APipeIsReadToItsEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string content;
  for (int i = 0; i < 200000; ++i)
    content += static_cast<char>(i * 31 + i / 256);
  std::thread writer([&] { std::ofstream(path("pipe")) << content; });
  auto file = tensor::MappedFile::open(path("pipe"));
  writer.join();
  ASSERT_TRUE(static_cast<bool>(file));
  EXPECT_EQ(llvm::toStringRef((*file)->bytes()), content);
}

// A signal interrupts a write after the bytes that the pipe had room for.
TEST_F(Files, AWriteThatIsCutShortGoesOn) {
  struct sigaction quiet{}, before;
  quiet.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, &before), 0);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string content, got;
  for (int i = 0; i < 100000; ++i)
    content += std::to_string(i) + "\n";
  int reader = ::open(path("pipe").c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  std::string message;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    message = messageOf(writeAtomically(path("pipe"), content));
    done = true;
  });
  std::vector<char> part(50000);
  while (got.size() < content.size()) {
    // By now the pipe is full, and a write of further bytes has begun.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    bool last = done;
    if (!last)
      ::pthread_kill(writer.native_handle(), SIGUSR1);
    ssize_t n = ::read(reader, part.data(), part.size());
    if (n > 0)
      got.append(part.data(), static_cast<size_t>(n));
    else if (last)
      break;
  }
  writer.join();
  ::close(reader);
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(message, "");
  EXPECT_TRUE(got == content) << got.size() << " of " << content.size();
}

TEST_F(Files, OfTwoWritersAtATimeTheLastStays) {
  auto one = llvm::cantFail(AtomicFile::create(path("x"), Writers::Many)),
       two = llvm::cantFail(AtomicFile::create(path("x"), Writers::Many));
  llvm::cantFail(one->write("first and longer", 16));
  llvm::cantFail(two->write("second", 6));
  EXPECT_EQ(messageOf(one->commit()), "");
  EXPECT_EQ(readBack("x"), "first and longer");
  EXPECT_EQ(messageOf(two->commit()), "");
  EXPECT_EQ(readBack("x"), "second");
}

TEST_F(Files, AFolderIsNotATarget) {
  EXPECT_EQ(messageOf(writeAtomically(folder, "x")),
            "cannot write '" + folder + "': is a directory");
}

// A vector load of 64 bytes after a view's last byte stays on its last page.
TEST(Views, AreTakenWhereLoadsStayInside) {
  void *pages = ::mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const auto *bytes = static_cast<const uint8_t *>(pages);
  auto owner = std::make_shared<int>(0);
  auto isView = [&](size_t first, size_t size) {
    return llvm::cantFail(tensor::viewOrCopy({bytes + first, size}, owner))->isView();
  };
  EXPECT_TRUE(isView(0, 4096 + 64));
  EXPECT_TRUE(isView(64, 2 * 4096 - 128));
  EXPECT_FALSE(isView(0, 2 * 4096));     // ends at the end of a page
  EXPECT_FALSE(isView(0, 2 * 4096 - 1)); // one byte before the end of a page
  EXPECT_FALSE(isView(0, 2 * 4096 - 63));
  EXPECT_FALSE(isView(4, 4096 + 64)); // not aligned
  EXPECT_FALSE(isView(32, 4096 + 64));
  EXPECT_FALSE(isView(0, 256)); // small tensors are copied
  ::munmap(pages, 3 * 4096);
}

TEST(Buffers, HaveRoomForAVectorBehindTheirEnd) {
  for (int64_t size : {0, 1, 63, 64, 65, 128, 4096, 4097}) {
    std::shared_ptr<Buffer> buffer = Buffer::allocate(size);
    EXPECT_GE(::malloc_usable_size(buffer->mutableData()),
              static_cast<size_t>(size) + 64)
        << size;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
  }
}

TEST(Buffers, GiveTheirBudgetBack) {
  auto budget = std::make_shared<MemoryBudget>(1000);
  TensorType type{ElementType::integer(8), {600}};
  for (int round = 0; round < 3; ++round) {
    Tensor first = llvm::cantFail(Tensor::allocate(type, budget));
    EXPECT_FALSE(static_cast<bool>(Tensor::allocate(type, budget)) || false);
  }
}

/// A .npy image of version 2 or 3, whose header length has four bytes.
static std::string image2(char version, std::string header,
                          const std::string &data) {
  std::string result = std::string("\x93NUMPY") + version + '\0';
  for (int i = 0; i < 4; ++i)
    result += static_cast<char>(header.size() >> (8 * i));
  return result + header + data;
}

static std::string imageOf(const std::string &descr, const std::string &order,
                           const std::string &shape, const std::string &data) {
  return image2(3,
                "{'descr': '" + descr + "', 'fortran_order': " + order +
                    ", 'shape': " + shape + "}",
                data);
}

static llvm::Expected<Tensor>
parsed(const std::string &image,
       const std::optional<TensorType> &expected = std::nullopt) {
  auto stored = parseNpy(
      {reinterpret_cast<const uint8_t *>(image.data()), image.size()}, "'x'");
  if (!stored)
    return stored.takeError();
  return finishStored(*stored, expected, "'x'");
}

TEST(Npy, HeadersOfVersionTwoMayBeLong) {
  for (size_t length : {200u, 300u, 70000u, 200000u}) {
    std::string header =
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}";
    header.append(length - header.size(), ' ');
    Tensor t = llvm::cantFail(
        parsed(image2(2, header, std::string("\x01\x02\x03\x04"))));
    EXPECT_EQ(t.data<int16_t>()[0], 0x0201) << length;
    EXPECT_EQ(t.data<int16_t>()[1], 0x0403) << length;
  }
}

TEST(Npy, HeadersEndAtMultiplesOf64) {
  for (const Shape &shape :
       {Shape{}, Shape{7}, Shape{123456, 2}, Shape{1, 2, 3, 4, 5, 6, 7}})
    for (ElementType type : {ElementType::boolean(), ElementType::integer(64)})
      EXPECT_EQ(npyHeader({type, shape}).size() % 64, 0u);
  // Types that NumPy has are stored under their own names.
  auto descr = [](ElementType type) {
    return llvm::StringRef(npyHeader({type, {}}))
        .split("'descr': '")
        .second.split('\'')
        .first.str();
  };
  EXPECT_EQ(descr(ElementType::floating(FloatFormat::F16)), "<f2");
  EXPECT_EQ(descr(ElementType::floating(FloatFormat::BF16)), "<u2");
  EXPECT_EQ(descr(ElementType::floating(FloatFormat::F8E4M3FN)), "|u1");
  EXPECT_EQ(descr(ElementType::floating(FloatFormat::F64)), "<f8");
  EXPECT_EQ(descr(ElementType::complex(FloatFormat::F32)), "<c8");
  EXPECT_EQ(descr(ElementType::boolean()), "|b1");
  EXPECT_EQ(descr(ElementType::integer(4)), "|i1");
}

TEST(Npy, ColumnsFirstInThreeDimensionsAndTheOtherByteOrder) {
  // Element [i, j, k] of 2 x 3 x 2 is 100 i + 10 j + k; the file is in Fortran
  // order, with the first index fastest.
  std::string data;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i)
        data += std::string{1, static_cast<char>(100 * i + 10 * j + k)};
  Tensor t = llvm::cantFail(parsed(imageOf(">i2", "True", "(2, 3, 2)", data)));
  int at = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k)
        EXPECT_EQ(t.data<int16_t>()[at++], 256 + 100 * i + 10 * j + k);
  Tensor truth = llvm::cantFail(
      parsed(imageOf("|b1", "True", "(2, 2)", std::string("\0\x07\x02\0", 4))));
  const uint8_t want[4] = {0, 1, 1, 0};
  EXPECT_EQ(std::memcmp(truth.bytes(), want, 4), 0);
}

TEST(Stored, NibblesAndShapesAreChecked) {
  TensorType i4{ElementType::integer(4), {3}};
  Tensor nibbles = llvm::cantFail(
      parsed(imageOf("|u1", "False", "(3,)", "\x08\x07\x0f"), i4));
  EXPECT_EQ(nibbles.data<int8_t>()[0], -8);
  EXPECT_EQ(nibbles.data<int8_t>()[1], 7);
  EXPECT_EQ(nibbles.data<int8_t>()[2], -1);
  TensorType none{ElementType::integer(8), {0, -1}};
  auto wrong = parsed(imageOf("|i1", "False", "(1, 2)", "ab"), none);
  EXPECT_FALSE(static_cast<bool>(wrong));
  llvm::consumeError(wrong.takeError());
  TensorType some{ElementType::integer(8), {1, -1}};
  EXPECT_EQ(
      llvm::cantFail(parsed(imageOf("|i1", "False", "(1, 2)", "ab"), some))
          .size(),
      2);
}

TEST_F(Files, ANpyWithoutItsEndingIsKnownByItsMagic) {
  put("plain", imageOf("<i2", "False", "(1,)", std::string("\x05\0", 2)));
  EXPECT_EQ(llvm::cantFail(readTensor(path("plain"))).data<int16_t>()[0], 5);
  put("text", "no tensor");
  EXPECT_NE(messageOf(readTensor(path("text")).takeError())
                .find("is not a tensor file"),
            std::string::npos);
}

TEST(Hash, IsThatOfXxhsum) {
  // XXH3, 128 bits, of no bytes: the known answer of xxHash's own tests.
  EXPECT_EQ(hashBytes({}), "99aa06d3014798d86001c324468d497f");
}

static std::string little(uint64_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i)
    out += static_cast<char>(value >> (8 * i));
  return out;
}

/// An archive of one deflated member, with ZIP64 fields for the values in
/// `saturated` (1: sizes, 2: the offset), after an extra field of another
/// program.
static std::string zip64(const std::string &name, uint32_t crc,
                         const std::string &packed, uint64_t bytes,
                         unsigned saturated, const std::string &comment) {
  const uint64_t most = 0xffffffff;
  std::string front(40, '#'); // other programs put a stub before the archive
  front.replace(0, 2, "PK");
  uint64_t offset = front.size();
  std::string fields;
  if (saturated & 1)
    fields += little(bytes, 8) + little(packed.size(), 8);
  if (saturated & 2)
    fields += little(offset, 8);
  std::string extra = little(0x5455, 2) + little(5, 2) + "12345" +
                      little(1, 2) + little(fields.size(), 2) + fields;
  std::string sizes = saturated & 1
                          ? little(most, 4) + little(most, 4)
                          : little(packed.size(), 4) + little(bytes, 4);
  std::string common = little(45, 2) + little(0, 2) + little(8, 2) +
                       little(0, 4) + little(crc, 4) + sizes +
                       little(name.size(), 2);
  std::string file =
      front + "PK\x03\x04" + common + little(0, 2) + name + packed;
  std::string entry = std::string("PK\x01\x02") + little(45, 2) + common +
                      little(extra.size(), 2) + little(0, 2) + little(0, 8) +
                      little(saturated & 2 ? most : offset, 4) + name + extra;
  std::string end = std::string("PK\x05\x06") + little(0, 4) + little(1, 2) +
                    little(1, 2) + little(entry.size(), 4) +
                    little(file.size(), 4) + little(comment.size(), 2);
  return file + entry + end + comment;
}

TEST_F(Files, ArchivesWithZip64FieldsAndComments) {
  std::string content(5000, 'a');
  for (size_t i = 0; i < content.size(); i += 7)
    content[i] = static_cast<char>(i);
  auto zip = llvm::cantFail(ZipWriter::create(path("x.zip")));
  llvm::cantFail(zip->add("m.bin", content, {}, true));
  llvm::cantFail(zip->finish());
  auto made = llvm::cantFail(tensor::MappedFile::open(path("x.zip")));
  ZipMember member =
      llvm::cantFail(readZipDirectory(made->bytes(), "'x'")).front();
  std::string packed =
      llvm::toStringRef(
          llvm::cantFail(packedBytes(made->bytes(), member, "'x'")))
          .str();
  ASSERT_LT(packed.size(), content.size());
  for (unsigned saturated : {0u, 1u, 2u, 3u})
    for (const char *comment : {"", "an archive's comment"}) {
      std::string file = zip64("m.bin", member.crc, packed, content.size(),
                               saturated, comment);
      llvm::ArrayRef<uint8_t> bytes(
          reinterpret_cast<const uint8_t *>(file.data()), file.size());
      auto members = readZipDirectory(bytes, "'x'");
      ASSERT_TRUE(static_cast<bool>(members)) << saturated << comment;
      std::shared_ptr<const void> owner;
      auto got = unpackMember(bytes, members->front(), "'x'", owner);
      ASSERT_TRUE(static_cast<bool>(got)) << saturated << comment;
      EXPECT_EQ(llvm::toStringRef(*got), content) << saturated;
    }
}

TEST_F(Files, RandomBytesAreDeflatedWhole) {
  std::mt19937 random(1);
  std::string content(1 << 20, '\0');
  for (char &c : content)
    c = static_cast<char>(random());
  auto zip = llvm::cantFail(ZipWriter::create(path("x.zip")));
  llvm::cantFail(zip->add("m", content, {}, true));
  llvm::cantFail(zip->add("head", content.substr(0, 600000), {}, true));
  llvm::cantFail(zip->finish());
  auto file = llvm::cantFail(tensor::MappedFile::open(path("x.zip")));
  auto members = llvm::cantFail(readZipDirectory(file->bytes(), "'x'"));
  std::shared_ptr<const void> owner;
  EXPECT_EQ(llvm::toStringRef(llvm::cantFail(
                unpackMember(file->bytes(), members[0], "'x'", owner))),
            content);
  EXPECT_EQ(llvm::toStringRef(llvm::cantFail(
                unpackMember(file->bytes(), members[1], "'x'", owner))),
            llvm::StringRef(content).take_front(600000));
}

TEST_F(Files, StoredMembersAreAtMultiplesOf64) {
  auto zip = llvm::cantFail(ZipWriter::create(path("x.zip")));
  for (int i = 0; i < 5; ++i)
    llvm::cantFail(zip->add("m" + std::string(static_cast<size_t>(7 * i), 'x'),
                            "content", {}, false));
  llvm::cantFail(zip->finish());
  auto file = llvm::cantFail(tensor::MappedFile::open(path("x.zip")));
  for (const ZipMember &member :
       llvm::cantFail(readZipDirectory(file->bytes(), "'x'"))) {
    auto bytes = llvm::cantFail(packedBytes(file->bytes(), member, "'x'"));
    EXPECT_EQ((bytes.data() - file->bytes().data()) % 64, 0) << member.name;
    EXPECT_EQ(llvm::toStringRef(bytes), "content");
  }
}

// From 65,535 members on, their number no longer fits the 16-bit field.
TEST_F(Files, AnArchiveOfVeryManyMembers) {
  for (int count : {65534, 65535}) {
    auto zip = llvm::cantFail(ZipWriter::create(path("x.zip")));
    for (int i = 0; i < count; ++i)
      llvm::cantFail(zip->add(std::to_string(i), "", {}, true));
    llvm::cantFail(zip->finish());
    auto file = llvm::cantFail(tensor::MappedFile::open(path("x.zip")));
    auto members = llvm::cantFail(readZipDirectory(file->bytes(), "'x'"));
    ASSERT_EQ(members.size(), static_cast<size_t>(count));
    EXPECT_EQ(members.back().name, std::to_string(count - 1));
    // The ZIP64 end record, which holds the number, exists from 65,535 on.
    bool has64 = llvm::toStringRef(file->bytes())
                     .contains(llvm::StringRef("PK\x06\x07", 4));
    EXPECT_EQ(has64, count >= 65535) << count;
  }
}

TEST(Journal, LinesHoldAttributesAndDamageIsPlaced) {
  std::string first = R"({"state":"calm","journal":1,"attributes":{"a":"b"}})",
              second =
                  R"({"name":"/1/x","dtype":"float32","shape":[2],"offset":96,)"
                  R"("hash":"h","attributes":{"op":"add"}})";
  JournalContent content = llvm::cantFail(
      parseJournal(first + "\n" + second + "\n" + second.substr(0, 30), "j"));
  EXPECT_FALSE(content.busy);
  ASSERT_EQ(content.rootAttributes.size(), 1u);
  EXPECT_EQ(content.rootAttributes[0].second, "b");
  ASSERT_EQ(content.entries.size(), 1u);
  EXPECT_EQ(content.entries[0].offset, 96);
  EXPECT_EQ(content.entries[0].hash, "h");
  ASSERT_EQ(content.entries[0].attributes.size(), 1u);
  EXPECT_EQ(content.entries[0].attributes[0].first, "op");
  EXPECT_EQ(content.entries[0].attributes[0].second, "add");
  EXPECT_EQ(messageOf(parseJournal(first + "\n" + second + "\nrubbish\n", "j")
                          .takeError()),
            "'j' is damaged in line 3");
  EXPECT_EQ(messageOf(parseJournal(first + "\nrubbish\n" + second + "\n", "j")
                          .takeError()),
            "'j' is damaged in line 2");
}
