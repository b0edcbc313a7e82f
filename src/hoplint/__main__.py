"""`python -m hoplint`."""

from hoplint.cli import main

if __name__ == "__main__":
    main()
