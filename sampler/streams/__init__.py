"""Data sources: files, folders, growing files, databases, Arrow batches and Python iterables, read in batches."""

from sampler.streams.category_columns import MOST_LEVELS
from sampler.streams.column_choice import likely_response
from sampler.streams.data_stream import DataStream
from sampler.streams.row_encoding import UNEQUAL, RowReading, spread_ratio
from sampler.streams.source_error import SourceError
from sampler.streams.sources import LARGEST_UPLOAD, Peek, check_upload, levels, peek
from sampler.streams.sql_query import SqlQuery
from sampler.streams.stream_report import StreamReport
from sampler.streams.tables import Split, Table, read_table, split_table, split_tables

__all__ = [
    "DataStream", "LARGEST_UPLOAD", "MOST_LEVELS", "Peek", "RowReading", "SourceError", "Split", "SqlQuery", "StreamReport",
    "Table", "UNEQUAL", "check_upload", "levels", "likely_response", "peek", "read_table", "split_table", "split_tables",
    "spread_ratio",
]
