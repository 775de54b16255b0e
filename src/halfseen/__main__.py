"""``python -m halfseen``: the command line."""

from halfseen.cli import main

if __name__ == "__main__":
    main()
