import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { complaints } from '@cosi-ts/app-kit/testing';
import { isInUse, type Kind } from '@cosi-ts/resource';
import { wrapState } from '@cosi-ts/state';
import { RecordingLogger } from '@cosi-ts/testing';
import { connectState } from '@cosi-ts/transport';
import { describe, expect, it } from 'vitest';
import { startApp } from './app.js';
import { Host, VMConfig, VMStatus } from './resources/index.js';
import { AppFixture, appOptions } from './testing/app-fixture.js';

const running = async (fixture: AppFixture, id: string) =>
  fixture.until(async () => expect((await fixture.call('GET', `/vms/${id}`)).body).toMatchObject({ state: 'running' }));

describe('the API', () => {
  it('C11: tells which controllers read and write what, as JSON and for Graphviz', async () => {
    await using fixture = await AppFixture.start();
    const { status, body } = await fixture.call('GET', '/graph.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      edges: expect.arrayContaining([expect.objectContaining({ kind: 'exclusive', type: VMStatus.type })]),
    });
    const dot = await fetch(`${fixture.app.url}/graph.dot`);
    expect(dot.headers.get('content-type')).toBe('text/vnd.graphviz; charset=utf-8');
    const text = await dot.text();
    expect(text).toMatch(/^digraph \{\n/);
    expect(text).toContain(`"resource ${VMConfig.type}" -> `);
  });

  it('takes a new VM at once, and shows it run with host and address', async () => {
    await using fixture = await AppFixture.start();
    const posted = await fixture.call('POST', '/vms', {
      id: 'web-1',
      cpus: 2,
      memoryMiB: 1024,
      labels: { tier: 'web' },
    });
    expect(posted).toMatchObject({
      status: 202,
      body: {
        id: 'web-1',
        phase: 'running',
        state: 'pending',
        cpus: 2,
        memoryMiB: 1024,
        image: 'debian-12',
        labels: { tier: 'web' },
      },
    });
    await running(fixture, 'web-1');
    const { status, body } = await fixture.call('GET', '/vms');
    expect(status).toBe(200);
    expect(body.vms).toHaveLength(1);
    expect(body.vms[0]).toMatchObject({ id: 'web-1', state: 'running', ip: '10.64.0.2', mac: '52:54:00:00:00:00' });
    expect(body.vms[0].host).toMatch(/^host-[123]$/);
    const one = await fixture.call('GET', '/vms/web-1');
    expect(one.body.resources.map(({ type }: { type: string }) => type.split('.')[0])).toEqual([
      'VMConfigs',
      'VMStatuses',
      'VMPlacements',
      'NetworkConfigs',
    ]);
  });

  it('makes do with an id', async () => {
    await using fixture = await AppFixture.start();
    // What curl sends with -d.
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await fixture.call('POST', '/vms', '{"id":"web-1"}', type)).status).toBe(202);
    await running(fixture, 'web-1');
  });

  it.each([
    [{}, 'id', 'is missing'],
    [{ id: 'a/b' }, 'id', 'must be up to 63 letters'],
    [{ id: 7 }, 'id', 'must be up to 63 letters'],
    [{ id: 'web-1', cpus: 0 }, 'cpus', 'from 1 to 1024'],
    [{ id: 'web-1', cpus: 'two' }, 'cpus', 'int32'],
    [{ id: 'web-1', memoryMiB: 1 }, 'memoryMiB', 'from 64'],
    [{ id: 'web-1', power: 'on' }, 'power', 'running or stopped'],
    [{ id: 'web-1', image: '' }, 'image', 'disk image'],
    [{ id: 'web-1', labels: { a: 1 } }, 'labels', 'a must be a text'],
    [{ id: 'web-1', memory: 512 }, 'memory', 'unknown'],
  ])('answers %j with 400 and the field %s', async (body, field, message) => {
    await using fixture = await AppFixture.start();
    const answer = await fixture.call('POST', '/vms', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid-argument', field });
    expect(answer.body.error.message).toContain(message);
    expect((await fixture.call('GET', '/vms')).body.vms).toEqual([]);
  });

  it('answers a taken id with 409, one that is being deleted too', async () => {
    await using fixture = await AppFixture.start({
      simulation: { shutdown: { minMs: 100_000, maxMs: 100_000 }, boot: { minMs: 1, maxMs: 1 } },
    });
    await fixture.call('POST', '/vms', { id: 'web-1' });
    expect(await fixture.call('POST', '/vms', { id: 'web-1' })).toMatchObject({
      status: 409,
      body: { error: { code: 'already-exists', message: 'there is a VM "web-1" already' } },
    });
    await running(fixture, 'web-1');
    expect((await fixture.call('DELETE', '/vms/web-1')).status).toBe(202);
    expect((await fixture.call('POST', '/vms', { id: 'web-1' })).status).toBe(409);
    expect(await fixture.call('PATCH', '/vms/web-1', { cpus: 2 })).toMatchObject({
      status: 409,
      body: { error: { code: 'phase-conflict', message: 'VM "web-1" is being deleted' } },
    });
  });

  it('answers 404 for what is not there', async () => {
    await using fixture = await AppFixture.start();
    for (const [method, path] of [
      ['GET', '/vms/web-1'],
      ['DELETE', '/vms/web-1'],
      ['GET', '/hosts/none'],
      ['DELETE', '/hosts/none'],
      ['POST', '/hypervisor/machines/web-1/kill'],
      ['DELETE', '/hypervisor/machines/web-1'],
      ['GET', '/nothing/here'],
    ] as const) {
      expect([path, await fixture.call(method, path)]).toMatchObject([
        path,
        { status: 404, body: { error: { code: 'not-found' } } },
      ]);
    }
    expect((await fixture.call('GET', '/vms/web-1')).body.error.message).toBe('there is no VM "web-1"');
  });

  it('only tears down with DELETE, and can be asked again', async () => {
    await using fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await running(fixture, 'web-1');
    expect(await fixture.call('DELETE', '/vms/web-1')).toMatchObject({ status: 202, body: { phase: 'tearingDown' } });
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-1')).status).toBe(404));
    expect((await fixture.call('GET', '/hypervisor/machines')).body.machines).toEqual([]);
  });

  it('changes size and power', async () => {
    await using fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await running(fixture, 'web-1');
    expect((await fixture.call('PATCH', '/vms/web-1', { cpus: 4 })).body).toMatchObject({ cpus: 4, memoryMiB: 512 });
    await fixture.until(async () =>
      expect((await fixture.call('GET', '/hypervisor/machines')).body.machines[0]).toMatchObject({
        cpus: 4,
        state: 'running',
      }),
    );
    await fixture.call('PATCH', '/vms/web-1', { power: 'stopped' });
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-1')).body.state).toBe('stopped'));
    expect(await fixture.call('PATCH', '/vms/web-1', { cpus: 0 })).toMatchObject({
      status: 400,
      body: { error: { field: 'cpus' } },
    });
  });

  it('kills a machine, which comes back', async () => {
    await using fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await running(fixture, 'web-1');
    const killed = await fixture.call('POST', '/hypervisor/machines/web-1/kill');
    expect(killed).toMatchObject({ status: 200, body: { state: 'stopped', error: 'killed' } });
    await fixture.until(async () =>
      expect((await fixture.call('GET', '/vms/web-1')).body).toMatchObject({
        state: 'running',
        boots: 2,
        lastError: 'killed',
      }),
    );
  });

  it('manages hosts: a VM too large for any waits for one', async () => {
    await using fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'huge', cpus: 100 });
    await fixture.until(async () =>
      expect((await fixture.call('GET', '/vms/huge')).body.message).toBe(
        'no host will do: host-1 has 16 CPUs in all, not 100; host-2 has 16 CPUs in all, not 100; ' +
          'host-3 has 16 CPUs in all, not 100',
      ),
    );
    const added = await fixture.call('POST', '/hosts', {
      id: 'big',
      cpus: 128,
      memoryMiB: 65_536,
      labels: { zone: 'd' },
    });
    expect(added).toMatchObject({ status: 201, body: { id: 'big', reserved: { cpus: 0 }, labels: { zone: 'd' } } });
    await running(fixture, 'huge');
    expect((await fixture.call('GET', '/hosts/big')).body).toMatchObject({
      reserved: { cpus: 100, memoryMiB: 512 },
      vms: ['huge'],
    });
    expect((await fixture.call('PATCH', '/hosts/big', { cordoned: true })).body.cordoned).toBe(true);
    expect((await fixture.call('POST', '/hosts', { id: 'bad', memoryMiB: 1024 })).body.error.field).toBe('cpus');
    expect((await fixture.call('DELETE', '/hosts/host-1')).status).toBe(202);
    await fixture.until(async () => {
      const ids = (await fixture.call('GET', '/hosts')).body.hosts.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(['big', 'host-2', 'host-3']);
    });
  });

  it('is healthy, and says how everything is', async () => {
    await using fixture = await AppFixture.start();
    await fixture.until(async () =>
      expect(await fixture.call('GET', '/healthz')).toEqual({ status: 200, body: { status: 'ok' } }),
    );
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await running(fixture, 'web-1');
    expect((await fixture.call('GET', '/status')).body).toMatchObject({
      ready: true,
      vms: { count: 1, states: { running: 1 } },
      machines: { count: 1, orphans: [] },
      addresses: { network: '10.64.0.0/19', size: 8189, taken: 1 },
      runtime: { status: 'running' },
    });
  });
});

