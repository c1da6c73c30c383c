"""The array types that signatures speak of."""

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
AnyArray = npt.NDArray[np.generic]
