import { dotOf, graphOf } from '../definition/graph.js';
import type { RunGraph } from '../http/run-detail.js';
import type { ClientCommand } from './command-context.js';
import { type EngineClient, part } from './engine-client.js';
import { CommandError, EngineError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { readText } from './read-text.js';
import { checkHere, isFileName } from './run-target.js';
import { type DrawnGraph, textGraph } from './text-graph.js';

export type GraphFormat = 'dot' | 'text' | 'json';
export const graphFormats: readonly GraphFormat[] = ['dot', 'text', 'json'];

export interface GraphFlags {
  readonly output: GraphFormat;
  /** Names of executors that are plugged in, which files may use. */
  readonly executor?: readonly string[];
}

/** Draws a file, without an engine, or a run, or a workflow that the engine has. */
export function graphCommand(what: string, { output, executor = [] }: GraphFlags): ClientCommand {
  return async ({ client, terminal }) => {
    const { graph, dot } = isFileName(what) ? await graphOfFile(what, executor) : await graphOfName(what, client);
    if (output === 'json') terminal.print(JSON.stringify(graph, undefined, 2));
    else if (output === 'dot') terminal.write(await dot());
    else for (const line of textGraph(graph, terminal)) terminal.print(line);
    return exitCodes.ok;
  };
}

interface FoundGraph {
  readonly graph: DrawnGraph;
  readonly dot: () => Promise<string>;
}

async function graphOfFile(file: string, executors: readonly string[]): Promise<FoundGraph> {
  const source = await readText(file, 'the workflow');
  const definition = checkHere(source, file, 'graph', executors);
  const graph = graphOf(definition);
  return { graph, dot: async () => dotOf(graph) };
}

async function graphOfName(name: string, client: EngineClient): Promise<FoundGraph> {
  for (const kind of ['runs', 'workflows']) {
    const path = `/${kind}/${part(name)}/graph`;
    try {
      return { graph: await client.get<RunGraph>(path), dot: () => client.text(`${path}.dot`) };
    } catch (error) {
      if (!(error instanceof EngineError) || error.status !== 404) throw error;
    }
  }
  throw new CommandError(`there is neither a file nor a run nor a workflow ${JSON.stringify(name)}`);
}
