"""A family of kernels: one reference, its inputs, and kernels that are right or have one fault."""


class Family:
    """`right` and `wrong` are decorators for a function of the kernel's arrays; `wrong` also needs the fault's description.
    special=False: a right kernel that multiplies skipped elements by 0, and so need not keep NaN and infinities."""

    def __init__(self, name, reference, *inputs):
        self.name, self.reference, self.inputs = name, reference, inputs
        self.kernels, self.special = [], {}

    def right(self, framework="numpy", special=True):
        return self._add(framework, None, special)

    def wrong(self, fault, framework="numpy"):
        return self._add(framework, fault)

    def _add(self, framework, fault, special=True):
        def add(kernel):
            self.special[kernel] = special
            self.kernels.append((kernel, framework, fault))
            return kernel

        return add
