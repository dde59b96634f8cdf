"""How a number of things is said."""


def counted(count: int, noun: str) -> str:
    """Return *count* and the regular *noun*, in the plural if it is not one."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"
