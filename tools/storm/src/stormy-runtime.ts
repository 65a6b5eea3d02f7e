import { isCosiError } from '@cosi-ts/resource';
import { type Logger, Runtime } from '@cosi-ts/runtime';
import type { CoreState, Random } from '@cosi-ts/state';
import { holders } from './holders.js';
import { Factors, Parts } from './kinds.js';
import { sums } from './sums.js';
import { transforms } from './transforms.js';

/** What went wrong in controllers: how often, by the name of the controller and what it was. */
export class Troubles {
  readonly #counts = new Map<string, number>();
  /** How many answers to writes of controllers were lost. */
  doubts = 0;

  readonly logger: Logger = this.#logger({});

  /** In the order of first appearance. */
  get all(): readonly string[] {
    return [...this.#counts].map(([what, count]) => `${what} (${count})`);
  }

  #logger(bound: Readonly<Record<string, unknown>>): Logger {
    const ignore = () => undefined;
    return {
      debug: ignore,
      info: ignore,
      warn: (_facts, message) => {
        if (message?.startsWith('the answer to a write was lost') === true) this.doubts++;
      },
      error: (facts, message) => this.#note({ ...bound, ...facts }, message),
      child: (facts) => this.#logger({ ...bound, ...facts }),
    };
  }

  #note({ controller, err }: { readonly controller?: unknown; readonly err?: unknown }, message = ''): void {
    const what = `${controller}: ${message}: ${describe(err)}`;
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { failures } = error as { readonly failures?: readonly { readonly error: Error }[] };
  if (failures !== undefined) return [...new Set(failures.map((failure) => describe(failure.error)))].join(', ');
  return isCosiError(error) ? error.code : error.message;
}

/** A runtime with twenty controllers of every kind. */
export function stormyRuntime(core: CoreState, random: Random, logger: Logger): Runtime {
  const backoff = { initialMs: 5, maxMs: 500 };
  const runtime = new Runtime(core, { logger, backoff, watchBackoff: backoff, cached: [Parts.kind, Factors.kind] });
  for (const controller of [...transforms(random), ...sums, ...holders]) runtime.register(controller);
  return runtime;
}
