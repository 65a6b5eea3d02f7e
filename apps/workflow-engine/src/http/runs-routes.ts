import { type ApiRequest, Problem, type Route, readJson, route } from '@cosi-ts/app-kit';
import { type RunState, runStates } from '../resources/index.js';
import { BodyFields } from './body-fields.js';
import { makeRun, type NewRunContext } from './new-run.js';
import { choicesIn, flagIn, integerIn } from './query-values.js';
import { decodeCursor, encodeCursor, isAfter } from './run-cursor.js';
import { runDetail, runDot, runGraph } from './run-detail.js';
import { listRuns, runParts, runView } from './run-view.js';
import { sendText } from './send-text.js';

/** `/runs`: lists, one run, its graph, and making one. */
export function runsRoutes(context: NewRunContext): readonly Route[] {
  const { state, definitions } = context;

  const list = async ({ query, signal }: ApiRequest) => {
    const states = choicesIn<RunState>(query, 'state', runStates);
    const limit = integerIn(query, 'limit', [1, 500], 50);
    const after = query.get('after');
    const cursor = after === null ? undefined : decodeCursor(after);
    const filter = {
      workflow: query.get('workflow') ?? undefined,
      parent: query.get('parent') ?? undefined,
      nested: flagIn(query, 'nested'),
    };
    const all = await listRuns(state, filter, { signal });
    const views = all.map(runView).filter((view) => states === undefined || states.has(view.state));
    const rest = cursor === undefined ? views : views.filter((view) => isAfter(view, cursor));
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    const next = rest.length > page.length && last !== undefined ? encodeCursor(last) : null;
    return { status: 200, body: { runs: page, total: views.length, next } };
  };

  const start = async ({ raw, signal }: ApiRequest) => {
    const fields = new BodyFields(await readJson(raw, maxBytes), [
      'workflow',
      'source',
      'id',
      'inputs',
      'priority',
      'paused',
    ]);
    if (fields.has('workflow') === fields.has('source')) {
      throw new Problem(400, 'invalid-argument', 'a run is of a "workflow", by its name, or of a "source", its text', {
        field: 'workflow',
        hint: 'send one of them, for instance {"workflow": "build"}',
      });
    }
    const run = await makeRun(
      {
        workflow: fields.text('workflow'),
        source: fields.text('source'),
        id: fields.text('id'),
        inputs: fields.object('inputs') ?? {},
        priority: fields.integer('priority') ?? 0,
        paused: fields.flag('paused') ?? false,
      },
      context,
      { signal },
    );
    const { id } = run.metadata;
    return {
      status: 201,
      body: runView({ run, status: undefined }),
      headers: { location: `/runs/${encodeURIComponent(id)}` },
    };
  };

  const get = async ({ params, signal }: ApiRequest) => {
    const parts = await runParts(state, params.run as string, { signal });
    return { status: 200, body: await runDetail(state, parts, definitions, { signal }) };
  };

  const graph = async ({ params, signal }: ApiRequest) => {
    const found = runGraph(await runParts(state, params.run as string, { signal }), definitions);
    if (found === undefined) {
      throw new Problem(409, 'invalid-definition', `the definition of run ${params.run} is wrong`, {
        hint: 'the message of the run says what is wrong with it',
      });
    }
    return found;
  };

  return [
    route('GET', '/runs', list),
    route('POST', '/runs', start),
    route('GET', '/runs/:run', get),
    route('GET', '/runs/:run/graph', async (request) => ({ status: 200, body: await graph(request) })),
    route('GET', '/runs/:run/graph.dot', async (request) =>
      sendText(request, 'text/vnd.graphviz', runDot(await graph(request))),
    ),
  ];
}

/** A definition with its inputs. */
const maxBytes = 16 * 1024 * 1024;
