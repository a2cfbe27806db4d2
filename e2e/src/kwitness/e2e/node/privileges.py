"""Which privileges the node's container gets: all of them at once where the engine allows it, else one by one."""

from __future__ import annotations

import functools
import secrets
from pathlib import Path
from typing import Any

from kwitness.images.commands import CommandFailedError
from kwitness.images.container_engine import docker

#: Linux's capabilities by bit, as in include/uapi/linux/capability.h.
_CAPABILITIES = (
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "FSETID",
    "KILL",
    "SETGID",
    "SETUID",
    "SETPCAP",
    "LINUX_IMMUTABLE",
    "NET_BIND_SERVICE",
    "NET_BROADCAST",
    "NET_ADMIN",
    "NET_RAW",
    "IPC_LOCK",
    "IPC_OWNER",
    "SYS_MODULE",
    "SYS_RAWIO",
    "SYS_CHROOT",
    "SYS_PTRACE",
    "SYS_PACCT",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_NICE",
    "SYS_RESOURCE",
    "SYS_TIME",
    "SYS_TTY_CONFIG",
    "MKNOD",
    "LEASE",
    "AUDIT_WRITE",
    "AUDIT_CONTROL",
    "SETFCAP",
    "MAC_OVERRIDE",
    "MAC_ADMIN",
    "SYSLOG",
    "WAKE_ALARM",
    "BLOCK_SUSPEND",
    "AUDIT_READ",
    "PERFMON",
    "BPF",
    "CHECKPOINT_RESTORE",
)
#: Nothing on the node needs these, and Docker 20.10 does not know the last three.
_NOT_ASKED = frozenset({"SYS_RESOURCE", "PERFMON", "BPF", "CHECKPOINT_RESTORE"})


@functools.cache
def node_privileges(image: str) -> dict[str, Any]:
    """Arguments for the engine's create call: `privileged`, or as near to it as this machine allows.

    A machine whose own bounding set lacks a capability refuses `--privileged` altogether.
    """
    probe = f"kwitness-probe-{secrets.token_hex(4)}"
    try:
        docker("run", "--name", probe, "--privileged", "--network", "none", "--entrypoint", "/bin/true", image)
    except CommandFailedError:
        return {
            "cap_add": bounding_capabilities(Path("/proc/self/status").read_text()),
            "security_opt": ["seccomp=unconfined", "apparmor=unconfined"],
            "device_cgroup_rules": ["a *:* rwm"],
        }
    finally:
        # `--rm` would leave the volumes of a container that could not be started.
        docker("rm", "--force", "--volumes", probe)
    return {"privileged": True}


def bounding_capabilities(status: str) -> list[str]:
    """The capabilities of a process's bounding set that the node asks for, from the text of `/proc/<pid>/status`.

    Raises
    ------
    ValueError
        The text has no `CapBnd` line.
    """
    for line in status.splitlines():
        name, _, value = line.partition(":")
        if name == "CapBnd":
            mask = int(value, 16)
            held = (capability for bit, capability in enumerate(_CAPABILITIES) if mask >> bit & 1)
            return [capability for capability in held if capability not in _NOT_ASKED]
    raise ValueError("no CapBnd line in the process status: is /proc mounted?")
