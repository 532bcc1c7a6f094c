/// The texts of the messages that a parent and its worker process exchange
/// (Protocol.h). The worker may send anything: an engine can write into the
/// socket.
#pragma once

#include "assay/engine/Worker.h"

namespace assay::engine {

/// The body of a Create message.
std::string createMessage(const ProblemDescription &problem);
/// Decodes a Create message; nullopt if it is cut short or its counts exceed
/// its size.
std::optional<ProblemDescription> readCreate(llvm::StringRef payload);

/// Decodes a Result message with its header; nullopt if it is anything else.
/// `subject`: that of WorkerOptions.
std::optional<WorkerResult> readResult(llvm::StringRef message,
                                       llvm::StringRef subject = "the engine");

} // namespace assay::engine
