"""How many memories projects have, about."""

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.tables.project_sizes import count_memories
from palimp_protocol.messages.memory_messages import SaveMemory


def test_memories_are_counted_by_project_and_again_when_the_store_has_grown(request_context):
    for number in range(10):
        save_memory(request_context(project="one"), SaveMemory(text=f"The first has rule {number}."))
    save_memory(request_context(project="two"), SaveMemory(text="The other has one."))
    context = request_context(project="one")
    store = context.store
    one, two = (
        store.value("SELECT project_id FROM memories WHERE content LIKE ?", (f"{text}%",))
        for text in ("The first", "The other")
    )

    assert (count_memories(store, [one]), count_memories(store, [two]), count_memories(store, [one, two])) == (
        10,
        1,
        11,
    )

    save_memory(request_context(project="two"), SaveMemory(text="The other has two."))
    assert count_memories(store, [two]) == 1, "one of eleven is less than a tenth"

    save_memory(request_context(project="two"), SaveMemory(text="The other has three."))
    assert count_memories(store, [two]) == 3
