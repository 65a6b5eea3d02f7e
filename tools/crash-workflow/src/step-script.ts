/** What is in the environment of processes that started a session of their own, and may stay. */
export const ownSession = 'CRASH_OWN_SESSION=yes';

/**
 * What the processes of the load do: `step.sh <what> <value> [<argument>]`.
 *
 * When an attempt begins and ends is appended to a file, a line with one write. While anything of the attempt goes on it
 * holds a lock that has the name of the execution, so that a second attempt beside it is seen by itself.
 */
export function stepScript(effects: string, locks: string): string {
  return `set -u
what=$1 value=$2 argument=\${3-}
key=$WORKFLOW_IDEMPOTENCY_KEY
note() {
  printf '%s\\trun\\t%s\\t%s\\t%s\\t%s\\t%s\\t%s\\n' "$1" "$key" "$WORKFLOW_ATTEMPT" "$WORKFLOW_RUN" "$WORKFLOW_STEP" \\
    "\${WORKFLOW_INDEX:--1}" "$$" >>'${effects}'
}
exec 9>'${locks}'/"$(printf %s "$key" | tr / _)"
flock -n 9 || note overlap
note begin
case $what in
  short) ;;
  long) sleep "$argument" ;;
  stubborn)
    trap '' TERM
    sleep "$argument"
    ;;
  family)
    # Both stay behind in the background; one of them does not heed SIGTERM.
    sleep 300 &
    (trap '' TERM; sleep 300) &
    sleep "$argument"
    ;;
  session)
    ${ownSession} setsid sleep 300 >/dev/null 2>&1 9>&- &
    sleep 0.1
    ;;
  failing)
    failed=$(grep -c "^failed	run	$key	" '${effects}')
    if [ "$failed" -lt "$argument" ]; then
      note failed
      exit 3
    fi
    ;;
  alone)
    exec 8>'${locks}'/"$argument"
    flock -n 8 || note overlap
    sleep 0.2
    ;;
esac
echo "value:=$value" >>"$WORKFLOW_OUTPUT"
note done
`;
}
