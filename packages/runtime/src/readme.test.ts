import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually, harness } from './testdata/harness.js';
import { Lamp, LampController, LampStatus } from './testdata/lamps.js';
import { Device, Load, LoadController } from './testdata/loads.js';

describe('the controllers of the README', () => {
  it.each(['lamps', 'loads'])('are those that are tested here: %s', (name) => {
    const folder = import.meta.dirname;
    const readme = readFileSync(`${folder}/../README.md`, 'utf8');
    expect(readme).toContain(readFileSync(`${folder}/testdata/${name}.ts`, 'utf8'));
  });

  it('C4, C6: keep the load of each room, as long as there are devices', async () => {
    const { state, start } = harness([new LoadController()]);
    const device = (id: string, watts: number, room: string) =>
      state.create(Device.new(id, { watts }, { labels: { room } }));
    const loads = async () => (await state.list(Load.kind)).map(({ metadata, spec }) => `${metadata.id} ${spec.watts}`);
    void start();
    await device('lamp', 10, 'kitchen');
    await device('oven', 2000, 'kitchen');
    await device('radio', 5, 'study');
    await eventually(async () => expect(await loads()).toEqual(['kitchen 2010', 'study 5']));
    await state.destroy(Device.at('radio'));
    await eventually(async () => expect(await loads()).toEqual(['kitchen 2010']));
  });

  it('dim a lamp step by step, and let it go when it is off', async () => {
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
