"""Model files, both ways between the package and the command blskernel."""

import copy
import csv
import json
import os
import pickle
import shutil
import subprocess
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from blskernel import BroadLearningClassifier, BroadLearningRegressor, FormatError, IncrementalRidge, NotFittedError, load, save
from blskernel._native import Handle
from blskernel._table import Table
from test_estimators import classifier, regressor, table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(scope="session")
def command(tmp_path_factory):
    """A function that runs the command in a folder and returns what it prints."""
    if not shutil.which("go"):
        pytest.skip("the command blskernel is built by Go, which is not installed")
    program = str(tmp_path_factory.mktemp("command") / "blskernel")
    subprocess.run(["go", "build", "-o", program, "./cmd/blskernel"], cwd=ROOT, check=True)

    def run(folder, *arguments):
        ran = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


def machines(rows, seed):
    """Rows of a table with words and missing cells, as texts, and their states."""
    rng = np.random.default_rng(seed)
    out, states = [], []
    for _ in range(rows):
        site, speed, load_ = rng.choice(["Bonn", "Graz", "Bern"]), rng.uniform(1, 3), rng.uniform()
        states.append("idle" if load_ < 0.2 else "hot" if speed * load_ > 1.5 else "busy")
        out.append([f"{speed:.3f}", str(site), f"{load_ + rng.normal() / 20:.4f}"])
    for i in range(0, rows, 9):
        out[i][2 - i % 3] = ["", "NA", "?"][i // 9 % 3]
    return out, states


def write(path, rows, last, header=("speed", "site", "load", "state")):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *([*row, end] for row, end in zip(rows, last))])


SETTINGS = ["--groups", "3", "--group-nodes", "4", "--enhancement", "50", "--method", "gram"]


@pytest.fixture(scope="module")
def trained(command, tmp_path_factory):
    """A folder with a model that the command trained on words and missing cells, and its files."""
    folder = tmp_path_factory.mktemp("trained")
    for name, rows, seed in [("train", 600, 1), ("more", 200, 2), ("test", 300, 3)]:
        write(folder / f"{name}.csv", *machines(rows, seed))
    command(folder, "train", "-o", "machine.bls", "--target", "state", "--holdout", "0.2", *SETTINGS, "train.csv")
    return folder


def predictions(command, folder, model, data, *flags):
    return list(csv.reader(command(folder, "predict", model, *flags, data).splitlines()))[1:]


def test_model_of_the_command_predicts_the_same(command, trained):
    model = load(trained / "machine.bls")
    rows, states = machines(300, 3)
    want = predictions(command, trained, "machine.bls", "test.csv", "--probabilities")
    assert model.classes_.tolist() == ["busy", "hot", "idle"]
    assert model.feature_names_in_.tolist() == ["speed", "site", "load"] and model.n_features_in_ == 3
    cells = np.array(rows, dtype=object)
    assert model.predict(cells).tolist() == [row[0] for row in want]
    np.testing.assert_array_equal(model.predict_proba(cells), [[float(p) for p in row[1:]] for row in want])
    assert model.score(cells, states) > 0.8
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.predict(rows).tolist() == model.predict(cells).tolist()
    mixed = [[float(a) if a not in ("", "NA", "?") else None, b, np.nan if c in ("", "NA", "?") else float(c)] for a, b, c in rows]
    assert model.predict(np.array(mixed, dtype=object)).tolist() == model.predict(cells).tolist()


def test_data_frames(trained):
    pandas = pytest.importorskip("pandas")
    model = load(trained / "machine.bls")
    frame = pandas.read_csv(trained / "test.csv")
    cells = np.array(machines(300, 3)[0], dtype=object)
    want = model.decision_function(cells)
    for each in (frame, frame[["state", "load", "site", "speed"]], frame.assign(site=frame.site.astype("category")), frame.convert_dtypes()):
        np.testing.assert_array_equal(model.decision_function(each), want)
    with pytest.raises(ValueError, match=r"lacks columns .*\['load'\]"):
        model.predict(frame[["site", "speed"]])


