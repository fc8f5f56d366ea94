"""Files become tests by their names."""

from pathlib import Path

import pytest

from ataxxd_clients.accept import collect, pair


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.in", "a.std", "b-1.in", "b-2.in", "c-1.in", "d-2.in", "deeper/e.in"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def test_scripts_one_and_two_of_a_name_are_one_test_and_all_others_stand_alone(
    folder: Path,
) -> None:
    tests = collect(sorted(folder.glob("*.in")))
    assert [(test.name, [path.name for path in test.scripts]) for test in tests] == [
        ("a", ["a.in"]),
        ("b", ["b-1.in", "b-2.in"]),
        ("c-1", ["c-1.in"]),
        ("d-2", ["d-2.in"]),
    ]


@pytest.mark.parametrize("name", ["b-1.in", "b-2.in"])
def test_either_of_two_scripts_stands_for_both(folder: Path, name: str) -> None:
    (test,) = collect([folder / name])
    assert [path.name for path in test.scripts] == ["b-1.in", "b-2.in"]


def test_a_test_named_twice_is_run_once_and_the_order_is_kept(folder: Path) -> None:
    tests = collect([folder / "b-2.in", folder / "a.in", folder / "b-1.in", folder / "a.in"])
    assert [test.name for test in tests] == ["b", "a"]


def test_a_folder_stands_for_all_scripts_in_it_and_below(folder: Path) -> None:
    assert [test.name for test in collect([folder])] == ["a", "b", "c-1", "d-2", "e"]


def test_two_scripts_of_any_names_can_be_paired(folder: Path) -> None:
    test = pair([folder / "d-2.in", folder / "a.in"])
    assert [path.name for path in test.scripts] == ["d-2.in", "a.in"]


def test_one_script_cannot_be_paired(folder: Path) -> None:
    with pytest.raises(ValueError, match="two scripts that play each other, and 1 were named"):
        pair([folder / "a.in"])


def test_a_script_that_is_not_there_is_named_with_the_likeliest(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no script .*aa\.in\. Did you mean a\.in\?"):
        collect([folder / "aa.in"])


def test_a_folder_without_scripts_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no script in .*ends in \.in"):
        collect([tmp_path])


def test_the_file_to_compare_with_is_no_script(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.std is not a script; name the script, a\.in"):
        collect([folder / "a.std"])
