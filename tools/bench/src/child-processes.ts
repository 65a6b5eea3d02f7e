import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Those that have not ended, and whether each has a group of its own. */
const children = new Map<ChildProcess, boolean>();

process.on('exit', () => {
  for (const [child, hasGroup] of children) end(child, hasGroup);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Starts a process that does not outlive this one, however that ends, unless it is killed. */
export function startChild(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return kept(spawn(program, [...args], options), options.detached === true);
}

/** Runs a process to its end, and gives what it printed. Rejects when it fails. It does not outlive this one either. */
export function runChild(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const onEnd = (error: Error | null, stdout: string) => (error === null ? resolve(stdout) : reject(error));
    kept(execFile(program, [...args], options, onEnd), false);
  });
}

/** Ends a child of {@link startChild} at once, with all of its group if it has one. */
export async function endChild(child: ChildProcess): Promise<void> {
  const hasGroup = children.get(child);
  if (hasGroup === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  end(child, hasGroup);
  await ended;
}

function kept<C extends ChildProcess>(child: C, hasGroup: boolean): C {
  children.set(child, hasGroup);
  const forget = () => children.delete(child);
  child.once('exit', forget);
  child.once('error', forget);
  return child;
}

function end(child: ChildProcess, hasGroup: boolean): void {
  if (child.pid === undefined) return;
  if (hasGroup) process.kill(-child.pid, 'SIGKILL');
  else child.kill('SIGKILL');
}
