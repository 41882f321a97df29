# `make demo` shows the main job. `make quick` checks while you work, `make test` before you push.
.PHONY: demo quick test-quick test test-slow check docs wheel test-wheel format bench quality clean

COMPILED := $(shell find src/tamis -name '_*.pyx' -o -name '_*.px[di]')
READY := .venv/.ready
READY_ALL := .venv/.ready-all
BIN := .venv/bin
PYTEST := $(BIN)/pytest -q -n 2

demo: $(READY)
	@$(BIN)/python tools/demo.py

# The check, and beside it the tests that need no process, browser or server and no large input.
quick: $(READY_ALL)
	@$(MAKE) --no-print-directory -j 2 -O check test-quick

test-quick: $(READY_ALL)
	$(PYTEST) --quick

# Everything but the slow tests.
test: $(READY_ALL) check
	$(PYTEST) -m "not slow"

test-slow: $(READY_ALL)
	@tools/fetch_trafilatura_tests
	@tools/fetch_html5lib_tests
	$(PYTEST) -m slow

check: $(READY_ALL)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/cython-lint $$(find src/tamis -name '_*.pyx' -o -name '_*.pxd')
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY_ALL)
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

# A wheel with compiled modules; those that `make` compiled already are taken as they are.
wheel: $(READY)
	rm -rf dist build/lib* build/bdist*
	$(BIN)/python -m build -q --wheel --no-isolation
	@ls dist/*.whl

test-wheel: wheel
	@tools/check_wheel

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY_ALL)
	$(BIN)/tamis evaluate speed
	$(BIN)/tamis evaluate serve

quality: $(READY_ALL)
	$(BIN)/tamis evaluate wcxb-dev

# What is made anew when what it depends on changes, and taken as it is otherwise.
$(READY): pyproject.toml setup.py tools/setup $(COMPILED)
	@tools/setup
	@touch $@

$(READY_ALL): $(READY)
	@tools/setup dev,docs,evaluate,train,warc,entropy,store,postgres,render,crawl,serve,spark,ray,datatrove,langchain,llama-index,haystack,pandas
	@touch $@

clean:
	rm -rf .venv build dist *.egg-info src/*.egg-info
	find src -name '*.so' -delete -o -name '*.c' -delete
