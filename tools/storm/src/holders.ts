import { isNotFound, label, type Metadata } from '@cosi-ts/resource';
import {
  type ControllerState,
  cleanup,
  destroy,
  exclusive,
  mappedDestroyReady,
  primary,
  type QueueController,
  removeOutputs,
  requeueAfter,
  sameId,
  shared,
} from '@cosi-ts/runtime';
import { Copies, Crumbs, Parts } from './kinds.js';

/** Takes hold of a part that runs. False when it is being torn down, or is gone: another change tells. */
async function hold(state: ControllerState, part: Metadata): Promise<boolean> {
  if (part.finalizers.includes(state.owner)) return true;
  try {
    await state.addFinalizer(part);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  const now = await state.find(Parts.at(part.id), { uncached: true });
  return now?.metadata.phase === 'running';
}

const copier: QueueController = {
  name: 'Copier',
  concurrency: 4,
  inputs: [primary({ ...Parts.kind }), mappedDestroyReady(Copies.kind, sameId(Parts.kind))],
  outputs: [exclusive(Copies)],
  async reconcile({ id }, { state }) {
    const part = await state.find(Parts.at(id));
    if (part === undefined) return;
    if (part.metadata.phase === 'tearingDown' || !(await hold(state, part.metadata))) {
      if (await state.destroyIfReady(Copies.at(id))) await state.removeFinalizer(part.metadata);
      return;
    }
    await state.modify(Copies.at(id), (draft) => {
      draft.spec.value = part.spec.value;
    });
  },
};

/**
 * Leaves a crumb, which nobody owns, of each part, once the sweeper holds the part, too: of one that comes and goes before
 * the sweeper has seen it, nobody would take the crumb away.
 */
const crumbler: QueueController = {
  name: 'Crumbler',
  concurrency: 4,
  inputs: [primary({ ...Parts.kind })],
  outputs: [shared(Crumbs)],
  async reconcile({ id }, { state }) {
    const part = await state.find(Parts.at(id));
    if (part === undefined) return;
    const { phase, finalizers } = part.metadata;
    if (phase === 'tearingDown') {
      await state.removeFinalizer(part.metadata);
      return;
    }
    if (!finalizers.includes('Sweeper')) return;
    if (!(await hold(state, part.metadata))) return;
    await state.modify(
      Crumbs.at(`crumb-${id}`),
      (draft) => {
        draft.spec.value = part.spec.value;
        draft.metadata.labels.part = id;
      },
      { owner: '' },
    );
  },
};

/** Sweeps the crumbs of a part that goes, once no more of them are made. */
const sweeper = cleanup({
  name: 'Sweeper',
  concurrency: 4,
  input: Parts.kind,
  handlers: [
    {
      run: ({ metadata }) => (metadata.finalizers.includes('Crumbler') ? requeueAfter(2) : undefined),
    },
    removeOutputs(Crumbs.kind, ({ metadata }) => ({ labels: [label('part').is(metadata.id)] })),
  ],
});

/** Controllers that hold parts while they have something to do with them, and the one that takes parts away. */
export const holders: readonly QueueController[] = [copier, crumbler, sweeper, destroy(Parts.kind, { concurrency: 4 })];
