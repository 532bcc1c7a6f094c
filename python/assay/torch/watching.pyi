class WrongOperator(AssertionError):
    operator: str
    module: str
    line: tuple[str, str] | None

def end_records() -> None: ...
