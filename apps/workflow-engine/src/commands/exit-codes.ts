/** What the `workflow` command ends with. */
export const exitCodes = Object.freeze({
  ok: 0,
  /** The run failed, a definition is wrong, or the engine said no. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** There is no engine. */
  noEngine: 3,
  /** The run was cancelled. */
  cancelled: 4,
  /** A worker, whose name another one has taken. */
  replaced: 5,
  /** Ctrl-C. */
  interrupted: 130,
});
