import { describe, expect, it } from 'vitest';
import { VMConfig, VMPlacement } from './resources/index.js';
import { AppFixture } from './testing/app-fixture.js';

/** A VM that is being deleted, and held by a finalizer that nobody here owns. */
async function withOrphan() {
  const fixture = await AppFixture.start();
  const { state } = fixture.app.plane;
  await fixture.call('POST', '/vms', { id: 'web-1' });
  await state.addFinalizer(VMConfig.at('web-1'), 'backup-tool');
  await fixture.call('DELETE', '/vms/web-1');
  const blockers = () => fixture.call('GET', '/vms/web-1/blockers');
  await fixture.until(async () =>
    expect(await blockers()).toMatchObject({
      status: 200,
      body: { id: 'web-1', phase: 'tearingDown', blockers: [{ finalizer: 'backup-tool', orphan: true }] },
    }),
  );
  return { fixture, blockers };
}

describe('what keeps a resource from going', () => {
  it('S19: is told, and an orphan among it can be removed by force, which is logged with its reason', async () => {
    const { fixture, blockers } = await withOrphan();
    await using _ = fixture;
    const { version } = (await blockers()).body;
    const removal = `/vms/web-1/finalizers/backup-tool?version=${version}&reason=the+tool+is+no+more`;
    expect(await fixture.call('DELETE', removal)).toEqual({
      status: 200,
      body: { id: 'web-1', finalizer: 'backup-tool', removed: true },
    });
    await fixture.until(async () => expect((await blockers()).status).toBe(404));
    expect(fixture.logger.at('warn')).toMatchObject([
      { message: 'a finalizer is being removed by force' },
      {
        message: 'a finalizer was removed by force',
        facts: { finalizer: 'backup-tool', reason: 'the tool is no more', resource: expect.stringContaining('web-1') },
      },
    ]);
  });

  it('S19: is not removed without the version, from another one, or when it is not there', async () => {
    const { fixture, blockers } = await withOrphan();
    await using _ = fixture;
    const { version } = (await blockers()).body;
    for (const query of ['', '?version=', '?version=undefined']) {
      expect(await fixture.call('DELETE', `/vms/web-1/finalizers/backup-tool${query}`)).toMatchObject({
        status: 400,
        body: { error: { field: 'version', hint: expect.stringContaining(`?version=${version}&reason=`) } },
      });
    }
    const remove = (name: string, of: string | number) =>
      fixture.call('DELETE', `/vms/web-1/finalizers/${name}?version=${of}`);
    expect(await remove('backup-tool', 1)).toMatchObject({
      status: 409,
      body: { error: { code: 'version-conflict' } },
    });
    expect(await remove('backup-tool', 'x')).toMatchObject({ status: 400 });
    expect(await remove('backup', version)).toMatchObject({
      status: 404,
      body: { error: { message: 'web-1 does not have the finalizer "backup"', hint: 'it has backup-tool' } },
    });
    expect((await blockers()).body.blockers).toHaveLength(1);
    expect(fixture.logger.at('warn')).toEqual([]);
  });

  it('S19: is left to the controllers that run, and to what is not being deleted', async () => {
    await using fixture = await AppFixture.start();
    const { state } = fixture.app.plane;
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-1')).body.state).toBe('running'));
    const running = await state.get(VMConfig.at('web-1'));
    expect(
      await fixture.call('DELETE', `/vms/web-1/finalizers/VMController?version=${running.metadata.version}`),
    ).toMatchObject({ status: 409, body: { error: { code: 'phase-conflict' } } });

    await state.addFinalizer(VMPlacement.at('web-1'), 'backup-tool');
    await fixture.call('DELETE', '/vms/web-1');
    const path = '/resources/VMPlacements.vms.cosi.dev/web-1';
    const held = async () => (await fixture.call('GET', `${path}/blockers`)).body;
    await fixture.until(async () => expect((await held()).blockers).toMatchObject([{ finalizer: 'backup-tool' }]));
    const { version } = await state.get(VMConfig.at('web-1')).then(({ metadata }) => metadata);
    expect(await fixture.call('DELETE', `/vms/web-1/finalizers/PlacementController?version=${version}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', hint: 'what keeps it from that is in /vms/web-1/blockers' } },
    });
    const removed = await fixture.call('DELETE', `${path}/finalizers/backup-tool?version=${(await held()).version}`);
    expect(removed.status).toBe(200);
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-1')).status).toBe(404));
  });

  it('says so when there is nothing', async () => {
    await using fixture = await AppFixture.start();
    for (const path of ['/vms/none', '/hosts/none', '/resources/Things.test.cosi.dev/none']) {
      expect((await fixture.call('GET', `${path}/blockers`)).status).toBe(404);
      expect((await fixture.call('DELETE', `${path}/finalizers/a?version=1`)).status).toBe(404);
    }
  });
});
