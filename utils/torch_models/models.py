"""Models by name, small and with random weights: torchvision's at their full depth on small images, transformers' families by tiny configurations."""
import torch


def _vision(name, size=64, **options):
    def make():
        import torchvision

        return torchvision.models.get_model(name, weights=None, **options), (torch.randn(1, 3, size, size),), {}

    return make


def _segmentation(name):
    return _vision(name, 64, weights_backbone=None, num_classes=5)


def _video(name):
    def make():
        import torchvision

        return torchvision.models.get_model(name, weights=None), (torch.randn(1, 3, 8, 32, 32),), {}

    return make


TEXT = dict(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=40)
DECODER = dict(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=48, max_position_embeddings=40)


def _language(family, model, **options):
    def make():
        import transformers

        config = getattr(transformers, f"{family}Config")(**options)
        config.use_cache = False
        config.return_dict = True
        return getattr(transformers, model)(config), (), {"input_ids": torch.tensor([[5, 9, 11, 3, 7, 2]])}

    return make


def _both(family, model, **options):
    def make():
        made, _, words = _language(family, model, **options)()
        return made, (), {**words, "decoder_input_ids": torch.tensor([[1, 4, 6]])}

    return make


def _pixels(family, model, size=32, **options):
    def make():
        import transformers

        config = getattr(transformers, f"{family}Config")(**options)
        return getattr(transformers, model)(config), (), {"pixel_values": torch.randn(1, 3, size, size)}

    return make


def _audio(family, model, name, *shape, **options):
    def make():
        import transformers

        config = getattr(transformers, f"{family}Config")(**options)
        return getattr(transformers, model)(config), (), {name: torch.randn(*shape)}

    return make


