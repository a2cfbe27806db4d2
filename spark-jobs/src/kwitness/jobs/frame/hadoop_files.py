"""Files wherever Spark can reach them: a volume or an object store, through Hadoop's file systems in the JVM."""

from __future__ import annotations

import uuid
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

#: Of file systems where a file is there, whole, once it is closed, and not before: object stores that speak S3.
_WHOLE_WHEN_CLOSED = "fs.capability.outputstream.abortable"


class NotWritableError(OSError):
    """Nothing can be written under a path.

    Attributes
    ----------
    folder
        The path.
    said
        All that the file system said, with the classes of its exceptions.
    """

    def __init__(self, folder: str, what: str, said: str = "") -> None:
        super().__init__(f"cannot write under {folder}: {what}")
        self.folder = folder
        self.said = said


class HadoopFiles:
    """The few file operations the frame needs.

    Parameters
    ----------
    session
        Its Hadoop configuration holds the credentials of object stores.
    """

    def __init__(self, session: SparkSession) -> None:
        context = session.sparkContext
        self._gateway: Any = context._gateway  # noqa: SLF001
        self._jvm: Any = context._jvm  # noqa: SLF001 - PySpark has no public way to Hadoop's file systems
        self._configuration: Any = context._jsc.hadoopConfiguration()  # noqa: SLF001

    def normal(self, path: str) -> str:
        """The path as Hadoop writes it: Delta takes `file:///x` and `file:/x` for two places."""
        return str(self._jvm.org.apache.hadoop.fs.Path(path).toString())

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        system, target = self._open(path)
        return bool(system.exists(target))

    def names(self, path: str) -> list[str]:
        """Names in a folder, sorted, without hidden ones."""
        system, target = self._open(path)
        names = (status.getPath().getName() for status in system.listStatus(target))
        return sorted(name for name in names if not name.startswith("."))

    def read_text(self, path: str) -> str:
        """The text of a small file.

        Raises
        ------
        FileNotFoundError
            There is none.
        """
        system, target = self._open(path)
        if not system.exists(target):
            raise FileNotFoundError(f"{path} is not there")
        stream = system.open(target)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def replace_text(self, path: str, text: str) -> None:
        """Write a small file, whose former content is there until the new one is whole."""
        system, target = self._open(path)
        if system.hasPathCapability(target, _WHOLE_WHEN_CLOSED):
            # Renaming would be to copy and to delete: in between there is no file.
            _write(system, target, text)
            return
        _, beside = self._open(f"{path}.{uuid.uuid4().hex}")
        _write(system, beside, text)
        hadoop: Any = self._jvm.org.apache.hadoop.fs
        overwrite = self._gateway.new_array(hadoop.Options.Rename, 1)
        overwrite[0] = hadoop.Options.Rename.OVERWRITE
        hadoop.FileContext.getFileContext(target.toUri(), self._configuration).rename(beside, target, overwrite)

    def remove(self, folder: str) -> None:
        """Remove a folder with all that is in it."""
        system, target = self._open(folder)
        system.delete(target, True)

    def require_writable(self, folder: str) -> None:
        """Write and remove a small file under a folder, which is made if it is not there.

        Raises
        ------
        NotWritableError
            Names the folder and what the file system said.
        """
        probe = f"{folder}/.kwitness-{uuid.uuid4().hex}"
        try:
            system, target = self._open(probe)
            system.create(target, True).close()
            system.delete(target, False)
        except Py4JJavaError as error:
            cause = error.java_exception
            what = f"{cause.getClass().getSimpleName()}: {str(cause.getMessage()).splitlines()[0]}"
            raise NotWritableError(folder, what, str(error)) from None

    def _open(self, path: str) -> tuple[Any, Any]:
        target = self._jvm.org.apache.hadoop.fs.Path(path)
        return target.getFileSystem(self._configuration), target


def _write(system: Any, target: Any, text: str) -> None:
    stream = system.create(target, True)
    try:
        stream.write(bytearray(text.encode()))
    finally:
        stream.close()
