import type { RunView } from '../http/run-view.js';
import type { ClientCommand, CommandContext } from './command-context.js';
import { NoEngineError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { type InputFlags, inputValues } from './input-values.js';
import { LineProgress } from './line-progress.js';
import { LiveProgress } from './live-progress.js';
import { type LocalFlags, withLocalEngine } from './local-engine.js';
import { followRun } from './run-following.js';
import { printOutcome } from './run-outcome.js';
import { checkHere, inputsOf, type RunTarget, readTarget } from './run-target.js';

export interface RunFlags extends InputFlags, LocalFlags {
  readonly id?: string;
  readonly priority?: number;
  readonly paused?: boolean;
  readonly wait: boolean;
  readonly local?: boolean;
}

/** Starts a run of a file or a workflow, and follows it to its end. */
export function runCommand(what: string, flags: RunFlags): ClientCommand {
  return async (context) => {
    const target = await readTarget(what);
    if (flags.local === true) {
      return withLocalEngine(target, flags, context, (local) =>
        startAndFollow(target, { ...flags, wait: true }, local, false),
      );
    }
    try {
      return await startAndFollow(target, flags, context, true);
    } catch (error) {
      if (!(error instanceof NoEngineError) || target.kind !== 'source') throw error;
      checkHere(target.source, target.file, 'noEngine');
      throw new NoEngineWithFile(context.client.url, what, error);
    }
  };
}

/** The hint that only a file can have. */
class NoEngineWithFile extends NoEngineError {
  constructor(url: string, file: string, cause: Error) {
    super(url, { cause });
    this.message = `${this.message}\n  or run it here and now, with nothing kept: workflow run ${file} --local`;
  }
}

async function startAndFollow(
  target: RunTarget,
  flags: RunFlags,
  context: CommandContext,
  isKept: boolean,
): Promise<number> {
  const { client, terminal } = context;
  const inputs = await inputValues(flags, await inputsOf(target, client));
  const run = await client.send<RunView>('POST', '/runs', {
    ...(target.kind === 'source' ? { source: target.source } : { workflow: target.workflow }),
    inputs,
    ...(flags.id === undefined ? {} : { id: flags.id }),
    ...(flags.priority === undefined ? {} : { priority: flags.priority }),
    ...(flags.paused === undefined ? {} : { paused: flags.paused }),
  });
  if (!flags.wait) {
    terminal.print(run.id);
    return exitCodes.ok;
  }
  if (!terminal.isLive) terminal.note(`run ${run.id} began`);
  return waitForRun(run.id, context, isKept);
}

/** Follows a run to its end, unless somebody presses Ctrl-C: then it goes on without us. */
export async function waitForRun(id: string, context: CommandContext, isKept = true): Promise<number> {
  const { client, terminal } = context;
  const interrupted = new AbortController();
  using _ = context.onInterrupt(() => interrupted.abort(new Error('interrupted')));
  const watcher = terminal.isLive ? new LiveProgress(terminal) : new LineProgress(terminal);
  try {
    return await printOutcome(await followRun(client, id, watcher, interrupted.signal), { client, terminal, isKept });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    if (isKept) {
      terminal.note(`run ${id} goes on without this command`);
      terminal.note(`  follow it:  workflow get run ${id} --wait`);
      terminal.note(`  end it:     workflow cancel ${id}`);
    } else {
      terminal.note(`run ${id} is cancelled`);
    }
    return exitCodes.interrupted;
  }
}
