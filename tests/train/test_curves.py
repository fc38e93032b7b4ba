"""The curves of a run, which a resumed run continues."""

from contextlib import closing
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]

from wizard_env.train.selfplay.curves import CURVES, DECISIONS, Curves, read_curves


def test_a_metric_has_a_column_and_a_curve(tmp_path: Path) -> None:
    """Unless only the CSV file shows it; a metric may be missing from some iterations."""
    with closing(Curves(tmp_path, 0)) as curves:
        curves.add({DECISIONS: 10, "loss": 0.5}, 10, csv_only=[DECISIONS])
        curves.add({DECISIONS: 20, "loss": 0.25, "rating": 3.0}, 20, csv_only=[DECISIONS])
    lines = (tmp_path / CURVES).read_text().splitlines()
    assert lines == [f"loss,rating,{DECISIONS}", "0.5,,10", "0.25,3.0,20"]
    events = EventAccumulator(str(tmp_path)).Reload()
    assert sorted(events.Tags()["scalars"]) == ["loss", "rating"]
    assert [(event.step, event.value) for event in events.Scalars("loss")] == [(10, 0.5), (20, 0.25)]


def test_a_resumed_run_drops_points_beyond_its_checkpoint(tmp_path: Path) -> None:
    """In the CSV file and in TensorBoard, also if it was killed before its first checkpoint."""
    for _ in range(2):
        with closing(Curves(tmp_path, 0)) as curves:
            for decisions in (10, 20, 30):
                curves.add({DECISIONS: decisions}, decisions)
    with closing(Curves(tmp_path, 20)) as curves:
        curves.add({DECISIONS: 25}, 25)
    assert [line[DECISIONS] for line in read_curves(tmp_path / CURVES)] == ["10", "20", "25"]
    events = EventAccumulator(str(tmp_path)).Reload()
    assert [event.step for event in events.Scalars(DECISIONS)] == [10, 20, 25]
