"""Random weights of the example models."""
import torch


def filled(model, seed):
    """Matrices that keep the size of what goes through them, scales near one, small shifts, positive variances."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in (*model.named_parameters(), *model.named_buffers()):
            if not tensor.is_floating_point():
                continue
            noise = torch.randn(tensor.shape, generator=generator)
            if name.endswith("running_var"):
                tensor.copy_(0.5 + torch.rand(tensor.shape, generator=generator))
            elif tensor.dim() > 1:
                tensor.copy_(noise * (2 / tensor[0].numel()) ** 0.5)
            else:
                tensor.copy_(0.1 * noise + name.endswith("weight"))
    return model
