"""The programs of the benchmark by name: real sizes, random weights, as JAX functions (`function, arguments, flops`)."""
from functools import partial

import text
import vision

MODELS = {
    "gpt2_small_prefill_128": text.gpt2_small,
    "gpt2_small_decode": text.gpt2_decode,
    "bert_base_128": text.bert_base,
    "lstm_100": text.lstm,
    "resnet50_image": vision.resnet50,
    "resnet50_batch_16": partial(vision.resnet50, batch=16),
    "mobilenet_v3_large": vision.mobilenet_v3_large,
    "convnext_tiny": vision.convnext_tiny,
    "vit_b16": vision.vit_b16,
    "resnet50_nchw": partial(vision.resnet50, plain=True),
    "mobilenet_v3_large_nchw": partial(vision.mobilenet_v3_large, plain=True),
    "convnext_tiny_nchw": partial(vision.convnext_tiny, plain=True),
    "vit_b16_nchw": partial(vision.vit_b16, plain=True),
}
