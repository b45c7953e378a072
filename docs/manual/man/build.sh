#!/usr/bin/env bash
# Makes a man page: a text of docs/manual/man with what the program's own --help says of options and commands.
#
# usage: docs/manual/man/build.sh LOWDOWN PROGRAM TEXT PAGE
set -euo pipefail
lowdown=$1 program=$2 text=$3 page=$4

# `  --name=DEFAULT   [ENVIRONMENT]` and the indented line after it as a definition; what follows the options as it is.
options() {
  "$program" --help | awk '
    /^  --/ {options = 1; sub(/^  /, ""); gsub(/[*]/, "\\\\&"); printf "\n**%s**\n", $0; next}
    !options {next}
    /^        / {sub(/^ +/, ""); gsub(/[*|]/, "\\\\&"); print ": " $0; next}
    {print}'
}

# A section a command, from `PROGRAM COMMAND --help`, up to what all have in common.
commands() {
  local command common
  common=$("$program" --help | sed -n '/^MODEL /,$p')
  while read -r command; do
    "$program" "$command" --help | awk '
      NR == 1 {sub(/^usage: /, ""); gsub(/[][|]/, "\\\\&"); print "## " $0; next}
      /^MODEL |^Exit codes:/ {exit}
      /^  / {print "   " $0; next}
      {print}'
  done < <("$program" --help | sed -nE 's/^(usage:|      ) mbs ([a-z]+) .*/\2/p')
  printf '## All commands\n\n%s\n' "$common" | awk '
    /^Exit codes:/ {print "# EXIT STATUS"; next}
    /^   [0-9]  / {printf "\n**%s**\n: %s\n", $1, substr($0, 7); next}
    {print}'
}

{
  sed '/^@/,$d' "$text"
  "$(sed -n 's/^@\(.*\)@$/\1/p' "$text")"
  sed '1,/^@/d' "$text"
} | "$lowdown" -s -t man --out-no-smarty --parse-no-intraemph -o "$page" -
