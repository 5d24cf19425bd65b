"""Accuracy and time of BroadLearningClassifier and of learners of scikit-learn, as a table in Markdown.

All learners run one after the other in one process, on the same rows, with the same number of threads.
Images are divided by the largest pixel value, and columns of tables are standardized by the training rows.
Times of digits and breast cancer are medians, and accuracies means, of five splits into three quarters
and one quarter; MNIST is measured once, on its own test images.

"1000 more" is the time to learn 1000 more rows with partial_fit, or without it by fitting again.

    python3 bench/compare.py [MNIST FOLDER]
"""

import gzip
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blskernel import BroadLearningClassifier, info


class Passes(SGDClassifier):
    """SGDClassifier.partial_fit on blocks of 1000 rows, in random order, ten times."""

    def fit(self, X, y):
        order = np.random.default_rng(0)
        for _ in range(10):
            for block in np.array_split(order.permutation(len(X)), -(-len(X) // 1000)):
                self.partial_fit(X[block], y[block], classes=np.unique(y))
        return self


class Blocks(BroadLearningClassifier):
    """BroadLearningClassifier.partial_fit on a third of the rows, at most 4000, and then on blocks of 1000."""

    def fit(self, X, y):
        first = min(4000, len(X) // 3)
        for at in [0, *range(first, len(X), 1000)]:
            end = at + 1000 if at else first
            self.partial_fit(X[at:end], y[at:end], classes=np.unique(y))
        return self


def learners(images, large):
    """Return, for each name in the table, a function that makes the learner."""
    scaling = "samples" if images else "columns"
    out = {
        "`BroadLearningClassifier`": lambda: BroadLearningClassifier(scaling=scaling, random_state=0),
        "`BroadLearningClassifier`, by `partial_fit`": lambda: Blocks(scaling=scaling, random_state=0),
        "`RidgeClassifier` on `RBFSampler`": lambda: make_pipeline(RBFSampler(gamma="scale", n_components=2000, random_state=0), RidgeClassifier(alpha=0.1)),
        "`SGDClassifier`, by `partial_fit`": lambda: Passes(random_state=0),
        "`MLPClassifier`": lambda: MLPClassifier(max_iter=20 if large else 200, random_state=0),
        "`HistGradientBoostingClassifier`": lambda: HistGradientBoostingClassifier(random_state=0),
    }
    if large:
        out["`BroadLearningClassifier`, 5000 nodes"] = lambda: BroadLearningClassifier(scaling=scaling, enhancement_nodes=5000, random_state=0)
    return out


def seconds(call, *arguments):
    began = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - began


def compare(title, splits, images):
    """Print the rows of the table for one set of data."""
    for name, make in learners(images, len(splits) == 1).items():
        results = []
        for X, test, y, labels in splits:
            model = make()
            took = seconds(model.fit, X, y)
            predicting = seconds(model.predict, test)
            score = model.score(test, labels)
            more = seconds(model.partial_fit, X[-1000:], y[-1000:]) if hasattr(model, "partial_fit") else took
            results.append((100 * score, took, predicting, more))
        score, rest = np.mean(results, axis=0)[0], np.median(results, axis=0)[1:]
        print(f"| {title} | {name} | {score:.2f}% | " + " | ".join(f"{t:.3g} s" for t in rest) + " |", flush=True)


def table(X, y, images):
    """Return five splits, each as training rows, test rows, training labels and test labels."""
    splits = []
    for seed in range(5):
        X1, X2, y1, y2 = train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)
        if not images:
            scaler = StandardScaler().fit(X1)
            X1, X2 = scaler.transform(X1), scaler.transform(X2)
        splits.append((X1, X2, y1, y2))
    return splits


def idx(name, header):
    return np.frombuffer(gzip.open(f"{sys.argv[1]}/{name}.gz").read(), np.uint8, offset=header)


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(info(), "\n\n| data | learner | accuracy | fit | predict | 1000 more |\n|---|---|---|---|---|---|", flush=True)
    X, y = load_digits(return_X_y=True)
    compare("digits", table(X / 16, y, True), True)
    compare("breast cancer", table(*load_breast_cancer(return_X_y=True), False), False)
    if len(sys.argv) > 1:
        X, test = (idx(f"{part}-images-idx3-ubyte", 16).reshape(-1, 784) / 255 for part in ["train", "t10k"])
        y, labels = (idx(f"{part}-labels-idx1-ubyte", 8) for part in ["train", "t10k"])
        compare("MNIST", [(X, test, y, labels)], True)


if __name__ == "__main__":
    main()
