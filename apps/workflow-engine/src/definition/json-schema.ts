import type { JsonSchema } from './syntax/json-schema.js';
import { definitionsIn } from './syntax/syntax.js';
import { workflowSyntax } from './workflow-syntax.js';

/**
 * A JSON Schema of definitions, for editors. It is made of the same description that definitions are read with, and
 * knows all of their form, but not what only the whole of a definition tells, like which steps there are.
 * @param executors names of executors that were plugged in
 */
export function workflowSchema(executors: readonly string[] = []): JsonSchema {
  const { schema } = workflowSyntax(executors);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Workflow',
    description: 'The definition of a workflow.',
    ...schema,
    definitions: Object.fromEntries(definitionsIn(schema)),
  };
}
