// Events: handles of completions. Every caller of `Await` and `Error` gets its
// own copy of the error, and frees it.
#include "Answers.h"
#include "Objects.h"

namespace assay::pjrt {

std::shared_ptr<Completion> Completion::done() {
  static const std::shared_ptr<Completion> always = [] {
    auto made = std::make_shared<Completion>();
    made->done_ = true;
    return made;
  }();
  return always;
}

bool Completion::isDone() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return done_;
}

std::optional<Error> Completion::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
  return error_;
}

void Completion::onDone(
    std::function<void(const std::optional<Error> &)> callback) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!done_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(error_);
}

void Completion::set(std::optional<Error> error) {
  std::vector<std::function<void(const std::optional<Error> &)>> callbacks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (done_)
      return;
    done_ = true;
    error_ = std::move(error);
    callbacks.swap(callbacks_);
  }
  changed_.notify_all();
  for (auto &callback : callbacks)
    callback(error_);
}

Event *readyEvent() { return new Event{Completion::done()}; }

static Error *copyOf(const std::optional<Error> &error) {
  return error ? new Error(*error) : nullptr;
}

Error *answer(args::EventDestroy *a) {
  delete a->event;
  return nullptr;
}

Error *answer(args::EventIsReady *a) {
  a->is_ready = a->event->completion->isDone();
  return nullptr;
}

Error *answer(args::EventError *a) {
  return copyOf(a->event->completion->wait());
}

Error *answer(args::EventAwait *a) {
  return copyOf(a->event->completion->wait());
}

Error *answer(args::EventOnReady *a) {
  EventCallback callback = a->callback;
  void *argument = a->user_arg;
  a->event->completion->onDone(
      [callback, argument](const std::optional<Error> &error) {
        callback(copyOf(error), argument);
      });
  return nullptr;
}

Error *answer(args::EventCreate *a) {
  a->event = new Event{std::make_shared<Completion>()};
  return nullptr;
}

Error *answer(args::EventSet *a) {
  std::optional<Error> error;
  if (a->error_code != kOk)
    error = Error{a->error_code,
                  std::string(a->error_message, a->error_message_size)};
  a->event->completion->set(std::move(error));
  return nullptr;
}

} // namespace assay::pjrt
