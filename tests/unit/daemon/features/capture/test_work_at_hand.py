"""What a user says of the work at hand is no memory: trouble, acts, wishes for one thing, pastes."""

import pytest

from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.text.messages import Message

DONE = "Done. I rebuilt the lid and filled the feeder."


def captured(*said: str) -> list[tuple[str, str]]:
    """Return kind and text of what is captured of an agent's and a user's messages, in turn."""
    roles = ("assistant", "user")
    return [(each.kind, each.text) for each in extracts_of([Message(roles[i % 2], x) for i, x in enumerate(said)])]


@pytest.mark.parametrize(
    "said",
    [
        "now the scale only prints the weight of the left hive, and it should not round anything",
        "when I click on the hive it does not open, it only blinks and there is nothing on the map",
        "I updated the firmware of the scale by hand because the hub never answered, it is up again",
        "the legend of the honey chart must not cover the bars, it should be below",
        "they should only fly out when it is warmer than 12 degrees, not before",
        "Jetzt wird die Waage angezeigt, aber nur die linke und nicht die rechte, das muss anders sein.",
        "wenn ich auf die Waage klicke, bleibt alles stehen und es kommt keine Meldung",
        "quand je clique sur la ruche, il ne se passe rien et rien ne doit rester dans la liste",
        "ahora sale solo la báscula izquierda y no la derecha, tiene que ser al revés",
        "agora aparece só a balança da esquerda, e não a da direita",
        "刚才试了一下，点左边的蜂箱没反应，只能重新打开",
        "I'm looking at the second hive and the scale is not at 12 kg but at 9, the lid must be off",
        "you forgot the lids of the old hives, they must stand in the other shed, not here",
        "the log says the lid is open: it has 3 hinges instead of 2, and only one is locked",
        "I've got this old hive of my uncle that nobody ever opens, tell me how many frames it has",
        "ha. of course. of course it is",
        "ok not needed then, the bees only fly until noon",
        "Der Deckel ist zu klein und die Bienen dürfen da nicht raus. Bitte größer.",
        "Schreib mir bitte eine Mail an alle Imker, nicht zu lang und ohne Fremdwörter.",
        "le couvercle est trop petit, il ne doit pas rester comme ça",
        "la báscula se apagó ayer, todas las cajas tienen que volver a su sitio",
        "昨天蜂箱的盖子掉了，不能再这样",
        "蜂箱の画面を開くとエラーが出ます。調べてください",
    ],
)
def test_a_report_of_the_work_at_hand_is_not_kept(said: str):
    assert captured(DONE, said) == []


@pytest.mark.parametrize(
    "said",
    [
        "I'd like to add a page for the queens. It should list their ages, and only the living ones. "
        "The dead ones must not be counted.",
        "Ich möchte eine neue Seite für die Königinnen. Sie soll nur die lebenden zeigen. Tote dürfen nicht zählen.",
        "je voudrais une page pour les reines. Elle doit montrer uniquement les vivantes.",
        "quiero una página para las reinas. Solo deben salir las vivas.",
        "quero uma página para as rainhas. Só devem aparecer as vivas.",
        "make a small page that lists only the living queens and must not count the dead ones",
        "schreib eine Seite für die Königinnen, die nur die lebenden zählen darf",
        "écris une page pour les reines, elle doit compter uniquement les vivantes",
        "crea una página para las reinas, solo deben contar las vivas",
        "帮我写一个页面，只显示活着的蜂王，死的不要",
    ],
)
def test_what_one_new_thing_is_to_do_is_not_kept(said: str):
    assert captured(DONE, said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I updated the scale by hand. From now on we never update scales without a backup.",
            "From now on we never update scales without a backup.",
        ),
        (
            "From now on every lid gets two screws. We lost four lids in the storm this morning.",
            "From now on every lid gets two screws. We lost four lids in the storm this morning.",
        ),
        (
            "I'd like to add a page for the queens. We decided with the vet that their colors are kept.",
            "We decided with the vet that their colors are kept.",
        ),
    ],
)
def test_what_lasts_is_kept_beside_it(said: str, kept: str):
    assert captured(DONE, said) == [("decision", kept)]


@pytest.mark.parametrize(
    "said",
    [
        "包装上的标签在哪里打印，我看一下",
        "das Bienenhaus steht seit gestern 12 Stunden im Schatten",
        "hier, los dos, 14 cajas",
        "alle Deckel sind zu, nur der dritte nicht",
        "solo la tercera caja pesa menos, las otras no",
        "só a terceira caixa pesa menos",
    ],
)
def test_a_message_without_any_sign_is_not_kept_in_other_languages(said: str):
    assert captured(DONE, said) == []


@pytest.mark.parametrize(
    "pasted",
    [
        "W/HiveScale( 4711): weight must never be negative, only positive values are allowed",
        "Error from hub (Closed): lids must never be opened by the user smoker",
        "Warning: hives must only be opened once in /srv/bees/hive.php on line 12",
        "Error Domain=HiveErrorDomain Code=7 the lid must never be closed",
        "Hello beekeepers,\nwe never deliver sugar on Sundays and always send wax first.\nBest regards, Ines",
        "HIVE-31: queens are lost\nReporter: Ines\nPriority: high\nWe decided that queens are always marked in blue.",
    ],
)
def test_pasted_logs_mails_and_tickets_are_nobodys_words(pasted: str):
    assert captured(DONE, f"look at this\n\n{pasted}") == []


def test_a_fix_that_was_none_is_not_kept():
    told = "The lid jammed because the hinge was bent. I replaced the hinge, and it closes now."
    assert captured(DONE, "the lid does not close", told, "thanks")
    assert captured(DONE, "the lid does not close", told, "still jams") == []


def test_a_short_message_is_kept_whole_without_what_joins_it():
    said = "nice. and never weigh the hives at noon, the bees are out then"
    [(_, text)] = captured(DONE, said)
    assert text == said.removeprefix("nice. and ")


def test_an_answer_to_the_users_own_question_has_it_in_front():
    [(_, text)] = captured(DONE, "how many hives fit?", "Twelve.", "we never put more than ten, the ground is wet")
    assert text.startswith("“how many hives fit?” – ")
