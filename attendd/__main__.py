"""``python -m attendd``: the full program, without the launcher."""

import sys

from attendd.cli import main

sys.exit(main())
