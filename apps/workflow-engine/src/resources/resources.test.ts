import { definitionOf, InvalidArgumentError, parseTypeName } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { Schedule, Secret, Signal, Workflow, WorkflowRun } from './index.js';
import { workflowRegistry, workflowTypes } from './registry.js';

const run = { workflow: 'build', source: 'steps: {}' };

describe('resources of the workflow engine', () => {
  it.each(workflowTypes.map((type) => [type.type, type] as const))(
    '%s has a name that can be registered',
    (name, type) => {
      expect(() => parseTypeName(name)).not.toThrow();
      expect(definitionOf(type as never).type).toBe(name);
      expect(workflowRegistry.get(name)).toBe(type);
    },
  );

  it('only secrets are sensitive', () => {
    expect(workflowTypes.filter(({ sensitivity }) => sensitivity === 'sensitive')).toEqual([Secret]);
  });

  it('reads a run as users write it', () => {
    const spec = WorkflowRun.codec.fromJson({ ...run, inputs: '{"n":1}', paused: true });
    expect(spec).toMatchObject({ workflow: 'build', inputs: '{"n":1}', paused: true, retries: 0 });
  });

  it.each([
    ['workflow', () => WorkflowRun.new('r', { ...run, workflow: '' }), 'must not be empty'],
    ['inputs', () => WorkflowRun.new('r', { ...run, inputs: '[1]' }), 'must be a JSON object'],
    ['inputs', () => WorkflowRun.new('r', { ...run, inputs: '{' }), 'is no JSON'],
    ['retries', () => WorkflowRun.new('r', { ...run, retries: -1 }), 'must not be negative'],
    ['source', () => Workflow.new('w', {}), 'must not be empty'],
    ['name', () => Signal.new('r.s', { run: 'r' }), 'must not be empty'],
    ['payload', () => Signal.new('r.s', { run: 'r', name: 's', payload: 'yes' }), 'is no JSON'],
    [
      'overlap',
      () => Schedule.new('s', { workflow: 'w', cron: '* * * * *', overlap: 'queue' }),
      'must be allow or skip or replace',
    ],
  ])('names %s when it is wrong', (field, make, problem) => {
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(expect.objectContaining({ path: [field] }));
    expect(make).toThrow(problem);
  });

  it('takes what other processes stored as it is', () => {
    expect(WorkflowRun.codec.binary?.decode(new Uint8Array()).workflow).toBe('');
  });
});
