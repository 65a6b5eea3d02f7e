import type { State } from '@cosi-ts/state';
import { untilResource } from '@cosi-ts/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunStatus, StepResult } from './resources/index.js';
import { isFinal } from './resources/states.js';
import { definition, items, nested, nothing } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';
import { type Fault, faulty } from './testing/faulty.js';

const inner = definition({ steps: { x: {}, y: { needs: ['x'] } } });
const outer = definition({
  steps: {
    a: { retry: { limit: 2 } },
    fan: { needs: ['a'], forEach: items([1, 2, 3, 4, 5, 6], 2) },
    child: { action: nested('inner') },
    point: { needs: ['fan', 'child'], action: nothing },
  },
  finally: { clean: {} },
});

describe('an engine whose writes fail now and then', () => {
  it('E11, E13, E18: brings runs to their end, and executes nothing again that has succeeded', async () => {
    const fault = fc.constantFrom<Fault>(undefined, undefined, undefined, undefined, 'refused', 'unanswered');
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 7, maxLength: 60 }), async (faults) => {
        let place = 0;
        let isArmed = false;
        // Every so many writes one goes well: what is tried again comes to its end.
        const all: readonly Fault[] = [...faults, undefined];
        const next = () => (isArmed ? all[place++ % all.length] : undefined);
        const options = { seen: (state: State) => faulty(state, next), expectsErrors: true };
        await using engine = await EngineFixture.start({ outer, inner }, options);
        engine.executor.answer = ({ id, attempt }) =>
          id === 'outer.a' && attempt === 1
            ? { state: 'failed', reason: 'exit', message: '' }
            : { state: 'succeeded', outputs: { attempt } };
        await engine.run('outer');
        isArmed = true;
        const over = untilResource(engine.state, RunStatus.at('outer'), (status) => isFinal(status.spec.state));
        // Backoffs grow to a minute.
        const { spec } = await engine.wait(over, 3_600_000);
        isArmed = false;
        expect(spec.state).toBe('succeeded');
        expect(engine.executor.begun.length).toBe(new Set(engine.executor.begun).size);
        for (const { metadata, spec: result } of await engine.state.list(StepResult.kind)) {
          expect(result.state, metadata.id).toBe('succeeded');
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
