import { type ApiRequest, Problem, type Route, readJson, route } from '@cosi-ts/app-kit';
import { isAlreadyExists, type JsonValue } from '@cosi-ts/resource';
import type { Definition } from '../definition/definition.js';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { signalNameProblem } from '../definition/names.js';
import { expectedSignals } from '../engine/signal-name.js';
import { isFinal, Signal } from '../resources/index.js';
import type { WorkflowEngine } from '../workflow-engine.js';
import { approvalOf } from './approvals.js';
import { BodyFields } from './body-fields.js';
import { jsonOf } from './json-text.js';
import { runParts, runView } from './run-view.js';
import { waitsOf } from './run-waits.js';

/** `/runs/:run/signals`, and approvals and refusals, which are signals with a meaning. */
export function signalRoutes(
  engine: Pick<WorkflowEngine, 'state' | 'signal'>,
  definitions: DefinitionCache,
): readonly Route[] {
  const { state } = engine;

  /** The definition of a run that goes on. */
  const runOf = async ({ params, signal }: ApiRequest): Promise<{ id: string; definition: Definition }> => {
    const parts = await runParts(state, params.run as string, { signal });
    const { id, state: present } = runView(parts);
    if (isFinal(present)) {
      throw new Problem(
        409,
        'run-over',
        `run ${id} ${present === 'cancelled' ? 'was cancelled' : `has ${present}`}: it waits for nothing any more`,
      );
    }
    const { definition } = definitions.parseBegun(parts.run.spec.source);
    if (definition === undefined) throw new Problem(409, 'invalid-definition', `the definition of run ${id} is wrong`);
    return { id, definition };
  };

  const send = async (run: string, name: string, payload: JsonValue, by: string, signal: AbortSignal) => {
    try {
      await engine.signal(run, name, { payload, by, signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      throw new Problem(
        409,
        'already-sent',
        `the signal ${name} was sent to run ${run} already, and the first counts`,
        {
          hint: `another one can be sent when a step has taken it; GET /runs/${run}/signals shows it`,
        },
      );
    }
  };

  const list = async ({ params, signal }: ApiRequest) => {
    const parts = await runParts(state, params.run as string, { signal });
    const run = parts.run.metadata.id;
    const { definition } = definitions.parseBegun(parts.run.spec.source);
    const all = await state.list(Signal.kind, { signal });
    const signals = all
      .filter(({ spec }) => spec.run === run)
      .map(({ metadata, spec: { name, payload, by } }) => {
        return { name, payload: jsonOf(payload), by, created: metadata.created.toString() };
      });
    const waits = definition === undefined ? [] : await waitsOf(state, run, definition, { signal });
    return { status: 200, body: { signals, waits } };
  };

  const signalTo = async (request: ApiRequest) => {
    const { id, definition } = await runOf(request);
    const name = request.params.name as string;
    const { fixed, hasOthers } = expectedSignals(definition);
    // Names that the run makes itself may be made later.
    if (!fixed.has(name) && !(hasOthers && signalNameProblem(name) === undefined)) {
      throw new Problem(404, 'not-found', `no step of run ${id} waits for a signal ${JSON.stringify(name)}`, {
        hint: fixed.size === 0 ? 'none waits for any' : `signals that they wait for: ${[...fixed].join(', ')}`,
      });
    }
    const fields = new BodyFields(await readJson(request.raw), ['payload', 'by']);
    const payload = fields.value('payload') ?? null;
    await send(id, name, payload, fields.text('by') ?? '', request.signal);
    return { status: 201, body: { run: id, name, payload } };
  };

  const decide = (approved: boolean) => async (request: ApiRequest) => {
    const { id, definition } = await runOf(request);
    const fields = new BodyFields(await readJson(request.raw), ['step', 'index', 'by', 'comment']);
    const [by, comment] = [fields.text('by') ?? '', fields.text('comment') ?? ''];
    const waits = await waitsOf(state, id, definition, { signal: request.signal });
    const asked = { step: fields.text('step'), index: fields.integer('index') };
    const { signal: name, step, index } = approvalOf(id, definition, waits, asked);
    const payload = { approved, ...(by === '' ? {} : { by }), ...(comment === '' ? {} : { comment }) };
    await send(id, name, payload, by, request.signal);
    return { status: 201, body: { run: id, step, index, signal: name, approved } };
  };

  return [
    route('GET', '/runs/:run/signals', list),
    route('POST', '/runs/:run/signals/:name', signalTo),
    route('POST', '/runs/:run/approve', decide(true)),
    route('POST', '/runs/:run/reject', decide(false)),
  ];
}
