import { label, type TypedDraft, type TypedResource } from '@cosi-ts/resource';
import {
  type Controller,
  destroyOutput,
  fromResource,
  mapped,
  type QueueController,
  qtransform,
  requeueAfter,
  transform,
  weak,
} from '@cosi-ts/runtime';
import type { Random } from '@cosi-ts/state';
import { isEven } from './expected.js';
import {
  ColorNames,
  ColorSums,
  Echoes,
  Evens,
  Factors,
  Flaky,
  Parts,
  Products,
  Reds,
  Shares,
  Sparse,
  Squares,
  Steps,
  Texts,
  Thirds,
} from './kinds.js';

type Numbered = TypedResource<{ value: number }>;

const set = (value: (input: Numbered) => number) => (draft: TypedDraft<{ value: number }>, input: Numbered) => {
  draft.spec.value = value(input);
};

const groupOf = ({ metadata }: Numbered) => metadata.labels.group ?? '';

/** Controllers that make one output of each input. */
export function transforms(random: Random): readonly (Controller | QueueController)[] {
  const input = Parts.kind;
  const quick = { concurrency: 4 };
  return [
    qtransform({
      ...quick,
      name: 'Squarer',
      input,
      output: Squares.kind,
      transform: set(({ spec }) => spec.value ** 2),
    }),
    qtransform({
      ...quick,
      name: 'Multiplier',
      input,
      output: Products.kind,
      extraInputs: [
        // Another factor concerns all parts of its group.
        mapped(
          Factors.kind,
          fromResource(Factors.kind, async ({ metadata }, { state }) => {
            const concerned = await state.list(Parts.kind, { labels: [label('group').is(metadata.id)] });
            return concerned.map((part) => Parts.at(part.metadata.id));
          }),
        ),
      ],
      async transform(draft, part, { state }) {
        const factor = await state.find(Factors.at(groupOf(part)));
        draft.spec.value = part.spec.value * (factor?.spec.value ?? 0);
      },
    }),
    qtransform({
      ...quick,
      name: 'Evens',
      input,
      output: Evens.kind,
      map: ({ metadata }) => (isEven(metadata.id) ? Evens.at(`even-${metadata.id}`) : undefined),
      unmap: ({ id }) => Parts.at(id.slice('even-'.length)),
      transform: set(({ spec }) => spec.value),
    }),
    qtransform({
      ...quick,
      name: 'Writer',
      input: Squares.kind,
      output: Texts.kind,
      transform(draft, square) {
        draft.spec.text = `square ${square.spec.value}`;
      },
    }),
    qtransform({
      ...quick,
      name: 'Echo',
      input: Texts.kind,
      output: Echoes.kind,
      transform(draft, { spec }) {
        draft.spec.text = `${spec.text}!`;
      },
    }),
    qtransform({
      name: 'Namer',
      input: ColorSums.kind,
      output: ColorNames.kind,
      transform(draft, { metadata, spec }) {
        draft.spec.text = `${metadata.id} ${spec.value}`;
      },
    }),
    qtransform({
      ...quick,
      name: 'Stepper',
      input,
      output: Steps.kind,
      // Goes half of the way each time, and the rest when it is near.
      transform(draft, { spec }) {
        const left = spec.value - (draft.spec.value ?? 0);
        draft.spec.value = Math.abs(left) < 300 ? spec.value : (draft.spec.value ?? 0) + Math.trunc(left / 2);
        return draft.spec.value === spec.value ? undefined : requeueAfter(2);
      },
    }),
    qtransform({
      ...quick,
      name: 'Sparse',
      input,
      output: Sparse.kind,
      transform(draft, { spec }) {
        if (spec.value % 3 === 0) return destroyOutput;
        draft.spec.value = spec.value;
        return undefined;
      },
    }),
    qtransform({
      ...quick,
      name: 'Flaky',
      input,
      output: Flaky.kind,
      transform(draft, { spec }) {
        if (random.float() < 0.05) throw new Error('no luck');
        draft.spec.value = spec.value;
      },
    }),
    transform({
      name: 'Sharer',
      input,
      output: Shares.kind,
      extraInputs: [weak(Factors.kind)],
      async transform(draft, part, { state }) {
        const factor = await state.find(Factors.at(groupOf(part)));
        draft.spec.value = part.spec.value + (factor?.spec.value ?? 0);
      },
    }),
    transform({
      name: 'Third',
      input,
      output: Thirds.kind,
      inputFinalizers: true,
      transform: set(({ spec }) => spec.value / 3),
    }),
    transform({
      name: 'Red',
      input,
      output: Reds.kind,
      inputQuery: { labels: [label('color').is('red')] },
      transform: set(({ spec }) => spec.value),
    }),
  ];
}
