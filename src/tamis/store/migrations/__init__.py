"""How a store of an earlier tamis becomes one of this tamis: one Alembic script a step."""
