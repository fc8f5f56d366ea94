"""Acceptance scripts: run a program of a line language by a script and judge what it printed.

    script       the text of a script, read into steps
    program      one program under test: a process, its pipes, its moves and results
    playing      one script followed at one program, or two that play each other
    judging      a whole test, from its files to the verdict that a person is shown

The scripts are those of the course harnesses for Ataxx and Lines of Action, which
docs/how-to/write-acceptance-scripts.md describes. This package knows no rules and no
node: any program that speaks through pipes can be tested, ours or another.
"""
