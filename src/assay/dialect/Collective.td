//===- Collective.td - communication between processes and with the host -----------------------------------------------===//
include "assay/dialect/Attrs.td"

defvar channelArg = OptionalAttr<ChannelHandleAttr>;

/// An operation with a side effect that no analysis may remove or reorder.
class CommunicationOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

def AllGatherOp : CommunicationOp<"all_gather"> {
  let hasVerifier = 1;
  let summary = "operands of a group, concatenated";
  let arguments = (ins Variadic<Tensor>:$operands, I64Attr:$all_gather_dim, ReplicaGroupsAttr:$replica_groups,
                       channelArg:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<Tensor>);
}
def AllReduceOp : CommunicationOp<"all_reduce"> {
  let hasVerifier = 1;
  let summary = "operands of a group, folded with computation";
  let arguments = (ins Variadic<Tensor>:$operands, ReplicaGroupsAttr:$replica_groups, channelArg:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<Tensor>);
}
def AllToAllOp : CommunicationOp<"all_to_all"> {
  let hasVerifier = 1;
  let summary = "operands of a group, split and exchanged";
  let arguments = (ins Variadic<Tensor>:$operands, I64Attr:$split_dimension, I64Attr:$concat_dimension,
                       I64Attr:$split_count, ReplicaGroupsAttr:$replica_groups, channelArg:$channel_handle);
  let results = (outs Variadic<Tensor>);
}
def CollectiveBroadcastOp : CommunicationOp<"collective_broadcast"> {
  let hasVerifier = 1;
  let summary = "the first process of a group sends its operands to the others";
  let arguments = (ins Variadic<Tensor>:$operands, ReplicaGroupsAttr:$replica_groups, channelArg:$channel_handle,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<Tensor>);
}
def CollectivePermuteOp : CommunicationOp<"collective_permute"> {
  let hasVerifier = 1;
  let summary = "each source sends its operand to its target";
  let arguments = (ins Tensor:$operand, I64ElementsAttr:$source_target_pairs, channelArg:$channel_handle);
  let results = (outs Tensor:$result);
}
def CollectiveReduceOp : CommunicationOp<"collective_reduce"> {
  let hasVerifier = 1;
  let summary = "operands of a group, folded with computation at its first process";
  let arguments = (ins Variadic<Tensor>:$operands, ReplicaGroupsAttr:$replica_groups, channelArg:$channel_handle,
                       UnitAttr:$use_global_device_ids, UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<Tensor>);
}
def ReduceScatterOp : CommunicationOp<"reduce_scatter"> {
  let hasVerifier = 1;
  let summary = "all_reduce of which each process keeps its part";
  let arguments = (ins Tensor:$operand, I64Attr:$scatter_dimension, ReplicaGroupsAttr:$replica_groups,
                       channelArg:$channel_handle, UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Tensor:$result);
}
def CrossReplicaSumOp : CommunicationOp<"cross-replica-sum"> {
  let hasVerifier = 1;
  let summary = "sum over replicas; deprecated";
  let arguments = (ins Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs Tensor:$result);
}
def ReplicaIdOp : Stablehlo_Op<"replica_id", [Pure]> {
  let summary = "replica number of the current process";
  let results = (outs UI32Scalar:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def PartitionIdOp : Stablehlo_Op<"partition_id", [Pure]> {
  let summary = "partition number of the current process";
  let results = (outs UI32Scalar:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def InfeedOp : CommunicationOp<"infeed"> {
  let hasVerifier = 1;
  let summary = "data from the host";
  let arguments = (ins TokenValue:$token, DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<FlowValue>);
}
def OutfeedOp : CommunicationOp<"outfeed"> {
  let summary = "data to the host";
  let arguments = (ins Variadic<TensorQ>:$inputs, TokenValue:$token, DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs TokenValue:$result);
}
def SendOp : CommunicationOp<"send"> {
  let hasVerifier = 1;
  let summary = "data to a channel";
  let arguments = (ins Variadic<TensorQ>:$inputs, TokenValue:$token, ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs TokenValue:$result);
}
def RecvOp : CommunicationOp<"recv"> {
  let hasVerifier = 1;
  let summary = "data from a channel";
  let arguments = (ins TokenValue:$token, ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<FlowValue>);
}