describe('the State service', () => {
  it('shows the same resources, and what is written there is acted on', async () => {
    await using fixture = await AppFixture.start();
    const remote = wrapState(connectState(`http://${fixture.app.stateAddress}`));
    try {
      await remote.create(VMConfig.new('web-1', { cpus: 1, memoryMib: 512, image: 'debian-12' }));
      const status = await remote.watchFor(VMStatus.at('web-1'), { matches: ({ spec }) => spec.state === 'running' });
      expect(status.spec.ip).toBe('10.64.0.2');
      expect((await fixture.call('GET', '/vms/web-1')).body.state).toBe('running');
      await remote.teardown(VMConfig.at('web-1'));
      await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-1')).status).toBe(404));
    } finally {
      await remote.close();
    }
  });
});

describe('the start', () => {
  it('applies manifests, which bring their own hosts', async () => {
    const fixture = await AppFixture.start();
    const path = join(fixture.folder, 'fleet.yaml');
    await writeFile(
      path,
      `metadata: { type: Hosts.vms.cosi.dev, id: only }
spec: { cpus: 4, memoryMiB: 4096 }
---
metadata: { type: VMConfigs.vms.cosi.dev, id: web-1 }
spec: { cpus: 1, memoryMiB: 512, image: debian-12 }
`,
    );
    await using other = await AppFixture.start({ manifests: [path] });
    await running(other, 'web-1');
    expect((await other.app.plane.state.list(Host.kind as Kind)).map(({ metadata }) => metadata.id)).toEqual(['only']);
    await fixture[Symbol.asyncDispose]();
  });

  it('refuses a bad manifest with its place, before anything is opened', async () => {
    await using fixture = await AppFixture.start();
    const path = join(fixture.folder, 'bad.yaml');
    await writeFile(path, 'metadata: { type: VMConfigs.vms.cosi.dev, id: web-1 }\nspec:\n  cpus: 0\n');
    const start = (manifest: string) =>
      startApp(appOptions(fixture.folder, { manifests: [manifest] }), new RecordingLogger());
    await expect(start(path)).rejects.toThrow(`${path}, document 1, line 3: cpus: must be an integer from 1 to 1024`);
    await expect(start(join(fixture.folder, 'none.yaml'))).rejects.toThrow('none.yaml cannot be read');
  });

  it('says what to do when a port or the machine file is taken, and leaves nothing behind', async () => {
    await using fixture = await AppFixture.start();
    const port = Number(new URL(fixture.url).port);
    const other = `${fixture.folder}/other`;
    await expect(startApp(appOptions(other, { port }), new RecordingLogger())).rejects.toThrow(
      'choose another with --host and --port',
    );
    const { stateAddress } = fixture.app;
    await expect(startApp(appOptions(other, { stateAddress }), new RecordingLogger())).rejects.toThrow(
      'choose another with --state-address',
    );
    await expect(startApp(appOptions(fixture.folder), new RecordingLogger())).rejects.toSatisfy(isInUse);
    // The failed ones gave everything back.
    await (await startApp(appOptions(other), new RecordingLogger())).close();
  });

  it('finds the machines of an earlier run as orphans, which can be adopted or removed', async () => {
    const first = await AppFixture.start();
    for (const id of ['keep', 'drop']) {
      await first.call('POST', '/vms', { id });
      await running(first, id);
    }
    const ip = (await first.call('GET', '/vms/keep')).body.ip;
    await first.app.close();
    const again = await startApp(appOptions(first.folder), new RecordingLogger());
    const call = async (method: string, path: string, body?: string) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${again.url}${path}`, {
        headers,
        method,
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.status, body: await response.json() };
    };
    expect((await call('GET', '/status')).body.machines).toEqual({ count: 2, orphans: ['drop', 'keep'] });
    expect((await call('POST', '/vms', '{"id":"keep"}')).status).toBe(202);
    const status = await again.plane.state.watchFor(VMStatus.at('keep'), {
      matches: ({ spec }) => spec.state === 'running',
    });
    expect(status.spec).toMatchObject({ ip, boots: 1 });
    expect((await call('DELETE', '/hypervisor/machines/keep')).status).toBe(409);
    expect((await call('DELETE', '/hypervisor/machines/drop')).status).toBe(202);
    const { machines } = (await call('GET', '/hypervisor/machines')).body;
    expect(machines.find(({ id }: { id: string }) => id === 'keep')).toMatchObject({ state: 'running', orphan: false });
    await again.close();
    await first[Symbol.asyncDispose]();
  });

  it('ends at once with clients connected, and leaves nothing behind', async () => {
    const fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'web-1' });
    const events = await fixture.events();
    await events.upTo(({ event }) => event === 'ready');
    const begin = performance.now();
    await fixture.app.close();
    expect(performance.now() - begin).toBeLessThan(2000);
    while ((await events.next()) !== undefined);
    await expect(fixture.fetch('/healthz')).rejects.toThrow();
    expect(complaints(fixture.logger)).toEqual([]);
    await fixture[Symbol.asyncDispose]();
  });
});
