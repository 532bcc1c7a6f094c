"""Arrays of the platform `assay` for other libraries: np.from_dlpack(x), torch.from_dlpack(x). They get a copy on the processor's device, which
JAX can pass on.
"""


def register():
    from jax._src import array, dlpack

    pack, device_of = dlpack.to_dlpack, array.ArrayImpl.__dlpack_device__
    processor = (dlpack.DLDeviceType.kDLCPU, 0)

    def to_dlpack(x, stream=None, src_device=None, dl_device=None, **more):
        if src_device is not None and src_device.platform == "assay":
            dl_device = dl_device or processor
        return pack(x, stream=stream, src_device=src_device, dl_device=dl_device, **more)

    def dlpack_device(self):
        return processor if self.platform() == "assay" and len(self.sharding.device_set) == 1 else device_of(self)

    dlpack.to_dlpack = to_dlpack
    array.ArrayImpl.__dlpack_device__ = dlpack_device
