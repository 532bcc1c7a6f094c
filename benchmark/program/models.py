"""The models of the benchmark, a row each: real sizes, random weights, as a JAX function (channels last, `function, arguments, flops`)
and as a PyTorch module (channels first). A case is a row in one of the two forms."""
from dataclasses import dataclass
from functools import partial
from typing import Callable, Optional


def jax_row(file, name, **options):
    """Imports the model when it is needed: a process that runs PyTorch does not need JAX."""
    return lambda: getattr(__import__(file), name)(**options)


def torch_row(name, *arguments, **options):
    return lambda: getattr(__import__("torch_rows"), name)(*arguments, **options)


@dataclass
class Model:
    torch: Callable
    jax: Optional[Callable] = None
    alg: str = "direct"  # for our convolutions: auto allows Winograd's transforms

    def forms(self):
        return [form for form in ("jax", "torch") if getattr(self, form)]


GPT2, BERT = ("GPT2LMHeadModel", "GPT2Config"), ("BertModel", "BertConfig")
image = partial(torch_row, "torchvision")
MODELS = {
    "gpt2_prefill_128": Model(torch_row("transformer", GPT2, use_cache=False), jax_row("text", "gpt2_small")),
    "gpt2_decode": Model(torch_row("decoder"), jax_row("text", "gpt2_decode")),
    "bert_base_128": Model(torch_row("transformer", BERT), jax_row("text", "bert_base")),
    "lstm_100": Model(torch_row("lstm"), jax_row("text", "lstm")),
    "resnet50": Model(image("resnet50"), jax_row("vision", "resnet50")),
    "resnet50_b16": Model(image("resnet50", 16), jax_row("vision", "resnet50", batch=16)),
    "resnet50_wino": Model(image("resnet50"), jax_row("vision", "resnet50"), alg="auto"),
    "resnet50_b16_wino": Model(image("resnet50", 16), jax_row("vision", "resnet50", batch=16), alg="auto"),
    "mobilenet_v3_large": Model(image("mobilenet_v3_large"), jax_row("vision", "mobilenet_v3_large")),
    "convnext_tiny": Model(image("convnext_tiny"), jax_row("vision", "convnext_tiny")),
    "vit_b16": Model(image("vit_b_16"), jax_row("vision", "vit_b16")),
    # Not in the default table: models that were not used for tuning.
    "efficientnet_b0": Model(image("efficientnet_b0")),
    "densenet121": Model(image("densenet121")),
    "shufflenet_v2": Model(image("shufflenet_v2_x1_0")),
    "resnext50": Model(image("resnext50_32x4d")),
    "resnet18": Model(image("resnet18")),
    "mobilenet_v2": Model(image("mobilenet_v2")),
    "mnasnet": Model(image("mnasnet1_0")),
    "squeezenet": Model(image("squeezenet1_1")),
    "regnet_y": Model(image("regnet_y_800mf")),
    "vgg16": Model(image("vgg16")),
    "vgg16_wino": Model(image("vgg16"), alg="auto"),
}
EXTRA = {name for name, model in MODELS.items() if not model.jax}
