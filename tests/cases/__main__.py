"""``python -m tests.cases FILE…``: see `tests.cases.runner`."""

import sys

from tests.cases.runner import main

sys.exit(main(sys.argv[1:]))
