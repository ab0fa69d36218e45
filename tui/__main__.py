"""`python -m tui` is `coffeetree`."""

from __future__ import annotations

import sys

from tui.app.main import main

sys.exit(main())
