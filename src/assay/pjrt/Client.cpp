// The client: one engine, one thread pool and one memory budget for all virtual
// devices of a process; and the topology, which lists the devices.
#include "Answers.h"
#include "Objects.h"

#include "assay/support/MemorySize.h"

namespace assay::pjrt {

static constexpr llvm::StringLiteral kPlatform = "assay";

static void addDevices(Client &client) {
  for (int id = 0; id < client.options.devices; ++id) {
    auto device = std::make_unique<Device>();
    device->description = {id, "assay:" + std::to_string(id)};
    device->client = &client;
    for (auto [kind, name] : llvm::enumerate(kMemoryKinds)) {
      auto number = static_cast<int>(client.memories.size());
      client.ownedMemories.push_back(std::make_unique<Memory>(
          Memory{number, static_cast<int>(kind),
                 "assay_" + name.str() + "_memory:" + std::to_string(id),
                 device.get()}));
      client.memories.push_back(client.ownedMemories.back().get());
      device->memories.push_back(client.memories.back());
    }
    client.devices.push_back(device.get());
    client.topology.descriptions.push_back(&device->description);
    client.owned.push_back(std::move(device));
  }
}

Error *answer(args::ClientCreate *a) {
  auto client = std::make_unique<Client>();
  llvm::Expected<Options> options =
      Options::read({a->create_options, a->num_options});
  if (!options)
    return fail(options.takeError());
  client->options = *options;
  engine::EngineOptions engineOptions;
  engineOptions.fastReference = true;
  engineOptions.threads = options->threads;
  engineOptions.workerProgram = options->worker;
  auto engine = engine::makeEngine(options->engine, engineOptions);
  if (!engine)
    return fail(engine.takeError());
  client->engine = std::move(*engine);
  client->platformVersion =
      "Assay " ASSAY_VERSION ", engine " + options->engine;
  client->budget = std::make_shared<MemoryBudget>(
      client->options.memoryBytes > 0
          ? client->options.memoryBytes
          : std::min(defaultMemoryBytes(), availableMemoryBytes() / 10 * 9));
  client->threads = std::make_unique<ThreadPool>(options->threads);
  addDevices(*client);
  a->client = client.release();
  return nullptr;
}

Error *answer(args::ClientDestroy *a) {
  delete a->client;
  return nullptr;
}

Error *answer(args::ClientPlatformName *a) {
  a->platform_name = kPlatform.data();
  a->platform_name_size = kPlatform.size();
  return nullptr;
}

Error *answer(args::ClientProcessIndex *a) {
  a->process_index = 0;
  return nullptr;
}

// jax.distributed reports the states of all processes; there is only this one.
Error *answer(args::ClientUpdateGlobalProcessInfo *) { return nullptr; }

Error *answer(args::ClientPlatformVersion *a) {
  a->platform_version = a->client->platformVersion.data();
  a->platform_version_size = a->client->platformVersion.size();
  return nullptr;
}

Error *answer(args::ClientDevices *a) {
  a->devices = a->client->devices.data();
  a->num_devices = a->client->devices.size();
  return nullptr;
}

Error *answer(args::ClientAddressableDevices *a) {
  a->addressable_devices = a->client->devices.data();
  a->num_addressable_devices = a->client->devices.size();
  return nullptr;
}

static Error *lookUp(Client *client, int id, Device *&device) {
  if (id < 0 || id >= static_cast<int>(client->devices.size()))
    return fail(kInvalidArgument, "there is no device " + llvm::Twine(id) +
                                      "; there are " +
                                      llvm::Twine(client->devices.size()));
  device = client->devices[static_cast<size_t>(id)];
  return nullptr;
}

Error *answer(args::ClientLookupDevice *a) {
  return lookUp(a->client, a->id, a->device);
}

Error *answer(args::ClientLookupAddressableDevice *a) {
  return lookUp(a->client, a->local_hardware_id, a->addressable_device);
}

Error *answer(args::ClientAddressableMemories *a) {
  a->addressable_memories = a->client->memories.data();
  a->num_addressable_memories = a->client->memories.size();
  return nullptr;
}

// Ordered by replica; the partitions of a replica are adjacent.
Error *answer(args::ClientDefaultDeviceAssignment *a) {
  size_t wanted = static_cast<size_t>(a->num_replicas) *
                  static_cast<size_t>(a->num_partitions);
  if (wanted > a->default_assignment_size || wanted > a->client->devices.size())
    return fail(kInvalidArgument,
                llvm::Twine(a->num_replicas) + " replicas of " +
                    llvm::Twine(a->num_partitions) +
                    " partitions need more devices than the " +
                    llvm::Twine(a->client->devices.size()) +
                    " there are; ASSAY_DEVICES sets their number");
  for (size_t i = 0; i < wanted; ++i)
    a->default_assignment[i] = static_cast<int>(i);
  return nullptr;
}

// Host and device memory are the same.
Error *answer(args::ClientDmaMap *) { return nullptr; }
Error *answer(args::ClientDmaUnmap *) { return nullptr; }

Error *answer(args::ClientTopologyDescription *a) {
  a->topology = &a->client->topology;
  return nullptr;
}

// The client owns the topology.
Error *answer(args::TopologyDescriptionDestroy *) { return nullptr; }

Error *answer(args::TopologyDescriptionPlatformName *a) {
  a->platform_name = kPlatform.data();
  a->platform_name_size = kPlatform.size();
  return nullptr;
}

Error *answer(args::TopologyDescriptionPlatformVersion *a) {
  static constexpr llvm::StringLiteral kVersion = "Assay " ASSAY_VERSION;
  a->platform_version = kVersion.data();
  a->platform_version_size = kVersion.size();
  return nullptr;
}

Error *answer(args::TopologyDescriptionGetDeviceDescriptions *a) {
  a->descriptions = a->topology->descriptions.data();
  a->num_descriptions = a->topology->descriptions.size();
  return nullptr;
}

Error *answer(args::TopologyDescriptionAttributes *a) {
  a->attributes = nullptr;
  a->num_attributes = 0;
  return nullptr;
}

// The number of devices, in decimal digits, describes it completely.
Error *answer(args::TopologyDescriptionSerialize *a) {
  auto *text =
      new std::string(std::to_string(a->topology->descriptions.size()));
  a->serialized_bytes = text->data();
  a->serialized_bytes_size = text->size();
  a->serialized_topology = reinterpret_cast<SerializedTopology *>(text);
  a->serialized_topology_deleter = [](SerializedTopology *gone) {
    delete reinterpret_cast<std::string *>(gone);
  };
  return nullptr;
}

} // namespace assay::pjrt
