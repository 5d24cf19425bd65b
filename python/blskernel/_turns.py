"""Locks for estimators, stored outside them, since estimators are copied and pickled."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any


class Turns:
    """A lock for each estimator.

    Locks are found by identity: a subclass may define __eq__ and so lose __hash__.

    Examples
    --------
    >>> class Estimator: pass
    >>> one = Estimator()
    >>> turns.of(one) is turns.of(one)
    True
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.locks: dict[int, tuple[Any, Any]] = {}

    def of(self, estimator: Any) -> Any:
        """Return the lock of an estimator, which every method that changes the estimator holds."""
        key = id(estimator)
        with self.lock:
            if key not in self.locks:
                end = weakref.ref(estimator, lambda _: self.locks.pop(key, None))
                self.locks[key] = threading.RLock(), end
            return self.locks[key][0]


turns = Turns()
os.register_at_fork(after_in_child=turns.__init__)  # no thread of the child would release old locks
