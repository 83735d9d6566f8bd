"""Every golden array that the generators write."""

import codecs_
import data_types
import grids


def all_cases():
    return [*data_types.cases(), *codecs_.cases(), *grids.cases()]
