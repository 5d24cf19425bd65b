"""Scores of train without flags, and of StandardScaler, Nystroem(500) and Ridge.

python3 settings.py BLSKERNEL
"""
import json, os, subprocess, sys, tempfile
import numpy as np
from sklearn import datasets
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def product():
    x = np.random.RandomState(7).randn(6000, 4)
    return x, (x[:, 0] * x[:, 1] > 0).astype(int)


TABLES = {
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True),
    "make_classification": lambda: datasets.make_classification(4000, 20, n_classes=4, n_informative=10, random_state=0),
    "friedman1": lambda: datasets.make_friedman1(4000, noise=1.0, random_state=0),
    "sign of a product": product,
}


def ours(command, folder, classes, parts):
    names = []
    for name, x, y in parts:
        names.append(os.path.join(folder, name + ".csv"))
        np.savetxt(names[-1], np.c_[x, y], delimiter=",", fmt="%.17g", comments="",
                   header=",".join(["x%d" % i for i in range(x.shape[1])] + ["target"]))
    model = os.path.join(folder, "m.bls")
    task = "classification" if classes else "regression"
    subprocess.run([command, "train", "--out", model, "--target", "target", "--task", task, names[0]], check=True, capture_output=True)
    said = json.loads(subprocess.run([command, "evaluate", "--json", model, names[1]], check=True, capture_output=True).stdout)
    return said["accuracy"] if classes else said["targets"][0]["r2"]


def main():
    print("| table | rows to learn | columns | train | Nystroem and ridge |\n|---|---|---|---|---|")
    for name, load in TABLES.items():
        x, y = load()
        classes = y.dtype.kind == "i"
        scores = []
        for seed in range(3):
            xa, xb, ya, yb = train_test_split(x, y, test_size=2000 if len(x) == 6000 else 0.25,
                                              random_state=seed, stratify=y if classes else None)
            nystroem = Nystroem(n_components=min(500, len(xa)), random_state=seed)
            theirs = make_pipeline(StandardScaler(), nystroem, RidgeClassifier() if classes else Ridge())
            with tempfile.TemporaryDirectory() as folder:
                mine = ours(sys.argv[1], folder, classes, [("train", xa, ya), ("test", xb, yb)])
            scores.append((mine, theirs.fit(xa, ya).score(xb, yb)))
        print("| %s | %d | %d | %.4f | %.4f |" % (name, len(xa), x.shape[1], *np.mean(scores, axis=0)))


main()
