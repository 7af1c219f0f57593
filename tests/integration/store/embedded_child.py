"""A process that uses the embedded server: `python embedded_child.py FOLDER`; says the URL, ends at end of input."""

import atexit
import sys
from pathlib import Path

import psycopg

from twofold.store.embedded import start_embedded


def main(folder: str) -> None:
    url = start_embedded(Path(folder))
    connection = psycopg.connect(url, autocommit=True)
    connection.execute("CREATE TEMPORARY TABLE noted (at timestamptz)")

    def close() -> None:
        connection.execute("INSERT INTO noted VALUES (now())")  # the server still runs when we close
        connection.close()
        sys.stdout.write("closed\n")

    atexit.register(close)
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
