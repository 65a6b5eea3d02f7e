import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppProcess, BuiltApp, EventReader, type ServerEvent, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { type Bookmark, type State, wrapState } from '@cosi-ts/state';
import { connectState } from '@cosi-ts/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VMConfig, VMStatus } from './resources/index.js';

let built: BuiltApp;
beforeAll(async () => {
  built = await BuiltApp.build('apps/vm-control-plane/src/main.ts');
}, 60_000);
afterAll(() => built[Symbol.asyncDispose]());

const start = (folder: string, ...args: string[]) =>
  AppProcess.start(built.entry, ['--data', folder, '--boot-ms', '600', '--shutdown-ms', '600', ...args]);
const freePorts = ['--port', '0', '--state-address', '127.0.0.1:0'];
/** Where it was before, so that its clients find it again. */
const samePorts = ({ url, stateAddress }: AppProcess) => ['--port', new URL(url).port, '--state-address', stateAddress];

async function call(app: AppProcess, method: string, path: string, body?: unknown) {
  const response = await fetch(`${app.url}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  return { status: response.status, body: (await response.json()) as any };
}

const isChange = ({ event }: ServerEvent) => ['created', 'updated', 'destroyed'].includes(event);
const isReady = ({ event }: ServerEvent) => event === 'ready';
const status = (id: string, state: string) => (event: ServerEvent) =>
  isChange(event) && event.data.type === VMStatus.type && event.data.id === id && event.data.spec.state === state;
const isGone = (id: string) => (event: ServerEvent) =>
  event.event === 'destroyed' && event.data.type === VMConfig.type && event.data.id === id;

/** Reads on until each of them has matched an event, in whatever order. */
async function upToAll(reader: EventReader, matchers: readonly ((event: ServerEvent) => boolean)[]) {
  const open = new Set(matchers);
  return reader.upTo((event) => {
    for (const matches of open) if (matches(event)) open.delete(matches);
    return open.size === 0;
  });
}

/** Each resource's changes, in the order in which they came. Of a resource that goes, the last version comes again. */
function histories(events: readonly ServerEvent[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { event, data } of events.filter(isChange)) {
    const key = `${data.type} ${data.id}`;
    found.set(key, [...(found.get(key) ?? []), `${event} ${data.version}`]);
  }
  return found;
}

/**
 * Fails unless every version of every resource was told once: from the first one on, or, of what was there in the
 * beginning, as hosts are that a controller is only about to look at, from the one after that.
 */
function expectWhole(beginning: readonly ServerEvent[], events: readonly ServerEvent[]): void {
  const snapshot = beginning.filter(({ event }) => event === 'snapshot').flatMap(({ data }) => data);
  const there = new Map(snapshot.map(({ type, id, version }) => [`${type} ${id}`, Number(version)]));
  for (const [resource, history] of histories(events)) {
    const before = there.get(resource) ?? 0;
    const changes = history.filter((change) => !change.startsWith('destroyed'));
    const whole = changes.map((_, i) => (before + i === 0 ? 'created 1' : `updated ${before + i + 1}`));
    const end = history.at(-1)?.startsWith('destroyed') ? [`destroyed ${before + changes.length}`] : [];
    expect([resource, history]).toEqual([resource, [...whole, ...end]]);
  }
}

/** The resources of a VM, as they are. */
async function resourcesOf(app: AppProcess, id: string) {
  return (await call(app, 'GET', `/vms/${id}`)).body.resources;
}

interface Change {
  readonly text: string;
  readonly bookmark: Bookmark;
}

/** The changes of VMs' status as a client of the State service hears of them, up to and with the last that is awaited. */
async function statusChanges(
  state: State,
  from: { readonly startFromBookmark: Bookmark } | { readonly bootstrapContents: true },
  awaited: readonly RegExp[],
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const open = new Set(awaited);
  for await (const event of await state.watchKind(VMStatus.kind, from)) {
    if (event.type === 'errored') throw event.error;
    if (event.type === 'bootstrapped' || event.type === 'noop') continue;
    const { id, version } = event.resource.metadata;
    const text = `${event.type} ${id} ${version}${event.type === 'destroyed' ? '' : ` ${event.resource.spec.state}`}`;
    changes.push({ text, bookmark: event.bookmark as Bookmark });
    for (const pattern of open) if (pattern.test(text)) open.delete(pattern);
    if (open.size === 0) return changes;
  }
  throw new Error(`the watch ended after ${JSON.stringify(changes.map(({ text }) => text))}`);
}

describe('a control plane that is killed', { timeout: 60_000 }, () => {
  it('has the same VMs afterwards, ends what was under way, and its clients miss nothing', async () => {
    await using folder = await TemporaryFolder.make();
    await using first = await start(folder.file('data'), ...freePorts);
    const remote = wrapState(connectState(`http://${first.stateAddress}`));
    const beforeKill = statusChanges(remote, { bootstrapContents: true }, [
      / leaves \d+ stopping$/,
      / boots \d+ booting$/,
    ]);
    await using events = await EventReader.open(`${first.url}/events`);
    const beginning = await events.upTo(isReady);

    for (const id of ['stays', 'leaves']) expect((await call(first, 'POST', '/vms', { id })).status).toBe(202);
    const lives = await upToAll(events, [status('stays', 'running'), status('leaves', 'running')]);
    const before = await resourcesOf(first, 'stays');
    expect(before).toHaveLength(4);
    await call(first, 'DELETE', '/vms/leaves');
    await call(first, 'POST', '/vms', { id: 'boots' });
    const underWay = await upToAll(events, [status('leaves', 'stopping'), status('boots', 'booting')]);
    const heard = await beforeKill;
    expect(await first.signal('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });

    await using second = await start(folder.file('data'), ...samePorts(first));
    expect(await resourcesOf(second, 'stays')).toEqual(before);

    // One client that takes the event stream up again, in the middle of what it has seen.
    const seen = [...lives, ...underWay];
    const at = seen.findIndex(status('stays', 'running'));
    await using resumed = await EventReader.open(`${second.url}/events`, (seen[at] as ServerEvent).id);
    const rest = await upToAll(resumed, [status('boots', 'running'), isGone('leaves')]);
    expect(rest.map(({ event }) => event)).not.toContain('reset');
    expect(rest.find(isReady)?.id).toBe((seen[at] as ServerEvent).id);
    expectWhole(beginning, [...seen.slice(0, at + 1), ...rest]);

    // And one of the State service, whose connection finds the new process: from its last bookmark on, and from an earlier one.
    const end = [/ boots \d+ running$/, /^destroyed leaves /];
    const later = await statusChanges(remote, { startFromBookmark: (heard.at(-1) as Change).bookmark }, end);
    const told = [...heard, ...later].map(({ text }) => text);
    const again = await statusChanges(remote, { startFromBookmark: (heard[2] as Change).bookmark }, end);
    expect(again.map(({ text }) => text)).toEqual(told.slice(3));
    for (const id of ['stays', 'leaves', 'boots']) {
      const versions = told.map((text) => text.split(' ')).filter(([type, of]) => of === id && type !== 'destroyed');
      expect(versions.map(([, , version]) => Number(version))).toEqual(versions.map((_, i) => i + 1));
    }

    expect((await call(second, 'GET', '/vms/leaves')).status).toBe(404);
    const { machines } = (await call(second, 'GET', '/hypervisor/machines')).body;
    expect(machines.map(({ id, state, boots }: Record<string, unknown>) => [id, state, boots])).toEqual([
      ['boots', 'running', 1],
      ['stays', 'running', 1],
    ]);
    await remote.close();
    expect(second.log.filter(({ level }) => level > 30)).toEqual([]);
  });

  it('has everything that it has said yes to', async () => {
    await using folder = await TemporaryFolder.make();
    const ids = Array.from({ length: 40 }, (_, i) => `vm-${String(i).padStart(2, '0')}`);
    await using first = await start(folder.file('data'), ...freePorts);
    await Promise.all(
      ids.map(async (id) => {
        expect((await call(first, 'POST', '/vms', { id })).status).toBe(202);
      }),
    );
    await first.signal('SIGKILL');
    await using second = await start(folder.file('data'), ...freePorts);
    const { vms } = (await call(second, 'GET', '/vms')).body;
    expect(vms.map(({ id }: { readonly id: string }) => id)).toEqual(ids);
  });
});

