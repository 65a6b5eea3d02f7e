import type { ExecutionView } from '../http/execution-view.js';
import type { LineView } from '../http/log-routes.js';
import type { RunDetail } from '../http/run-detail.js';
import type { RunView } from '../http/run-view.js';
import { isFinal } from '../resources/states.js';
import type { ClientCommand, CommandContext } from './command-context.js';
import { part } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { paint } from './terminal.js';

export interface LogsFlags {
  readonly follow?: boolean;
  readonly index?: number;
  readonly attempt?: number;
  readonly tail?: number;
  readonly timestamps?: boolean;
}

interface Place {
  readonly step: string;
  readonly index: number;
}

interface LogPage {
  readonly lines: readonly LineView[];
  readonly nextOffset: number;
}

const pageLines = 5000;

/** Prints the log of a step, or those of all steps of a run, and goes on while they are written. */
export function logsCommand(run: string, step: string | undefined, flags: LogsFlags): ClientCommand {
  return async (context) => {
    const printer = new LogPrinter(run, flags, context, step === undefined);
    const interrupted = new AbortController();
    using _ = context.onInterrupt(() => interrupted.abort(new Error('interrupted')));
    try {
      const found = await context.client.get<RunDetail>(`/runs/${part(run)}`);
      if (step === undefined) {
        if (flags.follow === true && !isFinal(found.state)) await followAll(run, printer, context, interrupted.signal);
        else await printAll(found, printer, context);
      } else {
        const isMany = found.steps.some((each) => each.step === step && each.executions !== 'one');
        if (isMany && flags.index === undefined) await printMany(run, step, printer, context);
        else {
          const place = { step, index: flags.index ?? -1 };
          const printing = flags.follow === true ? printer.follow(place, interrupted.signal) : printer.print(place);
          await printing.catch((error: unknown) => {
            // An execution of its own is told below.
            if (!(error instanceof EngineError && error.code === 'log-elsewhere')) throw error;
            if (flags.index !== undefined) context.terminal.note(error.message);
            printer.hasPrinted = true;
          });
        }
      }
      noteMissing(found, step, printer, context);
    } catch (error) {
      if (!interrupted.signal.aborted) throw error;
      return exitCodes.interrupted;
    }
    return exitCodes.ok;
  };
}

/** Says why there is nothing to be seen of a step, or of a run. */
function noteMissing(
  { id, steps }: RunDetail,
  asked: string | undefined,
  printer: LogPrinter,
  { terminal }: CommandContext,
): void {
  const remote = steps.filter(
    ({ step, execution }) => (asked === undefined || step === asked) && isOfWorker(execution?.worker ?? ''),
  );
  for (const { execution } of remote) if (execution) printer.noteElsewhere(execution);
  if (remote.length === 0 && !printer.hasPrinted) {
    terminal.note(asked === undefined ? `no step of run ${id} has a log yet` : `step ${asked} has written nothing`);
  }
}

/** Whether a name is one of a worker, and not of an engine, which has a new one with each start. */
function isOfWorker(name: string): boolean {
  return name !== '' && !/^engine-[0-9a-f]{16}$/.test(name);
}

async function printAll(run: RunDetail, printer: LogPrinter, context: CommandContext): Promise<void> {
  const begun = run.steps.filter(({ execution, executions }) => executions !== 'one' || execution?.hasLog === true);
  const began = (step: (typeof begun)[number]) => step.execution?.startedAt ?? '';
  for (const { step, executions } of [...begun].sort((a, b) => began(a).localeCompare(began(b)))) {
    if (executions === 'one') await printer.print({ step, index: -1 });
    else await printMany(run.id, step, printer, context);
  }
}

/** The logs of all executions of a step, one after the other. */
async function printMany(run: string, step: string, printer: LogPrinter, { client }: CommandContext): Promise<void> {
  for (let offset: number | null = 0; offset !== null; ) {
    const page: { executions: ExecutionView[]; next: number | null } = await client.get(
      `/runs/${part(run)}/steps/${part(step)}/executions?offset=${offset}&limit=500`,
    );
    for (const execution of page.executions) {
      if (execution.hasLog) await printer.print({ step, index: execution.index });
      else if (execution.elsewhere !== null) printer.noteElsewhere(execution);
    }
    offset = page.next;
  }
}

