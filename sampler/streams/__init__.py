"""Data in: files, folders, files that grow, databases, Arrow batches and any Python iterable, a batch at a time."""

from sampler.streams.category_columns import MOST_LEVELS
from sampler.streams.column_choice import likely_response
from sampler.streams.column_spread import UNEQUAL, spread_ratio
from sampler.streams.data_stream import DataStream
from sampler.streams.preview import Peek, levels, peek
from sampler.streams.sources import LARGEST_UPLOAD, check_upload
from sampler.streams.sql_query import SqlQuery
from sampler.streams.stream_report import StreamReport
from sampler.streams.tabular_file import Table, read_table, table_columns
from sampler.streams.train_test_split import Split, split_table, split_tables

__all__ = [
    "DataStream", "LARGEST_UPLOAD", "MOST_LEVELS", "Peek", "Split", "SqlQuery", "StreamReport", "Table", "UNEQUAL",
    "check_upload", "levels", "likely_response", "peek", "read_table", "split_table",
    "split_tables", "spread_ratio", "table_columns",
]
