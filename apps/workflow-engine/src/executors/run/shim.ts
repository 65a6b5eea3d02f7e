/**
 * The processes between the engine and the command, which outlive the engine: a script for any POSIX shell. Its
 * arguments are the attempt's folder, then the program and its arguments; it writes to the files that it has as standard
 * output and error. It leads the group of the attempt.
 *
 * 1. It writes `process.<pid>`: its process id, the boot id, and its line of /proc/<pid>/stat (or `lstart` and what ps
 *    says), each on a line of its own.
 * 2. It makes the file `claim`, which must not be there: one that is means that the attempt was given up before it
 *    began. From here on the attempt has begun.
 * 3. It runs the command, with a pipe for each of its outputs, and a `cat` at the other end of each. With the files
 *    themselves, whoever opens /dev/stderr to write to it would empty the file. The innermost subshell is there for
 *    `exec`, which sees programs only, where the shell itself would take `echo` or `exit` for its own.
 * 4. When the command has ended, its exit code is written to `exit`, as one write that ends with the end of the line: a
 *    file without it says nothing. When nobody can write to the pipes any more, the script ends.
 *
 * Signals to the group are ignored by all but the command, or nobody would be left to write the code and the rest of the
 * output; the command has them as they usually are. When the group is asked to end before the command began, it is not
 * begun.
 */
export const shim = `
folder=$1
shift
signals='HUP INT QUIT TERM USR1 USR2 ALRM'
stopped=
trap : $signals
trap stopped=1 TERM
cat=/bin/cat
[ -x $cat ] || cat=$(command -v cat) || exit 125
boot=
{ read -r boot </proc/sys/kernel/random/boot_id && read -r started </proc/$$/stat; } 2>/dev/null ||
  started="lstart $(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p $$)"
printf '%s\\n' $$ "$boot" "$started" >"$folder/process.$$" || exit 125
set -C
{ true >"$folder/claim"; } 2>/dev/null || exit 125
set +C
[ -z "$stopped" ] || exit 143
trap '' $signals
exec 4>&1 5>&2
{
  {
    (
      trap - $signals
      exec "$@" 3>&- 4>&- 5>&-
    )
    echo $? >"$folder/exit"
  } 2>&1 >&3 | $cat >&5 3>&- 4>&-
} 3>&1 | $cat >&4 5>&-
exit 0
`;

/** Its name in lists of processes. */
export const shimName = 'workflow-step';
