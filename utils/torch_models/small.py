"""Small configurations of torchvision's larger networks, for training steps: their own classes, with fewer and narrower layers."""
import torch
import torchvision.models as tv


def _bottlenecks(**options):
    return tv.resnet.ResNet(tv.resnet.Bottleneck, [1, 1, 1, 1], num_classes=10, **options)


def _vgg():
    made = tv.vgg.VGG(tv.vgg.make_layers([8, "M", 16, "M", 16, 16, "M", 16, 16, "M", 512, "M"]), num_classes=10)
    made.classifier = torch.nn.Sequential(torch.nn.Linear(512 * 49, 32), torch.nn.ReLU(True), torch.nn.Dropout(), torch.nn.Linear(32, 10))
    return made


def _efficientnet():
    settings, last = tv.efficientnet._efficientnet_conf("efficientnet_b0", width_mult=0.25, depth_mult=0.25)
    return tv.efficientnet.EfficientNet(settings, 0.2, last_channel=last, num_classes=10)


def _regnet():
    return tv.regnet.RegNet(tv.regnet.BlockParams.from_init_params(depth=4, w_0=16, w_a=8.0, w_m=2.0, group_width=8, se_ratio=0.25), num_classes=10)


def _convnext():
    block = tv.convnext.CNBlockConfig
    return tv.convnext.ConvNeXt([block(16, 32, 1), block(32, 48, 1), block(48, None, 2)], num_classes=10)


def _maxvit():
    return tv.maxvit.MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 8, 0.1, num_classes=10)


def _fcn():
    return tv.segmentation.fcn._fcn_resnet(_bottlenecks(replace_stride_with_dilation=[False, True, True]), 5, None)


def _mobile():
    return tv.mobilenetv3.mobilenet_v3_large(dilated=True, width_mult=0.25)


def _deeplab():
    return tv.segmentation.deeplabv3._deeplabv3_mobilenetv3(_mobile(), 5, None)


def _video(conv):
    return lambda: tv.video.resnet.VideoResNet(tv.video.resnet.BasicBlock, conv, [1, 1, 1, 1], tv.video.resnet.BasicStem, num_classes=10)


_plain, _flat = tv.video.resnet.Conv3DSimple, tv.video.resnet.Conv3DNoTemporal
IMAGES, VIDEO = (2, 3, 64, 64), (1, 3, 4, 32, 32)
SMALL = {
    "wide_resnet50_2": (lambda: _bottlenecks(width_per_group=128), IMAGES), "vgg11": (_vgg, IMAGES), "densenet121": (lambda: tv.DenseNet(8, (2, 2, 2, 2), 16, num_classes=10), IMAGES),
    "efficientnet_b0": (_efficientnet, IMAGES), "regnet_y_400mf": (_regnet, IMAGES), "convnext_tiny": (_convnext, IMAGES), "googlenet": (lambda: tv.GoogLeNet(10, init_weights=False), IMAGES),
    "inception_v3": (lambda: tv.Inception3(10, aux_logits=False, init_weights=False), (2, 3, 80, 80)), "vit_b_16": (lambda: tv.VisionTransformer(32, 8, 2, 4, 32, 64, num_classes=10), (2, 3, 32, 32)),
    "swin_t": (lambda: tv.SwinTransformer([2, 2], 24, [1, 2], [2, 4], [4, 4], num_classes=10), IMAGES), "maxvit_t": (_maxvit, IMAGES), "fcn_resnet50": (_fcn, IMAGES),
    "deeplabv3_mobilenet_v3_large": (_deeplab, IMAGES), "lraspp_mobilenet_v3_large": (lambda: tv.segmentation.lraspp._lraspp_mobilenetv3(_mobile(), 5), IMAGES),
    "r3d_18": (_video([_plain] * 4), VIDEO), "mc3_18": (_video([_plain, _flat, _flat, _flat]), VIDEO),
}  # fmt: skip
