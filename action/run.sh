#!/usr/bin/env bash
# Turns the inputs of action.yml, which come as variables, into one command line. Nothing of them is ever evaluated.
set -euo pipefail
shopt -s globstar

options=()
files=()
while IFS= read -r pattern; do
  [[ -z "$pattern" ]] || mapfile -t -O "${#files[@]}" files < <(compgen -G "$pattern" | sort)
done <<< "$FILES"
if [[ -n "${FILES//[[:space:]]/}" && ${#files[@]} -eq 0 ]]; then
  echo "no file matches the input files" >&2
  exit 3
fi

case "$COMMAND" in
  publish)
    [[ "$COMMENT" == true ]] || options+=(--no-comment)
    [[ "$LABELS" == true ]] || options+=(--no-labels)
    [[ "$CHECK" == true ]] || options+=(--no-check)
    ;;
  review | respond) ;;
  rerun)
    options+=("--runtime=$RUNTIME" --out=triage.json --html=triage.html)
    [[ -z "$TEST" ]] || options+=("--test=$TEST")
    [[ -z "$SUITE" ]] || options+=("--suite=$SUITE")
    [[ -z "$TRIALS" ]] || options+=(-n "$TRIALS")
    [[ -z "$BUDGET" ]] || options+=("--budget=$BUDGET")
    for file in "${files[@]}"; do options+=("--junit=$file"); done
    exec "$PYTHON" -m triage_bot rerun "${options[@]}"
    ;;
  *)
    echo "command is publish, review, respond or rerun" >&2
    exit 2
    ;;
esac
[[ "$DRY_RUN" != true ]] || options+=(--dry-run)
# Isolated: a file of the workspace that is called like a module must not be imported in its place.
exec "$PYTHON" -I -m triage_bot "$COMMAND" "${options[@]}" -- "${files[@]}"
