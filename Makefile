# The two commands: `make demo` shows the main job, `make test` checks everything.
.PHONY: demo test check docs format bench quality clean

KERNEL := $(wildcard src/tamis/*/kernel/*.py src/tamis/*/kernel/*.pxd)
READY := .venv/.ready
READY_ALL := .venv/.ready-all
BIN := .venv/bin

demo: $(READY)
	@$(BIN)/python tools/demo.py

test: $(READY_ALL) check
	$(BIN)/pytest -q -n 2

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY_ALL)
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY_ALL)
	$(BIN)/tamis evaluate speed

quality: $(READY_ALL)
	$(BIN)/tamis evaluate wcxb-dev

# What is made anew when what it depends on changes, and taken as it is otherwise.
$(READY): pyproject.toml setup.py tools/setup $(KERNEL)
	@tools/setup
	@touch $@

$(READY_ALL): $(READY)
	@tools/setup dev,docs,evaluate,train,warc,entropy,store,postgres,render
	@touch $@

clean:
	rm -rf .venv build dist *.egg-info src/*.egg-info
	find src -name '*.so' -delete -o -name '*.c' -delete
