#!/usr/bin/env python3
"""Writes completions of `assay` for bash, zsh and fish, made from its help: commands, subcommands and flags; other words are completed as files.

usage: completions.py PROGRAM FOLDER      writes FOLDER/{bash-completion/completions/assay,zsh/site-functions/_assay,fish/vendor_completions.d/assay.fish}
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gates"))
import program_help  # noqa: E402


def tree(program):
    """{words of a command: [(a word that may follow, its help)]}; () has the commands themselves."""
    found = {(): program_help.listed(program_help.help_of(program))}
    for name, _ in found[()]:
        text = program_help.help_of(program, name)
        below = program_help.subcommands(name, text)
        found[name,] = below + _flags(text)
        for inner, _ in below:
            found[name, inner] = _flags(program_help.help_of(program, name, inner))
    return found


def _flags(text):
    """Each spelling of each flag once. The knobs of a driver follow the driver."""
    words = dict.fromkeys(alias for _, aliases in program_help.flags(text) for alias in aliases)
    return [(word, "") for word in words]


BASH = """# Completion of assay for bash; made by utils/generate/completions.py.
_assay() {
  local word=${COMP_WORDS[COMP_CWORD]} key=${COMP_WORDS[*]:1:COMP_CWORD-1} words
  set -- $key
  case "$COMP_CWORD $1 $2" in
%s
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _assay assay
"""
ZSH = """#compdef assay
# Completion of assay for zsh; made by utils/generate/completions.py.
local -a known
case "$CURRENT ${words[2]} ${words[3]}" in
%s
esac
_alternative "words:assay:compadd -a known" "files:file:_files"
"""


def bash(found, shift=0):
    """The branches of a `case` over "POSITION COMMAND SUBCOMMAND": if two match, the one with more words comes first."""
    lines = []
    for words in sorted(found, key=len, reverse=True):
        values = " ".join(word for word, _ in found[words])
        pattern = f'"{1 + shift} "*' if not words else f'*" {words[0]} {words[1]}"' if len(words) == 2 else f'*" {words[0]} "*'
        assign = f'known=({values})' if shift else f'words="{values}"'
        lines.append(f"    {pattern}) {assign} ;;")
    lines.sort(key=lambda line: not line.startswith(f'    "{1 + shift} "'))
    return "\n".join(lines)


def fish(found):
    lines = ["# Completion of assay for fish; made by utils/generate/completions.py."]
    for words, values in found.items():
        when = "__fish_use_subcommand" if not words else "; and ".join(f"__fish_seen_subcommand_from {word}" for word in words)
        for word, about in values:
            kind = f"-l {word[2:]}" if word.startswith("--") else f"-o {word[1:]}" if word.startswith("-") and len(word) > 2 else \
                f"-s {word[1:]}" if word.startswith("-") else f"-a {word}"
            said = about.replace("'", "\\'")
            lines.append(f"complete -c assay -n '{when}' {kind}" + (f" -d '{said}'" if about else ""))
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found, folder = tree(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name, text in {"bash-completion/completions/assay": BASH % bash(found), "zsh/site-functions/_assay": ZSH % bash(found, 1),
                       "fish/vendor_completions.d/assay.fish": fish(found)}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
