"""Data in: files, folders, files that grow, databases, Arrow batches and any Python iterable, a batch at a time."""

from sampler.streams.column_spread import UNEQUAL, spread_ratio
from sampler.streams.data_stream import DataStream
from sampler.streams.preview import Peek, peek
from sampler.streams.sources import LARGEST_UPLOAD
from sampler.streams.sql_query import SqlQuery
from sampler.streams.stream_report import StreamReport
from sampler.streams.tabular_file import Table, read_table
from sampler.streams.train_test_split import Split, split_table, split_tables

__all__ = [
    "DataStream", "LARGEST_UPLOAD", "Peek", "Split", "SqlQuery", "StreamReport", "Table", "UNEQUAL", "peek", "read_table",
    "split_table", "split_tables", "spread_ratio",
]
