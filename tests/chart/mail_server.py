"""A mail server that keeps what it gets, for tests of notifications; the least of RFC 5321 that a client needs."""

from __future__ import annotations

import email
import email.policy
import socketserver
import threading
from types import TracebackType
from typing import NamedTuple, Self, cast


class Mail(NamedTuple):
    """A mail that came."""

    to: str
    subject: str
    text: str


class _Session(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self._answer("220 localhost")
        to = ""
        for line in self.rfile:
            command = line.decode().strip()
            verb = command.partition(" ")[0].upper()
            if verb == "RCPT":
                to = command.partition("<")[2].partition(">")[0]
            if verb == "DATA":
                self._answer("354 go ahead")
                self._keep(to)
            if verb == "QUIT":
                self._answer("221 bye")
                return
            self._answer("250 ok")

    def _keep(self, to: str) -> None:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        message = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        body = message.get_body(("plain",))
        mail = Mail(to, message["Subject"], body.get_content() if body is not None else "")
        cast("_Server", self.server).mails.append(mail)

    def _answer(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.mails: list[Mail] = []
        super().__init__(("127.0.0.1", 0), _Session)


class MailServer:
    """Answers on loopback. Use it as a context manager."""

    def __init__(self) -> None:
        self._server = _Server()
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def mails(self) -> list[Mail]:
        """Mails so far, in order."""
        return self._server.mails

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
