import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCorrupt, isInUse } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.js';
import type { MachineSpec } from './machine.js';
import { machineFile } from './machine-file.js';
import { openSimulatedHypervisor } from './simulated-hypervisor.js';

const spec: MachineSpec = Object.freeze({
  id: 'web-1',
  host: 'host-1',
  cpus: 2,
  memoryMib: 512,
  image: 'debian-12',
  mac: '52:54:00:00:00:01',
  ip: '10.64.0.2',
  power: 'running',
});

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'machine-file-'));
  path = join(folder, 'data', 'machines.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (clock = new VirtualClock()) =>
  openSimulatedHypervisor({ clock, random: seededRandom(1), store: machineFile(path) });

describe('machine file', () => {
  it('brings machines back, and goes on where they were', async () => {
    const clock = new VirtualClock();
    const first = await open(clock);
    await first.ensure(spec);
    await clock.advance(10_000);
    await first.ensure({ ...spec, id: 'web-2' });
    await first.ensure({ ...spec, id: 'a b/"c"' });
    await clock.advance(10_000);
    await first.remove('web-2');
    await first.ensure({ ...spec, id: 'web-3' });
    const machines = await first.list();
    await first.close();

    const second = await open(clock);
    expect(await second.list()).toEqual(machines);
    await clock.advance(10_000);
    expect((await second.list()).map(({ id, state }) => [id, state])).toEqual([
      ['a b/"c"', 'running'],
      ['web-1', 'running'],
      ['web-3', 'running'],
    ]);
    await second.close();
  });

  it('has a removed machine out of the file before it tells that it is gone', async () => {
    const clock = new VirtualClock();
    const hypervisor = await open(clock);
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    const gone = new Promise<string>((resolve) => {
      hypervisor.subscribe(({ machine }) => {
        if (machine === undefined) resolve(readFile(path, 'utf8'));
      });
    });
    await hypervisor.remove('web-1');
    await clock.advance(10_000);
    expect(JSON.parse(await gone)).toEqual({ format: 1, machines: [] });
    await hypervisor.close();
  });

  it('keeps a thousand changes in a few writes, and leaves only the file', async () => {
    const hypervisor = await open();
    await Promise.all(Array.from({ length: 1000 }, (_, i) => hypervisor.ensure({ ...spec, id: `web-${i}` })));
    await hypervisor.close();
    expect(JSON.parse(await readFile(path, 'utf8')).machines).toHaveLength(1000);
    expect(await readdir(join(folder, 'data'))).toEqual(['machines.json']);
  });

  it.each([
    ['half a file', '{ "format": 1, "machines": [ {'],
    ['another format', '{ "format": 2, "machines": [] }'],
    ['no machines', '{ "format": 1 }'],
    ['a bad machine', '{ "format": 1, "machines": [{ "id": "web-1" }] }'],
    ['nothing', ''],
  ])('refuses a file with %s and leaves it as it is', async (_, content) => {
    const hypervisor = await open();
    await hypervisor.close();
    await writeFile(path, content);
    await expect(open()).rejects.toSatisfy(
      (error: Error) => isCorrupt(error) && error.message.includes(path) && error.message.includes('--hypervisor-file'),
    );
    expect(await readFile(path, 'utf8')).toBe(content);
    expect(await readdir(join(folder, 'data'))).toEqual(['machines.json']);
  });

  it('is open only once at a time', async () => {
    const first = await open();
    await expect(open()).rejects.toSatisfy(isInUse);
    await first.close();
    await (await open()).close();
  });

  it('takes over the lock of a process that is gone, and not that of one that runs', async () => {
    await (await open()).close();
    await writeFile(`${path}.lock`, '2147483646\n');
    await (await open()).close();
    await writeFile(`${path}.lock`, `${process.ppid}\n`);
    await expect(open()).rejects.toThrow(`is held by process ${process.ppid}`);
  });

  it('reports a disk that cannot be written where it matters, and recovers', async () => {
    const hypervisor = await open();
    await hypervisor.ensure({ ...spec, power: 'stopped' });
    await rm(join(folder, 'data'), { recursive: true });
    await expect(hypervisor.remove('web-1')).rejects.toThrow('ENOENT');
    await expect(hypervisor.remove('web-1')).rejects.toThrow('ENOENT');
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(folder, 'data'));
    expect(await hypervisor.remove('web-1')).toBeUndefined();
    await hypervisor.close();
  });
});