def test_unknown_words_and_bad_cells(trained):
    model = load(trained / "machine.bls")
    with pytest.warns(UserWarning, match=r"'site' has unknown words, .* \(rows affected: 2\)"):
        assert model.predict([["2.0", "Rome", "0.5"], ["2.0", "Oslo", "0.5"], ["2.0", "Graz", "0.5"]]).shape == (3,)
    for row, message in [
        (["fast", "Graz", 1], 'X, row 1: column "speed" is "fast", not a number'),
        (["2020-01-01", "Graz", 1], "row 1: .* a date; turn it into a number or remove the row"),
        ([1.0, "Graz", np.inf], 'X, row 1: column "load" is "inf", infinite'),
        ([1.0, "Graz", "0,5"], r'row 1: column "load" is "0,5", which has a comma: .* with pandas.read_csv\(decimal=","\) or'),
        ([1.0, "Graz\udcff", 1], "surrogates not allowed"),
        ([1.0, "Graz"], "the number of columns of X is 2; want 3, as in training"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.predict(np.array([[1.0, "Graz", 0.5][: len(row)], row], dtype=object))
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(np.empty((0, 3), dtype=object))
    with pytest.raises(ValueError, match="inconsistent"):
        model.partial_fit([[1.0, "Graz", 0.5]], ["hot", "idle"])


@pytest.mark.parametrize("make, comma", [(classifier, False), (regressor, False), (classifier, True)])
def test_a_frame_is_learned_as_the_command_learns_it(command, tmp_path, make, comma):
    """Words, bools, categories, units and missing cells: the same bits as those of the command on the same table."""
    pandas = pytest.importorskip("pandas")
    rng, n = np.random.default_rng(4), 400
    frame = pandas.DataFrame({
        "size": rng.normal(size=n), "site": rng.choice(["Bonn", "Graz", "a \"b\"\tc"], n), "open": rng.uniform(size=n) < 0.5,
        "grade": pandas.Categorical(rng.choice([1, 2, 10], n)), "share": [f"{v:.1f}%" for v in rng.uniform(0, 90, n)],
        "price": [f"${v:,}" for v in rng.integers(1, 5000, n)], "count": pandas.array(rng.integers(0, 50, n), dtype="Int64"),
    })
    for i, name in enumerate(frame.columns):
        if name != "open":
            frame.loc[frame.index % 7 == i, name] = None
    y = np.where(frame.open, "open", "shut") if make is classifier else frame["size"].fillna(0).to_numpy() + frame.open
    table_ = frame.assign(grade=[None if v != v else f"grade {v}" for v in frame.grade], y=y)  # words in the text, too
    words = frame.assign(grade=table_.grade.astype("category"))
    if comma:  # the same numbers as they are written elsewhere
        swap = str.maketrans(".,", ",.")
        for name in ["share", "price"]:
            words[name] = table_[name] = [v if v is None or v != v else v.translate(swap) for v in table_[name]]
        words["size"] = table_["size"] = [v if v is None or v != v else str(v).replace(".", ",") for v in table_["size"]]
    table_.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(UserWarning, match='column "(share|price)" is read '):
        model = make(method="gram").fit(words, y)
    fixed = ["--shrink", "1", "--lambda", "0.01", "--seed", "1", "--groups", "3", "--group-nodes", "4", "--enhancement", "20"]
    command(tmp_path, "train", "-o", "t.bls", "--target", "y", "--method", "gram", *fixed, "t.csv")
    theirs = load(tmp_path / "t.bls")
    scores = [m.decision_function(words) if make is classifier else m.predict(words) for m in (model, theirs)]
    np.testing.assert_array_equal(*scores)
    save(model, tmp_path / "m.bls")
    mine, other = (inspect(command, tmp_path, f"{name}.bls")["metadata"] for name in "mt")
    assert mine["columns"] == other["columns"] and mine["inputs"] == other["inputs"]
    got = [row[-1] if make is regressor else row[0] for row in predictions(command, tmp_path, "m.bls", "t.csv")]
    assert got == [str(v) for v in model.predict(words)] if make is classifier else [float(v) for v in got] == scores[0].tolist()
    # Numbers in place of texts with units, and a category by its number, which is a word.
    if not comma:
        share = [np.nan if v is None or v != v else float(v[:-1]) for v in frame.share]
        np.testing.assert_array_equal(model.predict(words.assign(share=share)), model.predict(words))
    mean, std = model.importance(words, y, random_state=3)
    want = json.loads(command(tmp_path, "importance", "--json", "--seed", "3", "--target", "y", "m.bls", "t.csv"))["columns"]
    names = list(frame.columns)
    assert sorted((c["name"], c["mean"], c["spread"]) for c in want) == sorted(zip(names, mean.tolist(), std.tolist()))
    model.fit(frame, y)
    assert model._table.columns[3]["levels"] == ["", "1", "10", "2"] and model.n_features_in_ == 7
    again = pickle.loads(pickle.dumps(model)).partial_fit(frame[::-1], y[::-1])
    assert again.predict(frame).tolist() == model.partial_fit(frame[::-1], y[::-1]).predict(frame).tolist()


def test_missing_cells_have_inputs_of_their_own_where_they_tell(command, tmp_path):
    """In a column of numbers and in a categorical one, as the command chooses it, and kept."""
    pandas = pytest.importorskip("pandas")
    rng, n = np.random.default_rng(6), 600
    y = np.where(rng.uniform(size=n) < 0.5, "yes", "no")
    for told in (True, False):
        gaps = (rng.uniform(size=(n, 2)) < 0.5) & ((y == "yes") | (not told))[:, None]
        frame = pandas.DataFrame({"a": rng.normal(size=n), "b": pandas.Categorical(rng.choice(["u", "v"], n))})
        frame.loc[gaps[:, 0], "a"], frame.loc[gaps[:, 1], "b"] = np.nan, None
        left_out = np.repeat([0, 1], [4400, 400])  # the weights
        model = classifier(method="gram").fit(pandas.concat([frame[:400]] * 12), np.tile(y[:400], 12), left_out)
        assert (model.score(frame[400:], y[400:]) > 0.8) == told
        frame.assign(y=y)[:400].to_csv(tmp_path / "t.csv", index=False)
        fixed = ["--shrink", "1", "--lambda", "0.01", "--seed", "1", "--groups", "3", "--group-nodes", "4", "--enhancement", "20"]
        command(tmp_path, "train", "-o", "t.bls", "--target", "y", "--method", "gram", *fixed, "t.csv")
        save(model, tmp_path / "m.bls")
        names = ["a", "a=NA", "b=", "b=u", "b=v", "b=NA"] if told else ["a", "b=", "b=u", "b=v"]
        for name in "mt":
            assert inspect(command, tmp_path, f"{name}.bls")["metadata"]["inputs"] == names
        theirs, again = load(tmp_path / "t.bls"), pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(model.decision_function(frame), theirs.decision_function(frame))
        again.partial_fit(frame[400:], y[400:])
        assert (again.score(frame[400:], y[400:]) > 0.8) == told


def test_signs_of_numbers_and_words_for_missing_cells(command, tmp_path):
    """Texts are read by the signs that the command was given; numbers are what they are."""
    texts = [[f"{v:.2f}".replace(".", ",") if v > -1 else "unknown", "Graz" if v > 0 else "Bonn"] for v in np.random.default_rng(5).normal(size=200)]
    write(tmp_path / "t.csv", texts, ["up" if v == "Graz" else "down" for _, v in texts], ("speed", "site", "way"))
    command(tmp_path, "train", "-o", "t.bls", "--target", "way", "--comma", ",", "--decimal", "comma", "--na", "unknown", *SETTINGS, "t.csv")
    model = load(tmp_path / "t.bls")
    scores = [float(row[1]) for row in predictions(command, tmp_path, "t.bls", "t.csv", "--probabilities", "--comma", ",")]
    numbers = [[None if v == "unknown" else float(v.replace(",", ".")), site] for v, site in texts]
    for X in (texts, numbers):
        assert model.predict_proba(X)[:, 0].tolist() == scores


@pytest.mark.parametrize("metadata, cells, want", [
    ({"columns": [{"fill": [0.0]}], "thousands": ".", "missing": "mean"}, {"a": [1.471]}, [[1.471]]),
    ({"columns": [{"levels": ["", "FALSE", "TRUE"]}, {"levels": ["", "1", "2"]}, {"levels": ["", "1.0", "true"]}, {"levels": ["1.0", "2.0"]}]},
     {"a": [True, False], "b": [1.0, 2.0], "c": [True, 1.0], "d": [1, 2]}, [[0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0], [0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1]]),
    ({"columns": [{"fill": [5.0]}, {"fill": [7.0], "notation": {"unit": "€"}}, {"fill": [9.0]}, {"fill": [3.0]}], "missing": "mean", "na": ["x", "-999", "-1 €", "1e20", "16777217"]},
     {"a": [-999.0, 1.0], "b": [1.0, -1.0], "c": np.array([1e20, 1], np.float32), "d": [1 << 24, (1 << 24) + 1]}, [[5, 1, 9, 1 << 24], [1, 7, 1, 3]]),
])
def test_numbers_and_bools_of_pandas(metadata, cells, want):
    pandas = pytest.importorskip("pandas")
    assert Table(metadata, list(cells)).inputs(pandas.DataFrame(cells)).tolist() == want


def test_spaces_around_words_and_names(tmp_path):
    """Cells, categories and names of columns count without the spaces at their ends, but with a byte order mark."""
    pandas = pytest.importorskip("pandas")
    words = np.array([" Private", "State-gov ", "Self"])[np.arange(60) % 3]
    frame = pandas.DataFrame({"\ufeffwork ": pandas.Categorical(words), "age": np.arange(60.0) % 7})
    model = classifier().fit(frame, words)
    assert model._table.columns[0]["levels"] == ["", "Private", "Self", "State-gov"] and model.score(frame, words) == 1
    blank = classifier().fit(frame.assign(**{"\ufeffwork ": pandas.Categorical(["red", " "] * 30)}), words)
    assert blank._table.columns[0]["fill"] == [0, 1]
    floats = classifier().fit(frame.assign(age=pandas.Categorical([1.0, 2.0, np.nan] * 20)), words)
    assert floats._table.columns[1] == {"levels": ["", "1.0", "2.0"], "fill": [0, 0.5, 0.5]}
    for empty in (pandas.Categorical([None] * 60), pandas.Categorical([" "] * 60)):  # a column of missing cells
        assert classifier().fit(frame.assign(age=empty), words)._table.columns[1] == {"fill": [0]}
    save(model, tmp_path / "m.bls")
    assert load(tmp_path / "m.bls").predict(frame).tolist() == words.tolist()


def test_line_ends_in_words_and_names():
    pandas = pytest.importorskip("pandas")
    words = np.array(["p\r\nq", "r"] * 30)
    frame = pandas.DataFrame({"Price\r\n(EUR)": np.arange(60.0) % 7, "b": pandas.Categorical(words)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no word is unknown
        model = classifier().fit(frame, words)
    with pytest.raises(ValueError, match="X, row 5: "):
        model.predict(frame.assign(**{"Price\r\n(EUR)": [*range(5), "oops", *range(54)]}))


def test_words_among_numbers_are_told():
    pandas = pytest.importorskip("pandas")
    ages = ["unknown" if i % 12 == 5 else i % 40 for i in range(240)]
    with pytest.warns(UserWarning, match='column "age" is read as words, since "unknown" is not a number'):
        regressor().fit(pandas.DataFrame({"age": ages, "x": range(240)}), range(240))


def test_frames_that_are_refused():
    pandas = pytest.importorskip("pandas")
    for cells, message in [
        (pandas.date_range("2020", periods=70), r'column "a" has dates, .*X.drop\(columns=\["a"\]\)'),
        ([f"word {i}" for i in range(70)], "words and more than 64 different values"),
        (np.array([10**400, 1.5] * 35, dtype=object), "too large for a float64"),
        (pandas.Categorical(range(70)), r"column 'a' has 70 categories; want at most 64: .*X.drop\(columns=\['a'\]\)"),
        (["1,234", "5,678"] * 35, r'declare them with pandas.read_csv\(decimal=","\) or pandas.read_csv\(thousands=","\)'),
    ]:
        with pytest.raises(ValueError, match=message):
            classifier().fit(pandas.DataFrame({"a": cells, "b": range(70)}), [0, 1] * 35)
    with pytest.raises(ValueError, match="NaN"):  # what has no names of columns is no frame
        classifier().fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        classifier().fit(pandas.DataFrame({"a": ["u"]})[:0], [])


def test_floats_are_no_text():
    """A column of text with decimal commas beside them, and an exponent among them, say nothing of their points. Nor does a word for a missing cell."""
    pandas = pytest.importorskip("pandas")
    kg, tiny = np.array([1.471, 2.123, 3.337, 4.119, 5.551] * 12), np.array([1.471, 2.123, 1e-5] * 20)
    kg[::6] = tiny[::7] = np.nan
    mixed, exact = [v if v == v else " n/a" for v in kg], [Decimal(str(v)) if v == v else None for v in kg]
    frame = pandas.DataFrame({"price": ["3,45", "1,2"] * 30, "kg": kg, "tiny": tiny, "mixed": mixed, "exact": exact})
    model = classifier().fit(frame, [0, 1] * 30)
    np.testing.assert_allclose([column["fill"][0] for column in model._table.columns[1:]], [np.nanmean(v) for v in (kg, tiny, kg, kg)], 1e-6)


def test_wide_frames():
    """With more columns than a file describes if all are numbers, categories are described and numbers of pandas are an array."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(0).integers(0, 9, (20, 17000))).add_prefix("g")
    model = classifier().fit(frame.assign(sex=pandas.Categorical(["m", "f"] * 10)), [0, 1] * 10)
    assert model._table.columns[-1] == {"levels": ["", "f", "m"], "fill": [0, 0.5, 0.5]}
    assert classifier().fit(frame.assign(n=pandas.array(range(20), dtype="Int64")), [0, 1] * 10)._table is None
    gaps = pandas.DataFrame({letter * 300000: [1.0, 2, 3, None] * 20 for letter in "ab"})
    assert classifier().fit(gaps, [0, 0, 0, 1] * 20)._table.indicated is None  # a file has no room for twice the names


def inspect(command, folder, name):
    return json.loads(command(folder, "inspect", "--json", name))


def test_metadata_survives(command, trained):
    rows, states = machines(200, 2)
    model = load(trained / "machine.bls").partial_fit(np.array(rows, dtype=object), states)
    save(model, trained / "later.bls")
    shutil.copy(trained / "machine.bls", trained / "same.bls")
    command(trained, "update", "same.bls", "more.csv")
    before, after, same = (inspect(command, trained, f"{name}.bls") for name in ("machine", "later", "same"))
    was, now = before["metadata"], after["metadata"]
    assert now["created"] == was["created"] and now["changed"] > was["changed"] and "Python" in now["software"]
    assert "learned" in was and "holdout" in was["notes"]
    del was["notes"]["holdout"]  # the score of the model before
    for field in ("learned", "notes", "columns", "inputs", "classes", "targets", "missing", "progress"):
        assert now[field] == was[field]
    assert before["samples"] + 200 == after["samples"] == same["samples"]
    # The weights equal the weights after update to the bit, since both learn the same batch.
    assert command(trained, "predict", "later.bls", "--scores", "test.csv") == command(trained, "predict", "same.bls", "--scores", "test.csv")
    # A model that was only loaded is saved with all of its notes.
    save(load(trained / "machine.bls"), trained / "copy.bls")
    was, now = (inspect(command, trained, f"{name}.bls")["metadata"] for name in ("machine", "copy"))
    assert {key for key in was if was[key] != now.get(key)} == {"changed", "software"}
    command(trained, "update", "later.bls", "more.csv")


@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2], [7, 3, 5], ["a", "b", "c d"], [0.0, 1.0, 2.0]])
def test_model_of_python_in_the_command(command, tmp_path, labels):
    X, y = table()
    y = np.array(labels)[y % len(labels)]
    model = classifier(method="gram").fit(X[:200], y[:200])
    save(model, tmp_path / "model.bls")
    texts = [str(int(label)) if isinstance(label, float) else str(label) for label in y.tolist()]
    write(tmp_path / "test.csv", X.tolist(), texts, header=("a", "b", "c", "d", "label"))
    write(tmp_path / "new.csv", X[200:].tolist(), texts[200:], header=("a", "b", "c", "d", "label"))
    got = predictions(command, tmp_path, "model.bls", "test.csv", "--target", "label", "--scores")
    order = [str(int(c)) if isinstance(c, float) else str(c) for c in model._labels.tolist()]
    scores = model.decision_function(X)
    theirs = np.array([[float(v) for v in row[1:]] for row in got])
    np.testing.assert_array_equal(theirs if len(labels) > 2 else (theirs[:, 1] - theirs[:, 0]) / 2, scores)
    assert [row[0] for row in got] == [order[i] for i in theirs.argmax(axis=1)]
    evaluated = json.loads(command(tmp_path, "evaluate", "--json", "model.bls", "--target", "label", "test.csv"))
    assert evaluated["accuracy"] == model.score(X, y)
    command(tmp_path, "update", "model.bls", "--target", "label", "new.csv")
    updated = load(tmp_path / "model.bls")
    model.partial_fit(X[200:], y[200:])
    assert updated.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    np.testing.assert_array_equal(updated.classes_, model.classes_)
    assert inspect(command, tmp_path, "model.bls")["samples"] == 300


def test_regression_both_ways(command, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, _ = table()
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    Y = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] ** 2])
    model = regressor().fit(frame, Y)
    save(model, tmp_path / "model.bls")
    frame[["d", "b", "a", "c"]].to_csv(tmp_path / "x.csv", index=False)  # found by their names
    got = [[float(v) for v in row] for row in predictions(command, tmp_path, "model.bls", "x.csv")]
    np.testing.assert_array_equal(got, model.predict(frame))
    other = load(tmp_path / "model.bls")
    assert other.feature_names_in_.tolist() == list("abcd")
    assert other.predict(frame).tobytes() == model.predict(frame).tobytes()
    frame.assign(y=Y[:, 0]).to_csv(tmp_path / "t.csv", index=False)
    command(tmp_path, "train", "-o", "t.bls", "--target", "y", "--task", "regression", "--seed", "1", "--missing", "drop", "--na", "-999", *SETTINGS, "t.csv")
    want = [float(row[0]) for row in predictions(command, tmp_path, "t.bls", "t.csv")]
    assert load(tmp_path / "t.bls").predict(frame).tolist() == want
    with pytest.raises(ValueError, match="X, row 0: column \"b\" is empty"):
        load(tmp_path / "t.bls").predict(frame.assign(b=-999.0))


def test_same_seed_is_the_same_model_as_that_of_the_command(command, tmp_path):
    X, y = table(900)
    write(tmp_path / "t.csv", X.tolist(), y.tolist(), header=("a", "b", "c", "d", "label"))
    command(tmp_path, "train", "-o", "t.bls", "--target", "label", "--seed", "5", "t.csv")
    theirs, ours = load(tmp_path / "t.bls"), BroadLearningClassifier(random_state=5).fit(X, y)
    np.testing.assert_allclose(theirs.decision_function(X), ours.decision_function(X), rtol=0, atol=1e-12)
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(X)
    assert theirs.partial_fit(sparse, y).predict(sparse).tolist() == theirs.predict(X).tolist()


def test_labels_that_are_bools_and_bytes(tmp_path):
    X, y = table()
    for labels, want in [([False, True, True], [False, True]), ([b"a", b"b", b"c"], ["a", "b", "c"])]:
        save(classifier().fit(X, np.array(labels)[y]), tmp_path / "model.bls")
        assert load(tmp_path / "model.bls").classes_.tolist() == want


@pytest.mark.parametrize("labels, weights", [
    ([0, 1, 2], {1: 20.0, 7: 3.0, "--3": 1.0}), (["a", "b", "1"], {"b": 20.0, "1": 0.5, "7": 3.0}), ([False, True, True], {1: 20.0}), ([0.0, 3.0, 2.0], {3.0: 20.0}),
])
def test_class_weights_stay(labels, weights, tmp_path):
    X, y = table()
    model = classifier(class_weight=weights, method="gram").fit(X[:50], np.array(labels)[y[:50]])
    save(model, tmp_path / "model.bls")
    loaded = load(tmp_path / "model.bls")
    assert loaded.class_weight == weights
    for each in (model, loaded):
        each.partial_fit(X, np.array(labels)[y].astype(each.classes_.dtype))
    assert loaded.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    save(loaded.set_params(class_weight=None), tmp_path / "model.bls")
    assert load(tmp_path / "model.bls").class_weight is None
    notes = [load(tmp_path / "model.bls")]
    for given in [None, np.ones(300), y + 1.0]:
        save(classifier().fit(X, y, given), tmp_path / "model.bls")
        notes.append(load(tmp_path / "model.bls"))
    assert [m._fitted().json("attributes")["metadata"].get("notes", {}).get("weight") for m in notes] == ["sample_weight", None, None, "sample_weight"]


@pytest.mark.parametrize("note", ["balanced", "[1]", "3", '{"1": "2"}', '{"1": true}'])
def test_other_notes_on_class_weights_stay(note, tmp_path):
    model = classifier().fit(*table())
    (tmp_path / "model.bls").write_bytes(model._fitted().fetch("encode", {"Metadata": {"notes": {"class_weight": note}}}))
    save(load(tmp_path / "model.bls"), tmp_path / "model.bls")
    again = load(tmp_path / "model.bls")
    assert again.class_weight is None and again._fitted().json("attributes")["metadata"]["notes"]["class_weight"] == note


@pytest.mark.parametrize("columns", [1, 2])
def test_a_matrix_of_targets_stays_one(columns, tmp_path):
    X, _ = table()
    model = regressor().fit(X, X[:, :columns])
    save(model, tmp_path / "model.bls")
    assert load(tmp_path / "model.bls").predict(X).shape == model.predict(X).shape == (300, columns)


def test_classes_of_the_first_call_stay(tmp_path):
    X, y = table()
    save(classifier().partial_fit(X[:50], y[:50], classes=[0, 1, 2, 9]), tmp_path / "model.bls")
    model = load(tmp_path / "model.bls")
    assert model.classes_.tolist() == [0, 1, 2, 9]
    with pytest.raises(ValueError, match="not among the classes"):
        model.partial_fit(X[:1], [10])
    model.fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]


def test_fit_replaces_a_loaded_model_and_its_table(trained):
    X, y = table()
    model = load(trained / "machine.bls").fit(X, y)
    assert model.n_features_in_ == 4 and not hasattr(model, "feature_names_in_")
    save(model, trained / "replaced.bls")
    assert load(trained / "replaced.bls").predict(X).tolist() == model.predict(X).tolist()


def test_source_date_epoch(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    model = regressor().fit(table()[0], table()[1])
    save(model, tmp_path / "a.bls")
    save(model, tmp_path / "b.bls")
    assert (tmp_path / "a.bls").read_bytes() == (tmp_path / "b.bls").read_bytes()
    assert b'"created":"1970-01-02T00:00:00Z"' in (tmp_path / "a.bls").read_bytes()


def test_bad_files(tmp_path):
    X, y = table()
    save(classifier().fit(X, y), tmp_path / "model.bls")
    data = (tmp_path / "model.bls").read_bytes()
    for bad in [b"", b"blsmodel", data[:20], data[: len(data) // 2], data[:-1], data[:100] + bytes([data[100] ^ 1]) + data[101:], b"x" * 1000]:
        (tmp_path / "bad.bls").write_bytes(bad)
        with pytest.raises(FormatError):
            load(tmp_path / "bad.bls")
    IncrementalRidge().add(np.eye(2), np.ones((2, 1))).save(tmp_path / "ridge.bls")
    with pytest.raises(FormatError, match="IncrementalRidge.load"):
        load(tmp_path / "ridge.bls")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.bls")
    with pytest.raises(NotFittedError):
        save(BroadLearningRegressor(), tmp_path / "none.bls")
    with pytest.raises(FileNotFoundError):
        save(classifier().fit(X, y), tmp_path / "no folder" / "model.bls")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.bls", "model.bls", "ridge.bls"]


def test_metadata_after_a_late_interrupt(command, trained, monkeypatch):
    """A Ctrl-C behind the end of a call leaves the change, and with it the metadata of a changed model."""
    model = load(trained / "machine.bls")
    rows, states = machines(200, 2)
    call = Handle.call

    def late(*args, **params):
        call(*args, **params)
        raise KeyboardInterrupt

    monkeypatch.setattr(Handle, "call", late)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(np.array(rows, dtype=object), states)
    monkeypatch.undo()
    for file, changed in [("late.bls", model), ("pickled.bls", pickle.loads(pickle.dumps(model)))]:
        save(changed, trained / file)
        about = inspect(command, trained, file)
        assert about["samples"] == inspect(command, trained, "machine.bls")["samples"] + 200
        assert "holdout" not in about["metadata"]["notes"]


@pytest.mark.parametrize("other", [None, IncrementalRidge(), "model"])
def test_save_of_something_else(other, tmp_path):
    with pytest.raises(TypeError, match="save takes a BroadLearningClassifier or a BroadLearningRegressor"):
        save(other, tmp_path / "m.bls")


def writers():
    """What writes a file, and what reads it."""
    model = regressor().fit(*table())
    ridge = IncrementalRidge().add(np.eye(2), np.ones((2, 1)))
    return [(lambda path: save(model, path), load), (ridge.save, IncrementalRidge.load)]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o444])
def test_a_file_keeps_its_mode(mode, tmp_path, monkeypatch):
    """From the creation of the temporary file on it has no more rights than the old file."""
    modes, create = [], os.open

    def recorded(path, flags, *more):
        file = create(path, flags, *more)
        if flags & os.O_CREAT:
            modes.append(os.fstat(file).st_mode & 0o777)
        return file

    monkeypatch.setattr(os, "open", recorded)
    for write_, read in writers():
        path = tmp_path / "model"
        path.write_bytes(b"old")
        path.chmod(mode)
        write_(path)
        assert path.stat().st_mode & 0o777 == mode and not modes.pop() & ~mode
        read(path)
        path.unlink()


def test_a_new_file_has_the_mode_that_umask_says(tmp_path):
    before = os.umask(0o027)
    try:
        for write_, _ in writers():
            write_(tmp_path / "model")
            assert (tmp_path / "model").stat().st_mode & 0o777 == 0o640
            (tmp_path / "model").unlink()
    finally:
        os.umask(before)


def test_a_symbolic_link_stays(tmp_path):
    (tmp_path / "folder").mkdir()
    for name in ["there", "not there yet"]:
        for write_, read in writers():
            target, link = tmp_path / "folder" / name, tmp_path / "link"
            if name == "there":
                target.write_bytes(b"old")
            link.symlink_to(os.path.join("folder", name))
            write_(link)
            assert link.is_symlink() and target.is_file() and not target.is_symlink()
            read(link)
            link.unlink()
            target.unlink()


@pytest.mark.parametrize("path, error", [
    ("", ValueError), (b"", ValueError), ("model/", ValueError), (".", IsADirectoryError), ("pipe", OSError), ("loop", OSError),
    (7, TypeError), (True, TypeError), (None, TypeError), (1.5, TypeError),
])
def test_names_that_save_refuses(path, error, tmp_path, monkeypatch):
    """Nothing is written, and a descriptor stays open."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    os.symlink("loop", "loop")
    for write_, _ in writers():
        with pytest.raises(error):
            write_(path)
    assert sorted(os.listdir()) == ["loop", "pipe"]


def test_descriptors_are_no_names(tmp_path):
    """Neither reading nor writing takes or closes one."""
    path = tmp_path / "file"
    path.write_bytes(b"data")
    with open(path, "r+b") as file:
        for write_, read in writers():
            for call in [write_, read]:
                for number in [file.fileno(), True]:
                    with pytest.raises(TypeError):
                        call(number)
        assert os.fstat(file.fileno()).st_size == 4
    assert path.read_bytes() == b"data"


def test_more_classes_than_4096(tmp_path):
    """The labels say how many classes there are. A model of fit stays open to more, also as a file, and one with classes closed."""
    X, y = np.random.default_rng(0).normal(size=(5000, 2)), np.arange(5000) * 3
    few = {"feature_groups": 1, "feature_nodes": 2, "enhancement_nodes": 0, "lambda_": 0.1, "method": "gram", "random_state": 0}
    model = BroadLearningClassifier(**few).fit(X, y)
    closed = BroadLearningClassifier(**few).partial_fit(X, y, classes=y)
    assert model.classes_.tolist() == y.tolist()
    assert model.predict(X[:9]).tolist() == closed.predict(X[:9]).tolist()
    assert BroadLearningClassifier(**few).partial_fit(X, y).predict(X[:9]).tolist() == model.predict(X[:9]).tolist()
    save(model, tmp_path / "open.bls")
    save(closed, tmp_path / "closed.bls")
    assert load(tmp_path / "open.bls").partial_fit(X[:1], [-1]).classes_.tolist() == [-1, *y]
    with pytest.raises(ValueError, match="not among the classes"):
        load(tmp_path / "closed.bls").partial_fit(X[:1], [-1])


@pytest.mark.parametrize("labels", [["a\udcff", "b"], [b"\xff", b"a"]], ids=["surrogate", "latin-1"])
def test_labels_that_are_no_unicode(tmp_path, labels):
    """A file has UTF-8. Another character in place of what that cannot hold would be another label."""
    X, y = table(classes=2)
    model = classifier().fit(X, np.array(labels)[y])
    with pytest.raises(ValueError, match="^the label .* is not valid Unicode"):
        save(model, tmp_path / "model.bls")
    assert not (tmp_path / "model.bls").exists()
    model.fit(X, y)
    model.feature_names_in_ = np.array(["a", "b", "c", "\udcff"], dtype=object)
    with pytest.raises(ValueError, match="^the column .* is not valid Unicode"):
        save(model, tmp_path / "model.bls")


def test_labels_that_end_in_a_nul(tmp_path):
    X, y = table(classes=2)
    model = classifier().fit(X, np.array(["a", "a\0"], dtype=object)[y])
    save(model, tmp_path / "model.bls")
    assert load(tmp_path / "model.bls").classes_.tolist() == ["a", "a\0"]


def test_float64_of_pandas_and_rows_of_weight_0():
    pandas = pytest.importorskip("pandas")
    a = pandas.Series([1.471, None, 3.259, 2.113] * 20, dtype="Float64")
    X, y = pandas.DataFrame({"a": a, "p": ["1,25", "2,5"] * 40}), np.arange(80.0)
    one = BroadLearningRegressor(random_state=0).fit(X, y)
    assert one._table.columns[0]["fill"][0] < 10
    bad = pandas.concat([X, pandas.DataFrame({"a": pandas.Series([1e9], dtype="Float64"), "p": ["zzz"]})], ignore_index=True)
    two = BroadLearningRegressor(random_state=0).fit(bad, np.append(y, 0), np.append(np.ones(80), 0))
    assert one._table.metadata == two._table.metadata and two.score(X, y) == pytest.approx(one.score(X, y))
    with pytest.raises(ValueError, match="sample_weight.shape"):
        one.fit(X, y, np.ones(79))
    three = classifier(class_weight={"z": 0}).fit(bad, ["a", "b"] * 40 + ["z"])
    assert three._table.metadata == one._table.metadata and three.classes_.tolist() == ["a", "b", "z"]
    assert two.partial_fit(bad, np.append(y, 0), np.append(np.ones(80), 0)).choice_ and three.partial_fit(bad, ["a", "b"] * 40 + ["z"]).choice_
    for cells in [Decimal("1.50"), "free", Decimal("2.00")], [Fraction(1, 3), Fraction(2, 3)]:
        words = pandas.DataFrame({"a": cells * 20})
        assert len(np.unique(Table.of(words).inputs(words), axis=0)) == len(cells)
    whole = pandas.DataFrame({"a": [1.0, 2.0]}).convert_dtypes()
    assert Table.of(whole) is None and Table.of((whole - 1) / (whole - 1)).columns == [{"fill": [1]}]
    gap = pandas.DataFrame({"a": [1.0, 2.0] * 40 + [None]})
    assert classifier().fit(gap, [0, 1] * 40 + [0], np.append(np.ones(80), 0))._table is None
    with pytest.raises(ValueError, match="NaN"):
        classifier().fit(gap, [0, 1] * 40 + [0], pandas.Series([0.0, None, 1.0] * 27, dtype="Float64"))


def test_sparse_rows_stay_out_of_the_parameters(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    m = BroadLearningRegressor(random_state=0).fit(sparse.csr_matrix(np.eye(40)), np.arange(40.0))
    save(m, tmp_path / "m.bls")
    assert load(tmp_path / "m.bls").get_params() == m.get_params()
