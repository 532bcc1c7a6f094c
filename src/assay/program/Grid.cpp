// The values that processes leave for each other. Within one rank they are in a
// map. A message to a process of another rank holds the number of readers there
// and the values.
#include "assay/program/Processes.h"
#include "assay/program/Ranks.h"
#include "assay/program/ValueBytes.h"

namespace assay::program {

std::string toString(ProcessId id) {
  return llvm::formatv("(replica {0}, partition {1})", id.replica, id.partition)
      .str();
}

bool Grid::isMine(ProcessId id) const {
  auto found = owners_.find(id);
  return !ranks_ || found == owners_.end() || found->second == ranks_->rank();
}

void Grid::note(llvm::Error error) {
  if (!error)
    return;
  if (failure_)
    llvm::consumeError(std::move(error));
  else
    failure_ = takeError(std::move(error));
}

llvm::Error Grid::takeFailure() {
  if (!failure_)
    return llvm::Error::success();
  ErrorText failure = std::move(*failure_);
  failure_.reset();
  return makeError(failure.code, "{0}", failure.message);
}

static llvm::Error refuseQuantised() {
  return makeError(ErrorCode::Unsupported,
                   "quantised tensors do not go from rank to rank; the "
                   "program runs with --processes=cooperative");
}

static std::string messageKey(ProcessId from, const std::string &key,
                              int64_t number) {
  return toString(from) + key + "#" + std::to_string(number);
}

std::optional<std::string> Grid::arrived(const std::string &key) {
  llvm::Expected<std::optional<std::string>> message = ranks_->receive(key);
  if (message)
    return std::move(*message);
  note(message.takeError());
  return std::nullopt;
}

void Grid::post(ProcessId from, const std::string &key, int64_t number,
                std::vector<Value> values, llvm::ArrayRef<ProcessId> readers) {
  int64_t here = 0;
  std::map<int, int64_t> elsewhere; // number of readers per rank
  for (ProcessId reader : readers) {
    if (isMine(reader))
      ++here;
    else
      ++elsewhere[owners_[reader]];
  }
  if (!elsewhere.empty() && !canBeWritten(values))
    return note(refuseQuantised());
  for (auto [rank, count] : elsewhere) {
    std::string bytes;
    writeNumber(bytes, count);
    writeValues(bytes, values);
    note(ranks_->send(rank, messageKey(from, key, number), bytes));
  }
  if (here > 0)
    postings_[{from, key, number}] = {std::move(values), here};
}

bool Grid::isPosted(ProcessId from, const std::string &key, int64_t number) {
  if (postings_.count({from, key, number}) != 0)
    return true;
  if (isMine(from))
    return false;
  std::optional<std::string> message = arrived(messageKey(from, key, number));
  if (!message)
    return false;
  llvm::StringRef bytes = *message;
  Posting posting{};
  llvm::Error error = readNumber(bytes).moveInto(posting.readers);
  if (!error)
    error = readValues(bytes, *run_).moveInto(posting.values);
  if (error) {
    note(std::move(error));
    return false;
  }
  postings_[{from, key, number}] = std::move(posting);
  return true;
}

std::deque<std::vector<Value>> &Grid::queue(const std::string &name) {
  if (ranks_)
    note(makeError(ErrorCode::Unsupported,
                   "{0}: the first process to come has the data, which is no "
                   "defined order among ranks; it runs with --processes=cooperative",
                   name));
  return queues_[name];
}

void Grid::sendTo(ProcessId to, const std::string &name,
                  std::vector<Value> values) {
  std::string key = name + toString(to);
  if (isMine(to)) {
    queues_[key].push_back(std::move(values));
    return;
  }
  if (!canBeWritten(values))
    return note(refuseQuantised());
  std::string bytes;
  writeValues(bytes, values);
  note(ranks_->send(owners_[to], key + "#" + std::to_string(queued_[key]++),
                    bytes));
}

std::deque<std::vector<Value>> &Grid::queueOf(ProcessId to,
                                              const std::string &name) {
  std::string key = name + toString(to);
  std::deque<std::vector<Value>> &queue = queues_[key];
  if (!ranks_ || !queue.empty())
    return queue;
  std::optional<std::string> message =
      arrived(key + "#" + std::to_string(queued_[key]));
  if (!message)
    return queue;
  ++queued_[key];
  llvm::StringRef bytes = *message;
  std::vector<Value> values;
  if (llvm::Error error = readValues(bytes, *run_).moveInto(values))
    note(std::move(error));
  else
    queue.push_back(std::move(values));
  return queue;
}

std::vector<Value> Grid::read(ProcessId from, const std::string &key,
                              int64_t number) {
  auto found = postings_.find({from, key, number});
  if (--found->second.readers > 0)
    return found->second.values;
  std::vector<Value> values = std::move(found->second.values);
  postings_.erase(found);
  return values;
}

} // namespace assay::program
