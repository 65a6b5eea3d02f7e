import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protobufMarshaler } from '@cosi-ts/marshalers';
import type { Logger } from '@cosi-ts/runtime';
import { namespaced, type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import type { Executor } from '../executors/executor.js';
import { RunStatus, Workflow } from '../resources/index.js';
import { workflowRegistry } from '../resources/registry.js';
import { isFinal } from '../resources/states.js';
import { WorkflowEngine } from '../workflow-engine.js';

/** What a load took. */
export interface Load {
  readonly name: string;
  readonly steps: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly rssMb: number;
  /** The most so far. */
  readonly maxRssMb: number;
}

export interface LoadOptions {
  /** Items of the fan-out. */
  readonly items: number;
  readonly parallel: number;
  /** Chains of ten steps each. */
  readonly chains: number;
  /** Whether everything is kept on disk, in a folder that is removed at the end. */
  readonly durable: boolean;
}

const lengthOfChain = 10;

const fanOut = (parallel: number) => `
name: fan-out
inputs:
  items: { type: list }
steps:
  each:
    forEach:
      items: \${{ inputs.items }}
      parallel: ${parallel}
    function: nothing
    with: { n: "\${{ item }}" }
`;

const chain = `
name: chain
steps:
${Array.from({ length: lengthOfChain }, (_, i) => `  s${i}:\n${i === 0 ? '' : `    needs: s${i - 1}\n`}    function: nothing\n`).join('')}`;

/** The engine does nothing else than what the steps cost it: their function does nothing. */
const nothing: Executor = { name: 'function', execute: async () => ({ state: 'succeeded', outputs: {} }) };

const silent: Logger = (() => {
  const log = () => undefined;
  const logger = { trace: log, debug: log, info: log, warn: log, error: log, child: () => logger };
  return logger as unknown as Logger;
})();

/** Executes a fan-out, and chains side by side, one after the other. */
export async function* loads(options: LoadOptions): AsyncGenerator<Load> {
  const folder = options.durable ? await mkdtemp(join(tmpdir(), 'workflow-bench-')) : undefined;
  const store =
    folder === undefined
      ? undefined
      : await openLevelDBStore(folder, { marshaler: protobufMarshaler({ types: workflowRegistry }) });
  try {
    const core =
      store === undefined
        ? new InMemoryState()
        : namespaced((name) => new InMemoryState(name, { store: store.namespace(name) }));
    const state = wrapState(core);
    await state.create(Workflow.new('fan-out', { source: fanOut(options.parallel) }));
    await state.create(Workflow.new('chain', { source: chain }));
    await using engine = await WorkflowEngine.start({
      state,
      executors: [nothing],
      logger: silent,
      slots: { function: 256 },
    });
    const items = Array.from({ length: options.items }, (_, i) => i);
    yield await measured('fan-out', options.items, async () => {
      await engine.startRun('fan-out', { id: 'fan-out', inputs: { items } });
      await untilSucceeded(state, 'fan-out');
    });
    const ids = Array.from({ length: options.chains }, (_, i) => `chain-${i}`);
    yield await measured('chains', options.chains * lengthOfChain, async () => {
      await Promise.all(ids.map((id) => engine.startRun('chain', { id })));
      await Promise.all(ids.map((id) => untilSucceeded(state, id)));
    });
  } finally {
    await store?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  }
}

async function untilSucceeded(state: State, id: string): Promise<void> {
  const { spec } = await state.watchFor(RunStatus.at(id), {
    events: ['created', 'updated'],
    matches: (status) => isFinal(status.spec.state),
  });
  if (spec.state !== 'succeeded') throw new Error(`the run ${id} is ${spec.state}: ${spec.message}`);
}

async function measured(name: string, steps: number, work: () => Promise<void>): Promise<Load> {
  const [beganMs, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - beganMs;
  const [rssMb, maxRssMb] = [process.memoryUsage.rss() / 2 ** 20, process.resourceUsage().maxRSS / 1024];
  return { name, steps, ms, cpuMs: (user + system) / 1000, rssMb, maxRssMb };
}
