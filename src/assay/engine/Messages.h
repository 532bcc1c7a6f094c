/// The texts of the messages that a parent and its worker process exchange
/// (Protocol.h). The other side may send anything: an engine can write
/// into the socket.
#pragma once

#include "assay/engine/Worker.h"

namespace assay::engine {

/// The body of a Create message.
std::string createMessage(const ProblemDescription &problem);
/// Decodes it; nothing where it is cut short or its counts exceed its size.
std::optional<ProblemDescription> readCreate(llvm::StringRef payload);

/// A Result message with its header; nothing if it is something else. `subject`: of
/// WorkerOptions.
std::optional<WorkerResult> readResult(llvm::StringRef message,
                                       llvm::StringRef subject = "the engine");

} // namespace assay::engine
