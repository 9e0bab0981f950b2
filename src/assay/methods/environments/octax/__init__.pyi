from .machine import Quirks as Quirks
