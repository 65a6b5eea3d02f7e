import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually, harness } from './testdata/harness.js';
import { Lamp, LampController, LampStatus } from './testdata/lamps.js';

describe('the controller of the README', () => {
  it('is the one that is tested here', () => {
    const folder = import.meta.dirname;
    const readme = readFileSync(`${folder}/../README.md`, 'utf8');
    expect(readme).toContain(readFileSync(`${folder}/testdata/lamps.ts`, 'utf8'));
  });

  it('dims a lamp step by step, and lets it go when it is off', async () => {
    const house = new Map<string, number>();
    const { state, start, clock, logger } = harness([new LampController(house)]);
    void start();
    await state.create(Lamp.new('desk', { brightness: 3 }));
    await clock.advance(60);
    await eventually(() => expect(house.get('desk')).toBe(3));
    expect((await state.get(LampStatus.at('desk'))).spec.brightness).toBe(3);
    expect(logger.at('info').at(-1)?.facts).toEqual({
      controller: 'LampController',
      resource: 'Lamps.home.example.org(home/desk)',
      brightness: 3,
    });
    await state.teardownAndDestroy(Lamp.at('desk'));
    expect(house.size).toBe(0);
    expect(await state.list(LampStatus.kind)).toEqual([]);
  });
});
