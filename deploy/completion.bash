# Completion for mbs and mbsd in bash: commands and options as their --help tells them.
_mbs_words() { # PROGRAM ARGUMENT... - its options
  "$@" --help 2>/dev/null | grep -oE '(^| |\[)--[a-z][a-z-]*' | tr -d ' [' | sort -u
}

_mbs() {
  local word=${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -nE 's/^(usage:|      ) mbs ([a-z]+) .*/\2/p') --help --version"
  elif [[ $word == -* ]]; then
    words=$(_mbs_words "${COMP_WORDS[@]:0:2}")
  else
    words=$("${COMP_WORDS[0]}" examples 2>/dev/null | cut -d' ' -f1)
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

_mbsd() { mapfile -t COMPREPLY < <(compgen -W "$(_mbs_words "${COMP_WORDS[0]}")" -- "${COMP_WORDS[COMP_CWORD]}"); }

complete -o default -F _mbs mbs
complete -o default -F _mbsd mbsd
