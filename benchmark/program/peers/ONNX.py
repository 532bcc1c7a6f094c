"""ONNX Runtime on the file that torch.onnx writes."""


def prepare(model, form, threads, folder):
    import onnxruntime
    import torch
    from .PyTorch import MODELS, made

    module, arguments = made(MODELS[model].torch)
    file = folder / f"{model}.onnx"
    if not file.exists():
        torch.onnx.export(module, arguments, str(file), dynamo=True, external_data=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    given = {wanted.name: value.numpy() for wanted, value in zip(session.get_inputs(), arguments)}

    def call():
        return session.run(None, given)

    results = call()
    return call, results if form == "torch" else []
