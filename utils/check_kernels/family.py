"""A family of kernels: one reference, its inputs, and kernels that are right or have one fault."""


class Family:
    """`right` and `wrong` are decorators that take the kernel's arrays and, of a fault, its words."""

    def __init__(self, name, reference, *inputs):
        self.name, self.reference, self.inputs = name, reference, inputs
        self.kernels = []

    def right(self, framework="numpy"):
        return self._add(framework, None)

    def wrong(self, fault, framework="numpy"):
        return self._add(framework, fault)

    def _add(self, framework, fault):
        def add(kernel):
            self.kernels.append((kernel, framework, fault))
            return kernel

        return add
