import type { Resource } from '@cosi-ts/resource';
import type { UpdateOptions } from '@cosi-ts/state';
import type { StateFeatures } from '../features.js';
import { show } from '../show.js';
import type { StateTest } from '../state-test.js';
import type { Command } from './commands.js';
import type { Explanations } from './explanations.js';
import { answerOf, outcomeOf } from './outcome.js';
import { type KindName, modelKinds, type PlainResource, plainOf, resourceOf } from './plain.js';
import { modelQueries, type QueryName } from './queries.js';
import { contentOf, type SentWrite } from './sent-write.js';
import { listed, type Outcome, stored, written } from './world.js';

/** Makes operations on the state, and has their answers explained. */
export class ModelOperations {
  readonly #t: StateTest;
  readonly #features: StateFeatures;
  readonly #explanations: Explanations;

  constructor(t: StateTest, features: StateFeatures, explanations: Explanations) {
    this.#t = t;
    this.#features = features;
    this.#explanations = explanations;
  }

  /** Makes the writes at once: they may have come in any order. */
  async writes(writes: readonly SentWrite[]): Promise<void> {
    const answers = await Promise.all(writes.map((write) => outcomeOf(this.#send(write))));
    const wanted: string[] = [];
    this.#explanations.explain(
      (explanation) =>
        permutations(writes.map((_, i) => i)).flatMap((order) => {
          let { world } = explanation;
          const outcomes: Outcome[] = [];
          for (const i of order) {
            const step = written(world, writes[i] as SentWrite, answers[i] as Outcome, this.#features);
            world = step.world;
            outcomes[i] = step.outcome;
          }
          wanted.push(show(outcomes));
          return show(outcomes) === show(answers) ? [{ ...explanation, world }] : [];
        }),
      () => `${show(writes)}\n  gave ${show(answers)}`,
      () => wanted,
    );
  }

  async #send(write: SentWrite): Promise<Resource | undefined> {
    const { op, kind, id, content, version, owner, expectedPhase } = write;
    const { core } = this.#t;
    const resource = resourceOf(kind, { ...content, id }, version);
    if (op === 'create') return core.create(resource, { owner });
    const options: UpdateOptions = expectedPhase === undefined ? { owner } : { owner, expectedPhase };
    if (op === 'update') return core.update(resource, options);
    await core.destroy({ ...modelKinds[kind], id }, { owner });
    return undefined;
  }

  async teardown(kind: KindName, id: string, owner: string | undefined): Promise<void> {
    const present = this.#explanations.present(kind, id);
    const given = owner ?? present?.owner ?? '';
    const answer = await answerOf(this.#t.state.teardown({ ...modelKinds[kind], id }, { owner: given }));
    const ready = ({ finalizers }: PlainResource) => ({ value: finalizers.length === 0 });
    if (present?.phase === 'tearingDown') {
      return this.#explanations.expect(`teardown of ${id}`, answer, () => ready(present));
    }
    const content = { ...contentOf(present), phase: 'tearingDown' as const };
    await this.#composed('teardown', answer, { kind, id, content, owner: given }, ready);
  }

  async finalizer({ kind, id, name, add }: Extract<Command, { op: 'finalizer' }>): Promise<void> {
    const { state } = this.#t;
    const pointer = { ...modelKinds[kind], id };
    const present = this.#explanations.present(kind, id);
    const answer = await answerOf(add ? state.addFinalizer(pointer, name) : state.removeFinalizer(pointer, name));
    const done = () => ({ value: undefined });
    if (present !== undefined && present.finalizers.includes(name) === add) {
      return this.#explanations.expect(`a finalizer of ${id} that is so already`, answer, done);
    }
    const { finalizers, ...rest } = contentOf(present);
    const changed = add ? [...finalizers, name] : finalizers.filter((each) => each !== name);
    const write = { kind, id, content: { ...rest, finalizers: changed }, owner: rest.owner };
    await this.#composed('a change of finalizers', answer, write, done);
  }

  /** An operation that is an update in the end, of which only a get tells the time. */
  async #composed(
    what: string,
    answer: unknown,
    write: Pick<SentWrite, 'kind' | 'id' | 'content' | 'owner'>,
    answered: (resource: PlainResource) => unknown,
  ): Promise<void> {
    const { kind, id } = write;
    const after = await outcomeOf(this.#t.core.get({ ...modelKinds[kind], id }));
    const wanted: string[] = [];
    this.#explanations.explain(
      (explanation) => {
        const version = stored(explanation.world, kind, id)?.version;
        const sent: SentWrite = { op: 'update', ...write, version, expectedPhase: 'any' };
        const { world, outcome } = written(explanation.world, sent, after, this.#features);
        const right = show('resource' in outcome ? answered(outcome.resource) : outcome);
        wanted.push(right);
        return right === show(answer) ? [{ ...explanation, world }] : [];
      },
      () => `${what} of ${id} gave ${show(answer)}`,
      () => wanted,
    );
    await this.get(kind, id);
  }

  async get(kind: KindName, id: string): Promise<void> {
    const answer = await outcomeOf(this.#t.core.get({ ...modelKinds[kind], id }));
    this.#explanations.expect(`get of ${id}`, answer, (world) => {
      const resource = stored(world, kind, id);
      return resource === undefined ? { code: 'not-found' } : { resource };
    });
  }

  async list(kind: KindName, query: QueryName): Promise<void> {
    const { options, matches } = modelQueries[query];
    const list = await this.#t.core.list(modelKinds[kind], options);
    this.#explanations.expect(`list of ${kind} by ${query}`, list.map(plainOf), (world) =>
      listed(world, kind).filter(matches),
    );
  }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}
