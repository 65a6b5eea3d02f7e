/**
 * The process between the engine and the command, which outlives the engine: a script for any POSIX shell. Its
 * arguments are the attempt's folder, then the program and its arguments. It leads the group of the attempt, and uses
 * no program but the command (and `ps` where there is no /proc).
 *
 * 1. It writes `process.<pid>`: its process id, the boot id, and its line of /proc/<pid>/stat (or `lstart` and what ps
 *    says), each on a line of its own.
 * 2. It makes the file `claim`, which must not be there: one that is means that the attempt was given up before it
 *    began. From here on the attempt has begun.
 * 3. It runs the command and waits for it. The subshell is there for `exec`, which sees programs only, where the shell
 *    itself would take `echo` or `exit` for its own.
 * 4. It writes the exit code to `exit`, as one write that ends with the end of the line: a file without it says nothing.
 *
 * Signals to the group do not end it, or nobody would be left to write the code; the command gets them with their usual
 * effect, since handlers, unlike ignored signals, are not handed down. When the group is asked to end before the command
 * began, it is not begun.
 */
export const shim = `
folder=$1
shift
stopped=
trap : HUP INT QUIT USR1 USR2 ALRM
trap stopped=1 TERM
boot=
{ read -r boot </proc/sys/kernel/random/boot_id && read -r started </proc/$$/stat; } 2>/dev/null ||
  started="lstart $(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p $$)"
printf '%s\\n' $$ "$boot" "$started" >"$folder/process.$$" || exit 125
set -C
{ true >"$folder/claim"; } 2>/dev/null || exit 125
set +C
[ -z "$stopped" ] || exit 143
(exec "$@")
code=$?
echo $code >"$folder/exit"
exit $code
`;

/** Its name in lists of processes. */
export const shimName = 'workflow-step';
