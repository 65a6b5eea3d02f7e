import type { Pointer } from '@cosi-ts/resource';
import { type Logger, Runtime, type RuntimeOptions, requeueAfter, TaskRunner } from '@cosi-ts/runtime';
import type { CoreState } from '@cosi-ts/state';
import { type BrokenRuntime, broken, brokenOptions } from './broken-runtime.js';

type RunOptions = Parameters<Runtime['run']>[0];

class Again extends Runtime {
  #hasRun = false;

  override async run(options?: RunOptions): Promise<void> {
    if (this.#hasRun) return;
    this.#hasRun = true;
    await super.run(options);
  }
}

class Hasty extends Runtime {
  override async run(options: RunOptions = {}): Promise<void> {
    const { signal } = options;
    const running = super.run(options);
    await Promise.race([running, new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))]);
  }
}

class Leaking extends Runtime {
  readonly #core: CoreState;

  constructor(core: CoreState, options?: RuntimeOptions) {
    super(core, options);
    this.#core = core;
  }

  override async run(options?: RunOptions): Promise<void> {
    await this.#core.watchKind({ namespace: 'conformance', type: 'Ints.conformance.cosi.dev' });
    await super.run(options);
  }
}

class Deaf extends Runtime {
  override queue(_controller: string, _pointer: Pointer): boolean {
    return true;
  }
}

class Unsorted extends Runtime {
  override graph() {
    const graph = super.graph();
    const order = this.report().controllers.map(({ name }) => name);
    const at = (name: string) => order.indexOf(name);
    return { ...graph, edges: graph.edges.toSorted((a, b) => at(a.controller) - at(b.controller)) };
  }
}

class Orphanless extends Runtime {
  override async blockers(...args: Parameters<Runtime['blockers']>) {
    const found = await super.blockers(...args);
    return { ...found, blockers: found.blockers.map((blocker) => ({ ...blocker, isOrphan: false })) };
  }
}

class Cheerful extends Runtime {
  override report() {
    const report = super.report();
    const parts = report.health.parts.map((part) => ({ ...part, status: 'live' as const }));
    return { ...report, health: { status: 'live' as const, parts } };
  }
}

/** A logger that does not keep the errors themselves. */
function wordless(logger: Logger | undefined): Logger | undefined {
  if (logger === undefined) return undefined;
  const without = ({ err: _, ...facts }: { readonly err?: unknown }) => facts;
  return {
    debug: (facts, message) => logger.debug(without(facts), message),
    info: (facts, message) => logger.info(without(facts), message),
    warn: (facts, message) => logger.warn(without(facts), message),
    error: (facts, message) => logger.error(without(facts), message),
    child: (facts) => wordless(logger.child(facts)) ?? logger,
  };
}

class Frail extends TaskRunner<string> {
  constructor(
    run: ConstructorParameters<typeof TaskRunner<string>>[0],
    options?: ConstructorParameters<typeof TaskRunner<string>>[1],
  ) {
    super(async (context) => {
      await Promise.resolve()
        .then(() => run(context))
        .catch(() => undefined);
    }, options);
  }
}

export const brokenRuntimeRules: readonly BrokenRuntime[] = [
  broken('C7', 'it can be run again', { Runtime: Again }),
  broken('C7', 'it does not wait for its work', { Runtime: Hasty }),
  broken('C7', 'a watch is left behind', { Runtime: Leaking }),
  brokenOptions('C10', 'nothing is cached', () => ({ cached: [] })),
  broken('C11', 'the graph is in the order of registration', { Runtime: Unsorted }),
  brokenOptions('C12', 'nothing is measured', () => ({ meter: undefined })),
  broken('C13', 'a task that crashed is not started again', { TaskRunner: Frail }),
  brokenOptions('C14', 'errors are not logged', ({ logger }) => ({ logger: wordless(logger) })),
  broken('C15', 'nothing can be queued from outside', { Runtime: Deaf }),
  broken('C17', 'long delays are none', {
    requeueAfter: (delayMs) => requeueAfter(delayMs > 2 ** 31 - 1 ? 1 : delayMs),
  }),
  brokenOptions('C18', 'everyone leads', () => ({ leaderElection: undefined })),
  broken('S19', 'there are no orphans', { Runtime: Orphanless }),
  broken('W16', 'all is always well', { Runtime: Cheerful }),
];
