class NoProgram(Exception):
    missing: list[tuple[str, str]]
