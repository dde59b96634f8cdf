"""What a user picks or sets in few words, with a question or an advice before it, and what only looks like it."""

import pytest

from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.text.messages import Message


def captured(asked: str, told: str, answer: str) -> list[tuple[str, str]]:
    """Return kind and text of what is captured of the user's *answer*."""
    said = [Message("user", asked), Message("assistant", told), Message("user", answer)]
    return [(each.kind, each.text) for each in extracts_of(said)]


@pytest.mark.parametrize(
    ("asked", "told", "answer"),
    [
        ("what would you use for the lids?", "Pine warps, larch costs more.", "larch, we have a whole shed of it"),
        ("wood or steel for the stand", "Steel rusts, wood rots. I'd take steel.", "steel, the barn is wet all year"),
        ("what do you suggest?", "Weigh it on opening, or every hour.", "on opening. hours drain the battery"),
        ("the stand wobbles", "With screws or glue? Glue needs a day.", "glue"),
        ("we lose queens", "A cage or a net would help. I'd take the cage.", "cage"),
        ("was schlägst du vor?", "Kiefer oder Lärche.", "lärche, davon steht noch ein ganzer schuppen voll"),
        ("箱子的木头用 pine 还是 larch？", "larch 更耐用。", "用 larch，仓库里还有很多"),
    ],
)
def test_a_name_with_its_reason_is_a_pick(asked: str, told: str, answer: str):
    [(kind, text)] = captured(asked, told, answer)
    assert kind == "decision"
    assert text.startswith("“")
    assert text.endswith(f"” – {answer}")


@pytest.mark.parametrize(
    ("asked", "told", "answer"),
    [
        ("weigh the hives", "How often should I weigh them?", "every 6 hours, the battery lasts a season then"),
        ("how often do we weigh?", "Every 30 minutes.", "make it 90, the battery does not last a season otherwise"),
        ("wie oft wiegen wir?", "Alle 30 Minuten.", "90 minuten, sonst hält der akku keine saison"),
        ("com que frequência? quantos minutos?", "A cada 30.", "90 minutos, a bateria acaba antes do verão"),
        ("c'est quoi l'intervalle ?", "30 minutes.", "mets 90, la batterie ne tient pas jusqu'en automne"),
        ("какой у нас интервал?", "30 минут.", "ставь 90, иначе батарея не доживёт до осени"),
        ("多久称一次？", "30 分钟。", "90分钟，电池撑不到秋天"),
    ],
)
def test_a_number_asked_for_is_a_decision(asked: str, told: str, answer: str):
    [(kind, text)] = captured(asked, told, answer)
    assert kind == "decision"
    assert answer in text


@pytest.mark.parametrize(
    ("asked", "told", "answer"),
    [
        ("open the lid", "Done, the lid is open.", "lid, that is what I always said"),
        ("what would you use?", "Pine or larch.", "larch, it still fails"),
        ("what would you use?", "Pine or larch.", "larch, how much would it cost?"),
        ("what now?", "Feed them or wait.", "we're late. 34 minutes to go until rain"),
        ("look at the log", "Which line do you mean?", "42"),
        ("count the bees", "12 of 40 cells are empty.", "3 more, then I go home for today"),
    ],
)
def test_a_remark_with_such_a_name_or_number_is_none(asked: str, told: str, answer: str):
    assert captured(asked, told, answer) == []


def test_an_agents_recap_of_code_alone_is_none():
    said = [Message("user", "name the hive"), Message("assistant", "Amended: `hive: name it after its queen`.")]
    assert extracts_of(said) == []
