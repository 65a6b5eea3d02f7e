import { type ApiRequest, Problem, type Route, route } from '@cosi-ts/app-kit';
import type { State } from '@cosi-ts/state';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { find } from '../resources/find.js';
import { StepResult, type StepState, stepStates } from '../resources/index.js';
import { executionId } from '../resources/labels.js';
import { batchParts, type ExecutionParts, executionDetail, executionParts, executionView } from './execution-view.js';
import { jsonOf } from './json-text.js';
import { choicesIn, integerIn } from './query-values.js';
import { type RunParts, runParts, runView, type StepSummaryView } from './run-view.js';

/** `/runs/:run/steps/:step`: executions in pages, so that ten thousand of them are as usable as one. */
export function executionsRoutes(state: State, definitions: DefinitionCache): readonly Route[] {
  const step = async ({ params, signal }: Pick<ApiRequest, 'params' | 'signal'>) =>
    stepOf(await runParts(state, params.run as string, { signal }), params.step as string, definitions);

  const list = async (request: ApiRequest) => {
    const { query, signal } = request;
    const { run, summary, isMany, hasItems } = await step(request);
    const offset = integerIn(query, 'offset', [0, Number.MAX_SAFE_INTEGER], 0);
    const limit = integerIn(query, 'limit', [1, 1000], 100);
    const states = choicesIn<StepState>(query, 'state', stepStates);
    const { step: name, total } = summary;
    const found = await pageOf(state, { run, step: name, isMany, hasItems, total, offset, limit, states }, signal);
    const next = offset + found.page.length < found.total ? offset + found.page.length : null;
    return {
      status: 200,
      body: { step: summary, executions: found.page.map(executionView), total: found.total, offset, next },
    };
  };

  const one = async (request: ApiRequest) => {
    const { params, signal } = request;
    const { run, summary, isMany } = await step(request);
    const index = indexOf(params.index as string, isMany);
    const parts = await executionParts(state, run, { step: summary.step, index }, { signal });
    if (parts.attempt === undefined && parts.result === undefined) {
      throw new Problem(404, 'not-found', `execution ${params.index} of step ${summary.step} has not begun`, {
        hint: `GET /runs/${run}/steps/${summary.step}/executions lists those that there are`,
      });
    }
    return { status: 200, body: executionDetail(parts) };
  };

  const outputs = async (request: ApiRequest) => {
    const { run, summary } = await step(request);
    const { signal } = request;
    const result = await find(state, StepResult.at(executionId(run, summary.step, -1)), { signal });
    return { status: 200, body: { step: summary.step, outputs: jsonOf(result?.spec.outputs ?? '') } };
  };

  return [
    route('GET', '/runs/:run/steps/:step', async (request) => {
      const { run, summary } = await step(request);
      const { signal } = request;
      const parts = await executionParts(state, run, { step: summary.step, index: -1 }, { signal });
      const isKnown = parts.attempt !== undefined || parts.result !== undefined;
      return { status: 200, body: { ...summary, execution: isKnown ? executionView(parts) : null } };
    }),
    route('GET', '/runs/:run/steps/:step/outputs', outputs),
    route('GET', '/runs/:run/steps/:step/executions', list),
    route('GET', '/runs/:run/steps/:step/executions/:index', one),
  ];
}

export interface StepOfRun {
  readonly run: string;
  readonly summary: StepSummaryView;
  /** Whether it has an execution for each item or round. */
  readonly isMany: boolean;
  readonly hasItems: boolean;
}

/** The step of a run. Throws a {@link Problem} when the definition of the run has none of that name. */
export function stepOf(parts: RunParts, name: string, definitions: DefinitionCache): StepOfRun {
  const { definition } = definitions.parseBegun(parts.run.spec.source);
  const found = definition?.steps.get(name) ?? definition?.finally.get(name);
  const id = parts.run.metadata.id;
  if (found === undefined) {
    const names = [...(definition?.steps.keys() ?? []), ...(definition?.finally.keys() ?? [])];
    throw new Problem(404, 'not-found', `run ${id} has no step ${JSON.stringify(name)}`, {
      hint: names.length === 0 ? 'its definition is wrong' : `it has ${names.join(', ')}`,
    });
  }
  const summary = runView(parts).steps.find(({ step }) => step === name) ?? {
    ...{ step: name, state: 'pending', total: 0, running: 0, succeeded: 0, failed: 0, dropped: 0 },
  };
  const hasItems = found.forEach !== undefined;
  return { run: id, summary, isMany: hasItems || found.repeat !== undefined, hasItems };
}

interface PageRequest {
  readonly run: string;
  readonly step: string;
  readonly isMany: boolean;
  readonly hasItems: boolean;
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly states: ReadonlySet<StepState> | undefined;
}

async function pageOf(
  state: State,
  { run, step, isMany, hasItems, total, offset, limit, states }: PageRequest,
  signal: AbortSignal,
): Promise<{ readonly page: readonly ExecutionParts[]; readonly total: number }> {
  if (!isMany) {
    const parts = await executionParts(state, run, { step, index: -1 }, { signal });
    const isWanted = states === undefined || states.has(executionView(parts).state);
    return { page: isWanted && offset === 0 ? [parts] : [], total: isWanted ? 1 : 0 };
  }
  // The ids of items are known, so that a page costs what it holds. What is pending has no resource of its own.
  if (hasItems && states === undefined && total > 0) {
    const count = Math.max(0, Math.min(limit, total - offset));
    const indices = Array.from({ length: count }, (_, i) => offset + i);
    return {
      page: await Promise.all(indices.map((index) => executionParts(state, run, { step, index }, { signal }))),
      total,
    };
  }
  const begun = await batchParts(state, run, step, { signal });
  const wanted = states === undefined ? begun : begun.filter((parts) => states.has(executionView(parts).state));
  return { page: wanted.slice(offset, offset + limit), total: wanted.length };
}

/** `-` names the one execution of a step without items. */
export function indexOf(text: string, isMany: boolean): number {
  if (text === '-' || text === '-1') return -1;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Problem(400, 'invalid-argument', `${JSON.stringify(text)} is no index of an execution`, {
    field: 'index',
    hint: isMany ? 'indices are counted from 0' : 'this step has one execution: use - as its index',
  });
}
