"""A PostgreSQL server that is killed and started again. It waits for the disk as a server in use does."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
from psycopg import conninfo, sql

from twofold.store.embedded import release_embedded, start_embedded

PATIENCE = 180.0


class Server:
    """A server with a data folder of its own."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._home = Path(tempfile.mkdtemp(prefix="twofold-soak-"))
        self._folder = self._home / "data"
        self._url = ""

    async def start(self) -> None:
        """Start it, the first time or after a kill."""
        self._url = await asyncio.to_thread(start_embedded, self._folder, within=PATIENCE)
        with psycopg.connect(self._url) as connection:
            (fsync,) = connection.execute("SHOW fsync").fetchone() or ("",)
        if fsync != "on":
            raise AssertionError("this server would not keep its promises")

    async def kill(self) -> None:
        """End all its processes at once, and wait until they are gone."""
        processes: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess, FileNotFoundError):
            postmaster = psutil.Process(int((self._folder / "postmaster.pid").read_text().split()[0]))
            processes = [postmaster, *postmaster.children(recursive=True)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        await asyncio.to_thread(psutil.wait_procs, processes, 30)

    async def stop(self) -> None:
        """End it, which a kill does soonest, and remove its folder."""
        await self.kill()
        await asyncio.to_thread(release_embedded, self._folder)
        await asyncio.to_thread(shutil.rmtree, self._home, ignore_errors=True)

    def create(self, name: str) -> str:
        """Make an empty database and return its URL."""
        with psycopg.connect(self._url, autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        host = conninfo.conninfo_to_dict(self._url)["host"]
        return f"postgresql:///{name}?host={quote(str(host), safe='')}&user=postgres"
