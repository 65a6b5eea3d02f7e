import type { JsonValue } from '@cosi-ts/resource';
import type { RunView } from '../http/run-view.js';

/** What is wrong with one input, or at one place of a definition. */
export interface ApiProblem {
  readonly message: string;
  readonly input?: string;
  readonly line?: number;
  readonly column?: number;
}

/** An answer of the API that says no. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** Of the answer; 0 when none came. */
    readonly status: number,
    readonly code: string,
    readonly hint: string,
    readonly problems: readonly ApiProblem[],
  ) {
    super(message);
  }
}

interface ProblemBody {
  readonly detail?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly problems?: readonly ApiProblem[];
}

/** Asks the API. Rejects with an {@link ApiError}, or with the signal's reason. */
async function call<T>(method: string, path: string, body?: BodyInit, type?: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body === undefined ? {} : { body }),
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch {
    signal?.throwIfAborted();
    throw new ApiError('The engine does not answer.', 0, 'no-answer', 'It may be starting, or not run any more.', []);
  }
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json().catch(() => ({}))) as ProblemBody;
  const { detail = `The engine answered ${response.status}.`, code = '', hint = '', problems = [] } = problem;
  throw new ApiError(detail, response.status, code, hint, problems);
}

const json = 'application/json';
const post = <T>(path: string, body: object = {}) => call<T>('POST', path, JSON.stringify(body), json);

export const get = <T>(path: string, signal?: AbortSignal) => call<T>('GET', path, undefined, undefined, signal);

export const runPath = (run: string) => `runs/${encodeURIComponent(run)}`;
export const stepPath = (run: string, step: string) => `${runPath(run)}/steps/${encodeURIComponent(step)}`;
export const workflowPath = (name: string) => `workflows/${encodeURIComponent(name)}`;

export const startRun = (workflow: string, inputs: Readonly<Record<string, JsonValue>>) =>
  post<RunView>('runs', { workflow, inputs });
export const startSource = (source: string, inputs: JsonValue) => post<RunView>('runs', { source, inputs });
export const askRun = (run: string, what: 'cancel' | 'retry' | 'pause' | 'resume') =>
  post<RunView>(`${runPath(run)}/${what}`);
export const deleteRun = (run: string) => call<RunView>('DELETE', runPath(run));
export const decide = (
  run: string,
  what: 'approve' | 'reject',
  fields: { step: string; index?: number; comment: string },
) => post(`${runPath(run)}/${what}`, fields);
export const sendSignal = (run: string, name: string, payload: JsonValue) =>
  post(`${runPath(run)}/signals/${encodeURIComponent(name)}`, { payload });
export const applyWorkflow = (source: string) =>
  call<{ readonly name: string; readonly result: string }>('POST', 'workflows', source, 'application/yaml');
export const suspendSchedule = (name: string, suspended: boolean) =>
  call('PATCH', `schedules/${encodeURIComponent(name)}`, JSON.stringify({ suspended }), json);
export const deleteWorkflow = (name: string) => call('DELETE', workflowPath(name));
