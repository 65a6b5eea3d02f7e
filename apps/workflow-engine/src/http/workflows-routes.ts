import { type ApiRequest, Problem, type Route, readYaml, route } from '@cosi-ts/app-kit';
import { isNotFound, NotFoundError, type TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { Definition } from '../definition/definition.js';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { dotOf, graphOf } from '../definition/graph.js';
import type { WorkflowSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { find } from '../resources/find.js';
import { Workflow } from '../resources/index.js';
import { flagIn } from './query-values.js';
import { sendText } from './send-text.js';
import { definitionIn, problemView, type ValidationView } from './workflow-text.js';
import { inputViews, workflowView } from './workflow-view.js';

/** `/workflows` and `/validate`: the definitions, which are written as a whole and in YAML. */
export function workflowsRoutes(state: State, definitions: DefinitionCache): readonly Route[] {
  const list = async ({ signal }: ApiRequest) => {
    const workflows = await state.list(Workflow.kind, { signal });
    return { status: 200, body: { workflows: workflows.map((workflow) => workflowView(workflow, definitions)) } };
  };

  const get = async ({ params, signal }: ApiRequest) => {
    const workflow = await state.get(Workflow.at(params.name as string), { signal });
    return { status: 200, body: { ...workflowView(workflow, definitions), source: workflow.spec.source } };
  };

  const apply = async ({ raw, params, query, signal }: ApiRequest) => {
    const source = await readYaml(raw);
    const { name } = definitionIn(source, definitions);
    const { name: wanted } = params;
    if (wanted !== undefined && wanted !== name) {
      throw new Problem(400, 'invalid-argument', `the definition has the name ${name}, and not ${wanted}`, {
        field: 'name',
        hint: `send it to /workflows/${name}, or change its name`,
      });
    }
    const present = await find(state, Workflow.at(name), { signal });
    const result = present === undefined ? 'created' : present.spec.source === source ? 'unchanged' : 'updated';
    if (result === 'unchanged' || flagIn(query, 'dryRun')) return { status: 200, body: { name, result } };
    const stored = await state.modify(
      Workflow.at(name),
      ({ spec }) => {
        spec.source = source;
      },
      { signal },
    );
    return {
      status: result === 'created' ? 201 : 200,
      body: { ...workflowView(stored, definitions), result },
      headers: { location: `/workflows/${name}` },
    };
  };

  const remove = async ({ params, signal }: ApiRequest) => {
    const pointer = Workflow.at(params.name as string);
    const workflow = await state.get(pointer, { signal });
    await state.teardown(pointer, { signal });
    try {
      await state.destroy(pointer, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return { status: 200, body: workflowView(workflow, definitions) };
  };

  const validate = async ({ raw }: ApiRequest) => {
    const { definition, problems } = definitions.parse(await readYaml(raw));
    const body: ValidationView =
      definition === undefined
        ? { ok: false, name: null, inputs: [], problems: problems.map(problemView) }
        : { ok: true, name: definition.name, inputs: inputViews(definition), problems: [] };
    return { status: 200, body };
  };

  const definitionOf = async ({ params, signal }: ApiRequest): Promise<Definition> => {
    const name = params.name as string;
    const workflow = await find(state, Workflow.at(name), { signal });
    if (workflow === undefined) throw new NotFoundError(Workflow.at(name));
    return storedDefinition(workflow, definitions);
  };

  return [
    route('GET', '/workflows', list),
    route('POST', '/workflows', apply),
    route('GET', '/workflows/:name', get),
    route('PUT', '/workflows/:name', apply),
    route('DELETE', '/workflows/:name', remove),
    route('GET', '/workflows/:name/graph', async (request) => ({
      status: 200,
      body: graphOf(await definitionOf(request)),
    })),
    route('GET', '/workflows/:name/graph.dot', async (request) =>
      sendText(request, 'text/vnd.graphviz', dotOf(graphOf(await definitionOf(request)))),
    ),
    route('POST', '/validate', validate),
  ];
}

function storedDefinition({ spec, metadata }: TypedResource<WorkflowSpec>, definitions: DefinitionCache): Definition {
  const { definition } = definitions.parse(spec.source);
  if (definition !== undefined) return definition;
  // It was written past this API, by a program that uses the State service.
  throw new Problem(409, 'invalid-definition', `the definition of ${metadata.id} is wrong`, {
    hint: 'send its text to /validate to see where, and apply it anew',
  });
}
