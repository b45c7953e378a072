# Completion for mbs and mbsd in bash: commands and options as their --help tells them.
_mbs_words() { # PROGRAM ARGUMENT... - its options
  "$@" --help 2>/dev/null | grep -oE '(^| |\[)--[a-z][a-z-]*' | tr -d ' [' | sort -u
}

# What may follow an option; nothing where that is a file, which bash completes itself.
_mbs_values() { # COMMAND OPTION
  case "$1 $2" in
    import\ --format) echo adm dap mjcf robotran sdf urdf ;;
    export\ --fmi) echo 2.0 3.0 ;;
    *\ --format) echo text json latex mathml ;;
    *\ --formulation) echo joint body ;;
    *\ --only) echo B Bdot_thetad C D Jac_p rhsV rhsA M h ;;
    *) return 1 ;;
  esac
}

_mbs() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words
  # Bash has "--format=json" in three words.
  [ "$word" != = ] || word=
  [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -nE 's/^(usage:|      ) mbs ([a-z]+) .*/\2/p') --help --version"
  elif words=$(_mbs_values "${COMP_WORDS[1]}" "$before"); then
    :
  elif [ "$before" = --out ]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
    return
  elif [[ $before =~ ^--(against|analysis|at|model|results|certificate|csv|columns|fmu|fps|glb|size|speed|jobs|keyframe|main|outputs|t)$ ]]; then
    COMPREPLY=()
    return
  elif [[ $word == -* ]]; then
    words=$(_mbs_words "${COMP_WORDS[@]:0:2}")
  elif [ "${COMP_WORDS[1]}" = reference ]; then
    words=$("${COMP_WORDS[0]}" reference 2>/dev/null | cut -d' ' -f1)
  else
    words=$("${COMP_WORDS[0]}" examples 2>/dev/null | cut -d' ' -f1)
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

_mbsd() { mapfile -t COMPREPLY < <(compgen -W "$(_mbs_words "${COMP_WORDS[0]}")" -- "${COMP_WORDS[COMP_CWORD]}"); }

complete -o default -F _mbs mbs
complete -o default -F _mbsd mbsd
