"""Which texts say that they hold in all projects."""

import pytest

from palimp_daemon.text.everywhere import is_for_all_projects

FOR_ALL = [
    "In all my projects, use pnpm.",
    "Please use tabs in every repo",
    "Answer briefly, no matter which project",
    "In allen meinen Projekten pnpm statt npm",
    "Dans tous mes projets, on utilise pnpm",
    "En todos mis proyectos usa pnpm",
    "Em todos os meus projetos, use pnpm",
    "In tutti i miei progetti usa pnpm",
    "In al mijn projecten pnpm",
    "Во всех моих проектах используем pnpm",
    "我的所有项目都用 pnpm",
    "すべてのプロジェクトで pnpm を使う",
    "모든 프로젝트에서 pnpm 사용",
]
OF_ONE = [
    "In this project we use pnpm.",
    "The list of all projects is slow",
    "Delete all repositories of the test account",
    "Alle Projekte laden langsam",
    "Every project manager gets a report",
    "项目使用 pnpm",
]


@pytest.mark.parametrize("text", FOR_ALL)
def test_it_is_said_in_many_languages(text: str):
    assert is_for_all_projects(text)


@pytest.mark.parametrize("text", OF_ONE)
def test_what_speaks_of_projects_is_not_for_all(text: str):
    assert not is_for_all_projects(text)