describe('a control plane that is stopped', { timeout: 60_000 }, () => {
  it('closes its data in a second or two, and leaves it whole', async () => {
    await using folder = await TemporaryFolder.make();
    const data = folder.file('data');
    await using app = await start(data, ...freePorts);
    await call(app, 'POST', '/vms', { id: 'web-1' });
    const begin = performance.now();
    expect(await app.signal('SIGINT')).toEqual({ code: 0, signal: null });
    expect(performance.now() - begin).toBeLessThan(2000);
    expect(app.log.map(({ msg }) => msg).slice(-2)).toEqual(['store closed', 'stopped']);

    const verified = await AppProcess.run(built.entry, ['verify', '--data', data]);
    expect(verified.code).toBe(0);
    expect(verified.output.at(-1)).toBe('no damage');
    expect(verified.output.join('\n')).not.toContain('was not closed');
  });
});

describe('the process', { timeout: 60_000 }, () => {
  const key = (folder: TemporaryFolder) => ['--encrypt', folder.file('key.asc')];
  const passphrase = { VM_CONTROL_PLANE_PASSPHRASE: 'open sesame' };

  /** Starts what cannot start, and gives all that it says about it. */
  async function refused(...args: string[]) {
    const { code, log, output } = await AppProcess.run(built.entry, [...args, ...freePorts, '--log-format', 'json']);
    expect(code).toBe(1);
    expect(output).toEqual([]);
    expect(log.map(({ level, err }) => [level, err])).toEqual([[50, undefined]]);
    return log[0]?.msg;
  }

  it('opens encrypted data with a key and its passphrase only, after a kill too', async () => {
    await using folder = await TemporaryFolder.make();
    const data = folder.file('data');
    const args = ['--data', data, ...freePorts, ...key(folder)];
    await using first = await AppProcess.start(built.entry, args, passphrase);
    expect(first.log.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([expect.stringContaining('key made: keep a copy of it and its passphrase elsewhere')]),
    );
    await call(first, 'POST', '/vms', { id: 'web-1' });
    const listed = await AppProcess.run(built.entry, ['keys', 'list', '--data', data]);
    expect(listed).toMatchObject({ code: 0, output: ['default'] });
    expect(await refused('--data', data)).toContain('name the private key that opens it with --encrypt');
    await first.signal('SIGKILL');

    expect(await refused('--data', data, ...key(folder))).toContain('its passphrase is needed');
    await using second = await AppProcess.start(built.entry, args, passphrase);
    expect((await call(second, 'GET', '/vms/web-1')).status).toBe(200);
    expect(second.log.find(({ msg }) => msg === 'store opened')).toMatchObject({ encrypted: true });
  });

  it('says in one line why it cannot start', async () => {
    await using folder = await TemporaryFolder.make();
    const data = folder.file('data');
    await using app = await start(data, ...freePorts);
    expect(await refused('--data', data)).toBe(
      `cannot start: the data in ${data} is in use: stop the program that uses it, or name another folder with --data`,
    );
    expect(await refused('--data', `${built.entry}/data`)).toMatch(/cannot be read and written: ENOTDIR/);
    expect(await refused('--data', 'memory', '--hypervisor-file', `${built.entry}/machines.json`)).toMatch(
      /the machine file .*: EEXIST.* name another one with --hypervisor-file/,
    );
    const verified = await AppProcess.run(built.entry, ['verify', '--data', data]);
    expect(verified).toMatchObject({
      code: 1,
      output: [expect.stringMatching(/^vm-control-plane verify: .* is in use/)],
    });
    await app.signal('SIGINT');
  });

  it('writes nothing when it is to keep nothing', async () => {
    await using folder = await TemporaryFolder.make();
    const environment = { TMPDIR: folder.path };
    await using app = await AppProcess.start(built.entry, ['--data', 'memory', ...freePorts], environment);
    await using events = await EventReader.open(`${app.url}/events`);
    await call(app, 'POST', '/vms', { id: 'web-1' });
    await events.upTo(status('web-1', 'booting'));
    expect((await app.signal('SIGINT')).code).toBe(0);
    expect(app.log.map(({ msg }) => msg)).not.toContain('store opened');
    expect(await readdir(folder.path)).toEqual([]);
    // Beside the built file is where data is kept by default.
    expect(await readdir(join(dirname(built.entry), '..'))).toEqual(['dist']);
  });
});
