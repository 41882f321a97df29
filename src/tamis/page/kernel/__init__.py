"""What the kernels of other rooms share: `uncompiled` stands in for the cython package."""
