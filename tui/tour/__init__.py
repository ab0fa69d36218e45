"""The guided tour (`coffeetree tour`): `steps.py` is its text, `tour_screen.py` shows it beside the sample, a profile
of javac that is part of the package.
"""
