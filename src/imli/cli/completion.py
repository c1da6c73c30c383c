"""``imli completion``: scripts that let a shell complete commands, options and their values."""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from imli.cli import DONE
from imli.cli.options import new_parser
from imli.cli.screen import say

_BASH = """\
_imli() {{
  local typed=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=""
  if (( COMP_CWORD == 1 )); then
    words="{commands}"
  else
    case "${{COMP_WORDS[1]}} $before" in
{values}
      *) [[ $typed == -* ]] && case "${{COMP_WORDS[1]}}" in
{options}
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$typed"))
}}
complete -o default -F _imli imli
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


class _Flag(NamedTuple):
    """An option of a command: its name, the words that it takes, and whether it takes a value at all."""

    command: str
    name: str
    words: tuple[str, ...]
    has_value: bool
    help: str


def run(options: argparse.Namespace) -> int:
    """Print the script for a shell and return the exit status."""
    commands = {action.dest: action.help or "" for action in _subparsers()._choices_actions}
    if options.shell == "fish":
        say(_fish(commands).rstrip())
    else:
        say((_ZSH if options.shell == "zsh" else "") + _bash(commands).rstrip())
    return DONE


def _subparsers() -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    """Return the commands of the parser."""
    return next(action for action in new_parser()._actions if isinstance(action, argparse._SubParsersAction))


def _flags() -> Iterator[_Flag]:
    """Yield all options of all commands."""
    for command, parser in _subparsers().choices.items():
        for action in parser._actions:
            words = tuple(word for word in getattr(action.type, "choices", ()) if word.isalnum())
            for name in action.option_strings or [""]:
                if name.startswith("--") or (words and not name):
                    text = (action.help or "").replace("%%", "%").partition(";")[0]
                    yield _Flag(command, name, words, action.nargs != 0 or not name, text)


def _bash(commands: dict[str, str]) -> str:
    """Return the script for bash, which zsh reads as well."""
    flags = list(_flags())
    values = [
        f'      "{flag.command} {flag.name or flag.command}") words="{" ".join(flag.words)}" ;;'
        for flag in flags
        if flag.words
    ]
    options = [
        f'        {command}) words="{" ".join(flag.name for flag in flags if flag.command == command)}" ;;'
        for command in commands
    ]
    return _BASH.format(commands=" ".join(commands), values="\n".join(values), options="\n".join(options))


def _fish(commands: dict[str, str]) -> str:
    """Return the script for fish, with a description of each command and option."""
    lines = [
        f"complete -c imli -n __fish_use_subcommand -f -a {name} -d {_quoted(text)}" for name, text in commands.items()
    ]
    for flag in _flags():
        line = f"complete -c imli -n '__fish_seen_subcommand_from {flag.command}'"
        line += f" -l {flag.name[2:]} -d {_quoted(flag.help)}" if flag.name else " -f"
        line += f" -x -a '{' '.join(flag.words)}'" if flag.words else " -r" if flag.has_value else ""
        lines.append(line)
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", r"\\").replace("'", r"\'")
    return f"'{escaped}'"
