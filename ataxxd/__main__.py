"""``python -m ataxxd`` and the ``ataxxd`` command."""

from ataxxd.cli.app import main

if __name__ == "__main__":
    main()
