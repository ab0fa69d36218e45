"""Rules for builds: their files, evaluation, witnesses, JUnit and SARIF output."""
