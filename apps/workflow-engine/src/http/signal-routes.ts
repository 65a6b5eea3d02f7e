import { type ApiRequest, Problem, type Route, readJson, route } from '@cosi-ts/app-kit';
import { isAlreadyExists, isNotFound, type JsonValue, label } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import { textOf } from '../controllers/times.js';
import type { Definition } from '../definition/definition.js';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { isFinal, labels, Signal, StepResult, signalId } from '../resources/index.js';
import { BodyFields, wrong } from './body-fields.js';
import { find } from './find.js';
import { jsonOf } from './json-text.js';
import { runParts, runView } from './run-view.js';
import { type WaitView, waitingSteps, waitsOf } from './run-waits.js';

/** `/runs/:run/signals`, and approvals and refusals, which are signals with a meaning. */
export function signalRoutes(state: State, definitions: DefinitionCache): readonly Route[] {
  /** The definition of a run that goes on. */
  const runOf = async ({ params, signal }: ApiRequest): Promise<{ id: string; definition: Definition }> => {
    const parts = await runParts(state, params.run as string, { signal });
    const { id, state: present } = runView(parts);
    if (isFinal(present)) {
      throw new Problem(409, 'run-over', `run ${id} is ${present}: it waits for nothing any more`);
    }
    const { definition } = definitions.parse(parts.run.spec.source);
    if (definition === undefined) throw new Problem(409, 'invalid-definition', `the definition of run ${id} is wrong`);
    return { id, definition };
  };

  const send = async (run: string, name: string, payload: JsonValue, by: string, signal: AbortSignal) => {
    const id = signalId(run, name);
    const text = JSON.stringify(payload);
    const made = () =>
      state.create(Signal.new(id, { run, name, payload: text, by }, { labels: { [labels.run]: run } }), { signal });
    try {
      return await made();
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (!(await isTaken(state, run, name, signal))) {
        throw new Problem(
          409,
          'already-sent',
          `the signal ${name} was sent to run ${run} already, and the first counts`,
          {
            hint: `another one can be sent when a step has taken it; GET /runs/${run}/signals shows it`,
          },
        );
      }
    }
    // A step has taken the one before: another step, or another round, may wait for the next.
    try {
      await state.destroy(Signal.at(id), { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return made();
  };

  const list = async ({ params, signal }: ApiRequest) => {
    const parts = await runParts(state, params.run as string, { signal });
    const run = parts.run.metadata.id;
    const { definition } = definitions.parse(parts.run.spec.source);
    const names = definition === undefined ? [] : signalNames(definition);
    const found = await Promise.all(names.map((name) => find(state, Signal.at(signalId(run, name)), { signal })));
    const signals = found.flatMap((each) =>
      each === undefined
        ? []
        : [
            {
              name: each.spec.name,
              payload: jsonOf(each.spec.payload),
              by: each.spec.by,
              created: each.metadata.created.toString(),
            },
          ],
    );
    const waits = definition === undefined ? [] : await waitsOf(state, run, definition, { signal });
    return { status: 200, body: { signals, waits } };
  };

  const signalTo = async (request: ApiRequest) => {
    const { id, definition } = await runOf(request);
    const name = request.params.name as string;
    const names = signalNames(definition);
    if (!names.includes(name)) {
      throw new Problem(404, 'not-found', `no step of run ${id} waits for a signal ${JSON.stringify(name)}`, {
        hint: names.length === 0 ? 'none waits for any' : `there are ${names.join(', ')}`,
      });
    }
    const fields = new BodyFields(await readJson(request.raw), ['payload', 'by']);
    const payload = fields.value('payload') ?? null;
    await send(id, name, payload, fields.text('by') ?? '', request.signal);
    return { status: 201, body: { run: id, name, payload } };
  };

  const decide = (approved: boolean) => async (request: ApiRequest) => {
    const { id, definition } = await runOf(request);
    const fields = new BodyFields(await readJson(request.raw), ['step', 'by', 'comment']);
    const [by, comment] = [fields.text('by') ?? '', fields.text('comment') ?? ''];
    const waits = await waitsOf(state, id, definition, { signal: request.signal });
    const { signal: name, step } = approvalOf(id, definition, waits, fields.text('step'));
    const payload = { approved, ...(by === '' ? {} : { by }), ...(comment === '' ? {} : { comment }) };
    await send(id, name, payload, by, request.signal);
    return { status: 201, body: { run: id, step, signal: name, approved } };
  };

  return [
    route('GET', '/runs/:run/signals', list),
    route('POST', '/runs/:run/signals/:name', signalTo),
    route('POST', '/runs/:run/approve', decide(true)),
    route('POST', '/runs/:run/reject', decide(false)),
  ];
}

function signalNames(definition: Definition): readonly string[] {
  return [...new Set(waitingSteps(definition).map(({ action }) => action.signal))];
}

/** Which approval is meant: that of the step that was named, or the only one that the run waits for. */
function approvalOf(
  run: string,
  definition: Definition,
  waits: readonly WaitView[],
  named: string | undefined,
): { readonly step: string; readonly signal: string } {
  const approvals = waitingSteps(definition).filter(({ action }) => action.approval !== undefined);
  const steps = approvals.map(({ step }) => step);
  if (named !== undefined) {
    const found = approvals.find(({ step }) => step === named);
    // It may come before the step waits for it.
    if (found !== undefined) return { step: named, signal: found.action.signal };
    const others = steps.length === 0 ? 'no step asks for an approval' : `there are ${steps.join(', ')}`;
    throw wrong('step', `step ${JSON.stringify(named)} asks for no approval; ${others}`);
  }
  const open = waits.filter(({ approval }) => approval);
  const [first] = open;
  const signals = new Set(open.map(({ signal }) => signal));
  if (first !== undefined && signals.size === 1) return first;
  if (first === undefined) {
    const later =
      steps.length === 0 ? 'no step of it asks for one' : `it can be given in advance to ${steps.join(', ')}, by name`;
    throw new Problem(409, 'nothing-waits', `run ${run} waits for no approval now`, { hint: later });
  }
  throw new Problem(409, 'which-step', `run ${run} waits for ${open.length} approvals`, {
    field: 'step',
    hint: `say which step is meant: ${open.map(({ step }) => step).join(', ')}`,
  });
}

/** Whether a step has taken the signal that there is. */
async function isTaken(state: State, run: string, name: string, signal: AbortSignal): Promise<boolean> {
  const present = await find(state, Signal.at(signalId(run, name)), { signal });
  if (present === undefined) return true;
  const at = present.metadata.created.toString();
  const results = await state.list(StepResult.kind, { labels: [label(labels.run).is(run)], signal });
  return results.some(({ spec }) => textOf(spec.signalAt) === at);
}
