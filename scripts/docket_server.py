"""Starts a Docket server for a script: the debug binary with a private port and an empty data folder."""

import contextlib
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import time
import urllib.request

CLONE = pathlib.Path(__file__).resolve().parent.parent
TARGET = CLONE / os.environ.get("CARGO_TARGET_DIR", "target")

START_SECONDS = 60
STOP_SECONDS = 30

# The settings that have a second name.
OTHER_SETTINGS = {"AUTH_ENABLED", "DATABASE_URL", "JWT_EXPIRY_HOURS", "JWT_SECRET", "UPLOAD_MAX_SIZE_MB"}


@contextlib.contextmanager
def running_server(scratch, name, settings):
    """Yields the server's address and the administrator's password. Its log is stored in the target folder."""
    log = scratch / f"{name}.log"
    password = secrets.token_urlsafe(24)
    # No settings of the caller's environment, above all not its database.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DOCKET_") and k not in OTHER_SETTINGS}
    environment |= {"DOCKET_ADMIN_PASSWORD": password, **settings}
    with log.open("wb") as output:
        server = subprocess.Popen(
            [TARGET / "debug" / "docket", "serve", "--data-dir", scratch / name, "--listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=scratch,
        )
    try:
        yield wait_until_ready(server, log), password
        if server.poll() is not None:
            sys.exit(f"{program()}: the server exited with code {server.returncode}:\n{tail(log)}")
    finally:
        stop(server)
        shutil.copyfile(log, TARGET / f"{program()}-{log.name}")


def wait_until_ready(server, log):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        ready = re.search(r"Docket is ready at (http://\S+?)/?\s", log.read_text(errors="replace"))
        if ready:
            return ready[1]
        time.sleep(0.1)
    sys.exit(f"{program()}: the server did not become ready:\n{tail(log)}")


def stop(server):
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        sys.exit(f"{program()}: the server did not stop within {STOP_SECONDS} s")


def fetch(url, authorization=None, body=None):
    headers = {"Content-Type": "application/json"}
    if authorization:
        headers["Authorization"] = authorization
    data = None if body is None else json.dumps(body).encode()
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(urllib.request.Request(url, data, headers), timeout=20) as response:
        return json.load(response)


def tail(log):
    return "\n".join(log.read_text(errors="replace").splitlines()[-40:])


def program():
    return pathlib.Path(sys.argv[0]).name