IMAGE = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=32, patch_size=8)
MODELS = {
    **{name: _vision(name) for name in ("alexnet", "resnet18", "resnet50", "resnext50_32x4d", "wide_resnet50_2", "vgg11", "densenet121", "mobilenet_v2", "mobilenet_v3_small",
                                        "shufflenet_v2_x0_5", "squeezenet1_1", "mnasnet0_5", "efficientnet_b0", "regnet_y_400mf", "convnext_tiny")},
    "googlenet": _vision("googlenet", 64, init_weights=False, aux_logits=False), "inception_v3": _vision("inception_v3", 96, init_weights=False, aux_logits=False),
    "vit_b_16": _vision("vit_b_16", 224), "swin_t": _vision("swin_t", 64), "maxvit_t": _vision("maxvit_t", 224),
    "fcn_resnet50": _segmentation("fcn_resnet50"), "deeplabv3_mobilenet_v3_large": _segmentation("deeplabv3_mobilenet_v3_large"), "lraspp_mobilenet_v3_large": _segmentation("lraspp_mobilenet_v3_large"),
    "r3d_18": _video("r3d_18"), "mc3_18": _video("mc3_18"),
    "bert": _language("Bert", "BertModel", **TEXT), "roberta": _language("Roberta", "RobertaModel", **TEXT), "distilbert": _language("DistilBert", "DistilBertModel", vocab_size=60, dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=40),
    "albert": _language("Albert", "AlbertModel", embedding_size=16, **TEXT), "electra": _language("Electra", "ElectraModel", embedding_size=16, **TEXT),
    "gpt2": _language("GPT2", "GPT2LMHeadModel", vocab_size=60, n_embd=32, n_layer=2, n_head=4, n_positions=40), "gpt_neox": _language("GPTNeoX", "GPTNeoXForCausalLM", **TEXT),
    "opt": _language("OPT", "OPTForCausalLM", vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, max_position_embeddings=40, word_embed_proj_dim=32),
    "llama": _language("Llama", "LlamaForCausalLM", **DECODER), "mistral": _language("Mistral", "MistralForCausalLM", **DECODER), "qwen2": _language("Qwen2", "Qwen2ForCausalLM", **DECODER),
    "gemma": _language("Gemma", "GemmaForCausalLM", head_dim=8, **DECODER), "phi": _language("Phi", "PhiForCausalLM", **TEXT), "mixtral": _language("Mixtral", "MixtralForCausalLM", num_local_experts=3, **DECODER),
    "mamba": _language("Mamba", "MambaForCausalLM", vocab_size=60, hidden_size=32, num_hidden_layers=2, state_size=8), "bloom": _language("Bloom", "BloomForCausalLM", vocab_size=60, hidden_size=32, n_layer=2, n_head=4),
    "llama4": _language("Llama4Text", "Llama4ForCausalLM", **{**DECODER, "intermediate_size_mlp": 48, "num_local_experts": 3, "head_dim": 8, "pad_token_id": 0}),
    "gemma2": _language("Gemma2", "Gemma2ForCausalLM", head_dim=8, **DECODER), "qwen3": _language("Qwen3", "Qwen3ForCausalLM", head_dim=8, **DECODER),
    "phi3": _language("Phi3", "Phi3ForCausalLM", pad_token_id=0, **DECODER), "granite": _language("Granite", "GraniteForCausalLM", **DECODER), "cohere": _language("Cohere", "CohereForCausalLM", **DECODER),
    "stablelm": _language("StableLm", "StableLmForCausalLM", **DECODER), "falcon": _language("Falcon", "FalconForCausalLM", vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4),
    "gptj": _language("GPTJ", "GPTJForCausalLM", vocab_size=60, n_embd=32, n_layer=2, n_head=4, n_positions=40, rotary_dim=4), "mamba2": _language("Mamba2", "Mamba2ForCausalLM", vocab_size=60, hidden_size=32, num_hidden_layers=2, state_size=8, num_heads=8, head_dim=8, n_groups=1, chunk_size=4),
    "deberta_v2": _language("DebertaV2", "DebertaV2Model", **TEXT), "xlnet": _language("XLNet", "XLNetModel", vocab_size=60, d_model=32, n_layer=2, n_head=4, d_inner=48), "fnet": _language("FNet", "FNetModel", vocab_size=60, hidden_size=32, num_hidden_layers=2, intermediate_size=48, max_position_embeddings=40),
    "mpnet": _language("MPNet", "MPNetModel", **TEXT),
    "marian": _both("Marian", "MarianMTModel", vocab_size=60, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=40, pad_token_id=0),
    "t5": _both("T5", "T5ForConditionalGeneration", vocab_size=60, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4),
    "bart": _both("Bart", "BartForConditionalGeneration", vocab_size=60, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=40),
    "vit": _pixels("ViT", "ViTModel", **IMAGE), "deit": _pixels("DeiT", "DeiTModel", **IMAGE), "beit": _pixels("Beit", "BeitModel", **IMAGE),
    "convnext": _pixels("ConvNext", "ConvNextModel", 64, hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 2, 1]), "segformer": _pixels("Segformer", "SegformerModel", 64, hidden_sizes=[16, 24, 32, 40], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4]),
    "dinov2": _pixels("Dinov2", "Dinov2Model", **IMAGE), "swinv2": _pixels("Swinv2", "Swinv2Model", 32, image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4), "poolformer": _pixels("PoolFormer", "PoolFormerModel", 64, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
    "hubert": _audio("Hubert", "HubertModel", "input_values", 1, 2000, vocab_size=30, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_dim=[16] * 7, num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4, mask_time_length=2),
    "wav2vec2": _audio("Wav2Vec2", "Wav2Vec2Model", "input_values", 1, 2000, vocab_size=30, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_dim=[16] * 7, num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4, mask_time_length=2),
    "ast": _audio("AST", "ASTModel", "input_values", 1, 64, 32, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_length=64, num_mel_bins=32),
}  # fmt: skip


def without_zeros(model):
    """The model, after weights that are all zero at the start are replaced by random numbers: a result of only zeros would agree with everything."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1 and not parameter.any():
                parameter.normal_(0, 0.1)
    return model


def prepare():
    """torchvision's wheel on PyPI was built for CUDA; this declares its operators, so that its models can be imported without them."""
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms", "roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d"):
        library.define(f"{name}(Tensor boxes) -> Tensor")
    return library
