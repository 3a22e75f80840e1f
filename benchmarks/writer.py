"""One of many senders: sends ten times a second and prints how long each took, in seconds.

Runs as ``-I -S writer.py NUMBER COUNT``, from when its standard input is closed.
"""

import sys

sys.path.append(__file__.rpartition("/benchmarks/")[0])

import time

from attendd.hot import address, db, identity, ids, moment, places, post

PAUSE_S = 0.1


def main(number: int, count: int) -> None:
    """Send so many messages."""
    path = f"{places.state_dir()}/attend.db"
    caller = identity.Caller(f"as:w{number}", "--as")
    caller.declared, caller.workdir = True, "/"
    asked = address.parse("send", ["--to", "reader", "the build is green."])
    sys.stdin.read()
    begun = time.monotonic() + PAUSE_S * number / 16
    taken = []
    for at in range(count):
        time.sleep(max(0.0, begun + PAUSE_S * at - time.monotonic()))
        draft = post.Draft(ids.new_id(), caller, asked, b"the build is green.")
        started = time.perf_counter()
        store = db.connect(path, full=True)
        outcome = post.commit(store, draft, moment.now())
        taken.append(time.perf_counter() - started)
        post.ring(outcome)
        store.close()
    sys.stdout.write("".join(f"{seconds}\n" for seconds in taken))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
