"""Classes of packages that ask for more than attention needs, imported without it.

`fast_transformers` (Idiap) imports its compiled kernels on its first lines; the classes used here
are plain torch. DeepSpeed's mask layouts are one file of plain torch in a package that asks for a
compiler. Both lie on PYTHONPATH as their source archives hold them.
"""

import importlib.metadata
import importlib.util
import pathlib
import sys
from unittest import mock

for kernel in ("aggregate.aggregate_cpu", "aggregate.aggregate_cuda",
               "aggregate.clustered_aggregate_cuda", "causal_product.causal_product_cpu",
               "causal_product.causal_product_cuda", "clustering.hamming.cluster_cpu",
               "clustering.hamming.cluster_cuda", "hashing.hash_cpu", "hashing.hash_cuda",
               "local_product.local_product_cpu", "local_product.local_product_cuda",
               "sparse_product.sparse_product_cpu", "sparse_product.sparse_product_cuda",
               "sparse_product.clustered_sparse_product_cpu",
               "sparse_product.clustered_sparse_product_cuda"):
    sys.modules.setdefault(f"fast_transformers.{kernel}", mock.MagicMock())


def file_of_package(package, path):
    """One module of a package, without the package's own imports."""
    root = pathlib.Path(importlib.metadata.distribution(package).locate_file(""))
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, root / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
