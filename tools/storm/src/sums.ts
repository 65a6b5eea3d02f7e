import { isPhaseConflict, label, type TypedPointer } from '@cosi-ts/resource';
import { type Controller, type ControllerState, destroyReady, exclusive, weak } from '@cosi-ts/runtime';
import { ColorSums, Factors, Grands, GroupSums, Parts, Sums } from './kinds.js';

const total = (resources: readonly { readonly spec: { readonly value: number } }[]) =>
  resources.reduce((sum, { spec }) => sum + spec.value, 0);

/** Writes a value. One that is torn down belongs to an earlier time: it goes first, or is left until it can. */
async function put(state: ControllerState, pointer: TypedPointer<{ value: number }>, value: number): Promise<void> {
  for (;;) {
    try {
      await state.modify(pointer, (draft) => {
        draft.spec.value = value;
      });
      return;
    } catch (error) {
      if (!isPhaseConflict(error)) throw error;
    }
    if (!(await state.destroyIfReady(pointer))) return;
  }
}

/** Controllers that look at everything. */
export const sums: readonly Controller[] = [
  {
    name: 'Sum',
    inputs: [weak(Parts.kind)],
    outputs: [exclusive(Sums)],
    async run({ events, state }) {
      for await (const _ of events) await put(state, Sums.at('all'), total(await state.list(Parts.kind)));
    },
  },
  {
    name: 'ColorSum',
    inputs: [weak(Parts.kind), destroyReady(ColorSums.kind)],
    outputs: [exclusive(ColorSums)],
    async run({ events, state, startTrackingOutputs, cleanupOutputs }) {
      for await (const _ of events) {
        startTrackingOutputs();
        const found = new Map<string, number>();
        for (const { metadata, spec } of await state.list(Parts.kind)) {
          const { color = '' } = metadata.labels;
          found.set(color, (found.get(color) ?? 0) + spec.value);
        }
        for (const [color, value] of found) await put(state, ColorSums.at(color), value);
        await cleanupOutputs(ColorSums.kind);
      }
    },
  },
  {
    name: 'GroupSum',
    inputs: [weak(Parts.kind), weak(Factors.kind)],
    outputs: [exclusive(GroupSums)],
    async run({ events, state }) {
      for await (const _ of events) {
        for (const { metadata } of await state.list(Factors.kind)) {
          const { id } = metadata;
          await put(state, GroupSums.at(id), total(await state.list(Parts.kind, { labels: [label('group').is(id)] })));
        }
      }
    },
  },
  {
    name: 'Grand',
    inputs: [weak(ColorSums.kind)],
    outputs: [exclusive(Grands)],
    async run({ events, state }) {
      for await (const _ of events) {
        const running = (await state.list(ColorSums.kind)).filter(({ metadata }) => metadata.phase === 'running');
        await put(state, Grands.at('grand'), total(running));
      }
    },
  },
];
