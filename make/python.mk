# The Python package (python/README.md): its library, tests, wheels and source archive. It needs
# Python 3.9 or newer, Go and a C compiler; the tests need NumPy, pandas and pytest.
# python/build_backend.py reports what is missing.

PYTHON       ?= /usr/bin/python3
PYTHON_BUILD  = $(PYTHON) python/build_backend.py
PYTHON_DIST  ?= $(DIST)/python

.PHONY: python-library python wheel wheels check-wheel check-wheel-here

python-library:
	$(PYTHON_BUILD) library

# Runs the tests and the doctests. PYTHONFLAGS is passed to pytest.
python: python-library
	@$(PYTHON) -c 'import numpy, pandas, pytest' || { echo "the tests of the Python package need NumPy, pandas and pytest: install python3-numpy python3-pandas python3-pytest, or set PYTHON to another interpreter" >&2; exit 1; }
	cd python && PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pytest -q -p no:cacheprovider --doctest-modules --doctest-glob='*.md' blskernel tests README.md $(PYTHONFLAGS)

# Builds the wheel for this machine.
wheel:
	$(PYTHON_BUILD) wheel --out '$(PYTHON_DIST)'

# Builds the wheels for Linux on x86_64 and aarch64, and the source archive. This also needs a cross
# compiler. In Debian and Ubuntu that is gcc-aarch64-linux-gnu and libc6-dev-arm64-cross on amd64, and
# gcc-x86-64-linux-gnu and libc6-dev-amd64-cross on arm64.
wheels:
	$(PYTHON_BUILD) wheel --arch all --out '$(PYTHON_DIST)'
	$(PYTHON_BUILD) sdist --out '$(PYTHON_DIST)'

# Builds everything twice, the second time in a copy with an empty cache, and compares the results.
# Installs and uses the wheel and the source archive, each in a fresh environment.
check-wheel:
	@python/check_wheel.sh '$(PYTHON)'

# The same for this machine alone, and with the build cache.
check-wheel-here:
	@python/check_wheel.sh '$(PYTHON)' here
