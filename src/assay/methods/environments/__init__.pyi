from .octax import Quirks as Quirks
