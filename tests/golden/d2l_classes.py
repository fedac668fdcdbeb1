"""Dive into Deep Learning's own classes, without what its module imports only to draw and download.

`d2l.torch` imports plotting, table and image packages on its first lines. Attention uses none of
them, so empty stand-ins take their place.
"""

import sys
import warnings
from unittest import mock

for name in ("torchvision", "torchvision.transforms", "PIL", "pandas", "requests", "IPython",
             "matplotlib", "matplotlib.pyplot", "matplotlib_inline", "scipy", "scipy.spatial",
             "gym", "mxnet"):
    if name not in sys.modules:
        sys.modules[name] = mock.MagicMock()

warnings.filterwarnings("ignore", message="Lazy modules are a new feature")

from d2l import torch as d2l  # noqa: E402, F401 (imported by others from here)
