"""Writes tests/golden/data/event_file.txt: the events of hone/base/event_file_golden_test.cpp as
the TensorBoard library (2.21) writes them, one record a line in hexadecimal.

With a folder as argument it prints what TensorBoard reads from the event files in it instead.
Needs: pip install tensorboard==2.21.0 'setuptools<81'
"""

import pathlib
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator
from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.record_writer import masked_crc32c


def record(event):
    data = event.SerializeToString(deterministic=True)
    length = struct.pack("<Q", len(data))
    crc = lambda b: struct.pack("<I", masked_crc32c(b))
    return (length + crc(length) + data + crc(data)).hex()


def golden_events():
    yield event_pb2.Event(wall_time=1700000000.25, file_version="brain.Event:2")
    start = event_pb2.Event(wall_time=1700000000.25, step=3)
    start.session_log.status = event_pb2.SessionLog.START
    yield start
    scalars = event_pb2.Event(wall_time=1700000001.5, step=3)
    for tag, number in [("reward/mean", 0.1), ("loss", -2.5), ("huge", 1e30)]:
        scalars.summary.value.add(tag=tag, simple_value=number)
    yield scalars
    text = event_pb2.Event(wall_time=1700000002.0, step=300)
    value = text.summary.value.add(tag="sample")
    value.tensor.dtype = 7
    value.tensor.tensor_shape.SetInParent()
    value.tensor.string_val.append("**naïve**\n".encode() * 20)
    value.metadata.plugin_data.plugin_name = "text"
    yield text


def show(folder):
    events = event_accumulator.EventAccumulator(folder)
    events.Reload()
    for tag in sorted(events.Tags()["scalars"]):
        print(tag, [(e.step, e.value) for e in events.Scalars(tag)])
    for tag in sorted(events.Tags()["tensors"]):
        print(tag, [(e.step, e.tensor_proto.string_val) for e in events.Tensors(tag)])


if len(sys.argv) > 1:
    show(sys.argv[1])
else:
    root = pathlib.Path(__file__).resolve().parents[2]
    target = root / "tests/golden/data/event_file.txt"
    target.write_text("".join(record(event) + "\n" for event in golden_events()))