/** Follows every execution of a run that has a log, until the run is over. */
async function followAll(
  run: string,
  printer: LogPrinter,
  { client, terminal }: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const followed = new Map<string, Promise<void>>();
  const own = new AbortController();
  const onAbort = () => own.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const begin = ({ step, index, attempt, hasLog }: ExecutionView) => {
    const key = `${step} ${index} ${attempt}`;
    if (!hasLog || followed.has(key)) return;
    followed.set(key, printer.follow({ step, index }, own.signal, attempt));
  };
  const events = client.events(`/events?run=${part(run)}`, own.signal);
  try {
    for await (const { event, data } of events) {
      if (event === 'executions') {
        const { changed, more = {} } = data as { changed: ExecutionView[]; more?: Record<string, number> };
        changed.forEach(begin);
        for (const [step, count] of Object.entries(more))
          terminal.note(`${step}: ${count} more executions are not followed`);
      }
      const over =
        event === 'runs' &&
        (data as { changed: RunView[] }).changed.some(({ id, state }) => id === run && isFinal(state));
      if (over) break;
    }
    await Promise.all(followed.values());
  } finally {
    signal.removeEventListener('abort', onAbort);
    own.abort(new Error('the run is over'));
    await Promise.allSettled(followed.values());
  }
}

/** Prints lines of logs; with the name of the step before each where there are several. */
class LogPrinter {
  readonly #run: string;
  readonly #flags: LogsFlags;
  readonly #context: CommandContext;
  readonly #isNamed: boolean;
  hasPrinted = false;

  constructor(run: string, flags: LogsFlags, context: CommandContext, isNamed: boolean) {
    this.#run = run;
    this.#flags = flags;
    this.#context = context;
    this.#isNamed = isNamed;
  }

  /** What is there. */
  async print(place: Place): Promise<void> {
    const { attempt, tail } = this.#flags;
    let query = `limit=${pageLines}${tail === undefined ? '' : `&tail=${tail}`}`;
    for (;;) {
      const page = await this.#context.client.get<LogPage>(this.#path(place, query, attempt));
      this.#show(place, page.lines);
      if (page.lines.length < pageLines) return;
      query = `limit=${pageLines}&offset=${page.nextOffset}`;
    }
  }

  /** Says where a log is that the engine does not have. */
  noteElsewhere({ step, index, worker, elsewhere }: ExecutionView): void {
    this.hasPrinted = true;
    const where = elsewhere === null ? ', in its --data' : `: ${elsewhere.log} on ${elsewhere.host}`;
    const name = index < 0 ? step : `${step}[${index}]`;
    this.#context.terminal.note(`the log of step ${name} is with the worker ${worker}${where}`);
  }

  /** What is there, and what comes. */
  async follow(place: Place, signal: AbortSignal, attempt = this.#flags.attempt): Promise<void> {
    const { tail } = this.#flags;
    const query = `follow=true${tail === undefined ? '' : `&tail=${tail}`}`;
    try {
      for await (const { event, data } of this.#context.client.events(this.#path(place, query, attempt), signal)) {
        if (event === 'lines') this.#show(place, data as readonly LineView[]);
      }
    } catch (error) {
      // It was begun anew meanwhile, and nothing of this attempt was kept.
      if (!(error instanceof EngineError && error.status === 404 && this.#isNamed)) throw error;
    }
  }

  #path({ step, index }: Place, query: string, attempt: number | undefined): string {
    const which = `${index < 0 ? '' : `&index=${index}`}${attempt === undefined ? '' : `&attempt=${attempt}`}`;
    return `/runs/${part(this.#run)}/steps/${part(step)}/log?${query}${which}`;
  }

  #show({ step, index }: Place, lines: readonly LineView[]): void {
    const { terminal } = this.#context;
    this.hasPrinted ||= lines.length > 0;
    const isNamed = this.#isNamed || (index >= 0 && this.#flags.index === undefined);
    const name = isNamed ? `${paint(index < 0 ? step : `${step}[${index}]`, 'blue', terminal)} │ ` : '';
    for (const { time, stream, text } of lines) {
      const when = this.#flags.timestamps === true ? `${paint(time, 'gray', terminal)} ` : '';
      const color = stream === 'engine' ? 'gray' : stream === 'stderr' ? 'yellow' : undefined;
      terminal.print(`${name}${when}${paint(text, color, terminal)}`);
    }
  }
}
