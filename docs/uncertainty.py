"""Coverage of predict --interval 0.9 and --set 0.9 on 20 tables, before and after an update.

python3 uncertainty.py BLSKERNEL [NAME...]

Each table has n rows to learn, n rows for the update, and the rest to test, at least 500.
"""
import json, os, subprocess, sys, tempfile
import numpy as np
from sklearn import datasets as D


def drawn(seed, rows, columns, f):
    r = np.random.default_rng(seed)
    x = r.normal(size=(rows, columns))
    return x, f(r, x)


def heavy(r, x):
    return np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.3 * r.standard_t(3, len(x))


def uneven(r, x):
    return x[:, 0] * x[:, 1] + (0.2 + np.abs(x[:, 2])) * r.normal(size=len(x))


def skewed(r, x):
    return x[:, 0] + np.exp(x[:, 1]) + r.exponential(size=len(x))


def counts(r, x):
    return r.poisson(np.exp(0.5 * x[:, 0] + 0.3 * x[:, 1])).astype(float)


def noisy(r, x):
    return (x[:, 0] * x[:, 1] + 0.5 * x[:, 2] + 0.7 * r.normal(size=len(x)) > 0).astype(int)


def rules(r, x):
    return ((x[:, 0] > 0.3) & (x[:, 1] < 0.5) | (x[:, 2] > 1)).astype(int) ^ (r.random(len(x)) < 0.1)


def coin(r, x):
    return (r.random(len(x)) < 0.5 + 0.2 * np.tanh(x[:, 0])).astype(int)


TABLES = {  # rows to learn, table
    "friedman1": (1000, lambda: D.make_friedman1(4000, noise=1, random_state=1)),
    "friedman1, 50 columns": (1000, lambda: D.make_friedman1(4000, 50, noise=1, random_state=2)),
    "friedman2": (1000, lambda: D.make_friedman2(4000, noise=50, random_state=3)),
    "friedman3": (500, lambda: D.make_friedman3(3000, noise=0.1, random_state=4)),
    "linear, 100 columns": (300, lambda: D.make_regression(2600, 100, n_informative=20, noise=50, random_state=5)),
    "150 rows, 300 columns": (150, lambda: D.make_regression(2300, 300, n_informative=20, noise=5, random_state=6)),
    "heavy tails": (1000, lambda: drawn(7, 4000, 6, heavy)),
    "uneven noise": (1000, lambda: drawn(8, 4000, 5, uneven)),
    "skewed noise": (500, lambda: drawn(9, 3000, 5, skewed)),
    "counts": (1000, lambda: drawn(10, 4000, 5, counts)),
    "swiss roll": (600, lambda: (lambda x, t: (x, t))(*D.make_swiss_roll(3000, noise=1, random_state=11))),
    "5000 rows": (5000, lambda: D.make_friedman1(14000, 10, noise=2, random_state=12)),
    "digits": (600, lambda: D.load_digits(return_X_y=True)),
    "moons": (600, lambda: D.make_moons(3000, noise=0.35, random_state=13)),
    "4 classes": (1000, lambda: D.make_classification(4000, 20, n_informative=8, n_classes=4, flip_y=0.05, random_state=14)),
    "200 columns, 5 matter": (700, lambda: D.make_classification(3000, 200, n_informative=5, n_redundant=0, random_state=15)),
    "quantiles": (800, lambda: D.make_gaussian_quantiles(n_samples=4000, n_features=6, n_classes=3, random_state=16)),
    "noisy xor": (1000, lambda: drawn(17, 4000, 5, noisy)),
    "rules": (1000, lambda: drawn(18, 4000, 6, rules)),
    "hardly more than chance": (400, lambda: drawn(19, 3000, 5, coin)),
}


def run(*args):
    p = subprocess.run(args, capture_output=True, text=True)
    if p.returncode:
        raise SystemExit(" ".join(args) + "\n" + p.stderr)
    return p.stdout


def coverage(command, model, test, y, classes):
    lines = run(command, "predict", "--json", "--set" if classes else "--interval", "0.9", model, test).splitlines()
    held = 0
    for line, known in zip(lines, y):
        said = json.loads(line)
        if classes:
            held += str(known) in said["set"]
        else:
            low, high = said["intervals"]["target"]
            held += low <= known <= high
    return held / len(y)


def main():
    command, names = sys.argv[1], sys.argv[2:] or list(TABLES)
    print("| table | rows | test rows | kind | before | after |\n|---|---|---|---|---|---|", flush=True)
    found = []
    for name in names:
        n, load = TABLES[name]
        x, y = load()
        classes = y.dtype.kind in "iu"
        order = np.random.RandomState(0).permutation(len(x))
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for part, rows in (("train", order[:n]), ("more", order[n:2 * n]), ("test", order[2 * n:])):
                paths.append(os.path.join(folder, part + ".csv"))
                with open(paths[-1], "w") as f:
                    print(*["x%d" % i for i in range(x.shape[1])], "target", sep=",", file=f)
                    for i in rows:
                        print(*["%.17g" % v for v in x[i]], y[i] if classes else "%.17g" % y[i], sep=",", file=f)
            model = os.path.join(folder, "m.bls")
            run(command, "train", "--quiet", "--out", model, "--target", "target", "--task", "classification" if classes else "regression", paths[0])
            of = [coverage(command, model, paths[2], y[order[2 * n:]], classes)]
            run(command, "update", "--quiet", model, paths[1])
            of.append(coverage(command, model, paths[2], y[order[2 * n:]], classes))
        found.append(of)
        print("| %s | %d | %d | %s | %.3f | %.3f |" % (name, n, len(x) - 2 * n, "set" if classes else "interval", *of), flush=True)
    found = np.array(found)
    print("mean |coverage - 0.9|: %.4f before, %.4f after; smallest %.3f, %.3f" %
          (*np.abs(found - 0.9).mean(axis=0), *found.min(axis=0)))


main()
