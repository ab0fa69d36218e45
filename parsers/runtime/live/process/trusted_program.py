"""Programs that are safe to start: only root and the user who starts them can change them."""

from __future__ import annotations

import grp
import os
import pwd
import stat
import sys

ACCESS_LIST = "system.posix_acl_access"
"""Extended attribute with the access control list of a file. Source: acl(5)."""


def find_intruder(path: str) -> str:
    """Sentence naming others than root and this user who can change a file or a folder above it; empty: there are none.

    path  absolute and without symbolic links, else a link may lead elsewhere when the file is started
    """
    is_above = False
    at = path
    while True:
        try:
            who = _writer(at, is_above)
        except OSError as error:
            return f"{at}: {(error.strerror or str(error)).lower()}"
        if who:
            return f"{at} can be changed by {who}"
        above = os.path.dirname(at)
        if above == at:
            return ""
        # In a sticky folder others can't replace the entries; but a program may load files from its own folder by
        # itself.
        is_above = at != path
        at = above


def user_name(number: int) -> str:
    """The name of a user, or its number."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _writer(path: str, is_sticky_safe: bool) -> str:
    """Others who can write a file or folder; empty: only root and this user."""
    status = os.lstat(path)
    mode = status.st_mode
    if status.st_uid not in (0, os.geteuid()):
        return user_name(status.st_uid)
    if stat.S_ISDIR(mode) and mode & stat.S_ISVTX and is_sticky_safe:
        return ""
    if mode & stat.S_IWOTH:
        return "everybody"
    if mode & stat.S_IWGRP and not _is_own_group(path, status.st_gid):
        return "its group"
    return ""


def _is_own_group(path: str, number: int) -> bool:
    """True if only root or this user is in a group, and no access control list names others.

    Many systems give each user a group of the same name, which may write new files.
    """
    if sys.platform == "linux":
        try:
            os.getxattr(path, ACCESS_LIST)
            return False
        except OSError:
            pass
    if number == 0:
        return True
    try:
        group = grp.getgrgid(number)
    except KeyError:
        return False
    name = user_name(os.geteuid())
    return group.gr_name == name and set(group.gr_mem) <= {name, "root"}
