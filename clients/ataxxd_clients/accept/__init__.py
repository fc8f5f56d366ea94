"""Acceptance scripts: run a program of a line language by a script and judge what it printed.

    script       the text of a script, read into steps
    messages     which lines of output are moves and results, a table with one entry a game
    program      one program under test: a process, its pipes, what it has said
    inbox        what passes between two programs
    playing      one script followed at one program, or two that play each other
    comparison   what was printed against the ``.std`` file
    judging      a whole test, from its files to its verdict
    collecting   which files make which tests
    reporting    what a person is shown

The scripts are those of the course harnesses for Ataxx and Lines of Action, which
docs/how-to/write-acceptance-scripts.md describes. This package knows no rules and no
node: any program that speaks through pipes can be tested, ours or another.
"""
