"""What Alembic runs to bring a store up to date, on the connection that it is handed."""

from alembic import context

from tamis.store.database import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    transactional_ddl=False,  # the transaction is that of whoever opened the store
)
context.run_migrations()
