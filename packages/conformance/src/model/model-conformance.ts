import * as fc from 'fast-check';
import { within } from '../deadline.js';
import { resolveFeatures } from '../features.js';
import { resolveRunOptions } from '../runner.js';
import type { StateConformanceOptions } from '../state-conformance.js';
import { StateTest } from '../state-test.js';
import { commandsArbitrary } from './commands.js';
import { ModelRun } from './model-run.js';

export interface ModelConformanceOptions extends StateConformanceOptions {
  /** How many random sequences of commands are tried, each on a fresh state. Default: 100. */
  readonly runs?: number | undefined;
  /** The longest sequence. Default: 60. */
  readonly maxCommands?: number | undefined;
  /** What the sequences are made from. Default: another one each time. A failure tells the one it used. */
  readonly seed?: number | undefined;
  /** Where in the sequences of a seed to begin, as a failure tells it. */
  readonly path?: string | undefined;
}

/**
 * Registers one test: random operations and watches, some of them racing, are made on the state and on a plain model,
 * and whatever the state answers must be what the model can explain. A failure comes with the seed and the shortest
 * sequence that was found to fail.
 */
export function modelConformance(options: ModelConformanceOptions): void {
  const features = resolveFeatures(options.supports);
  const run = resolveRunOptions(options);
  const { runs = 100, maxCommands = 60, seed, path } = options;
  const title =
    'S2, S3, S4, S5, S6, S10, S11, S16, W1, W3, W4, W5, W6, W7, W8, W11: random operations and watches agree with a model';
  const property = fc.asyncProperty(commandsArbitrary(features, maxCommands), async (commands) => {
    const t = new StateTest(await options.factory(), options.factory, run);
    try {
      await within({ ...run, waitMs: run.testMs }, new ModelRun(t, features).run(commands), 'the end of the commands');
    } finally {
      await t.end();
    }
  });
  options.it(title, () =>
    fc.assert(property, {
      numRuns: runs,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path }),
    }),
  );
}
