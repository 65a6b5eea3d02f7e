import { describe, expect, it } from 'vitest';
import { AppFixture } from '../testing/app-fixture.js';

const vm = (id: string, cpus = 1) =>
  `metadata: { type: VMConfigs.vms.cosi.dev, id: ${id} }\nspec: { cpus: ${cpus}, memoryMiB: 512, image: debian-12 }\n`;
const yaml = { 'content-type': 'application/yaml' };

describe('POST /apply', () => {
  it('applies, prunes when asked, and tells what it did', async () => {
    await using fixture = await AppFixture.start();
    const first = await fixture.call('POST', '/apply', `${vm('web-1')}---\n${vm('web-2')}`, yaml);
    expect(first).toMatchObject({ status: 200, body: { dryRun: false, pruned: [] } });
    expect(first.body.applied.map(({ id, result }: { id: string; result: string }) => `${id} ${result}`)).toEqual([
      'web-1 created',
      'web-2 created',
    ]);
    const dry = await fixture.call('POST', '/apply?prune=true&dryRun=true', vm('web-1'), yaml);
    expect(dry.body).toMatchObject({ dryRun: true, pruned: [{ id: 'web-2' }] });
    expect((await fixture.call('GET', '/vms/web-2')).body.phase).toBe('running');
    await fixture.call('POST', '/apply?prune=true', vm('web-1'), yaml);
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-2')).status).toBe(404));
    // The hosts are of a type that the manifest does not hold.
    expect((await fixture.call('GET', '/hosts')).body.hosts).toHaveLength(3);
  });

  it('refuses all of a manifest that has a fault, with document, line and field', async () => {
    await using fixture = await AppFixture.start();
    const { status, body } = await fixture.call('POST', '/apply', `${vm('web-1')}---\n${vm('web-2', 0)}`, yaml);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'invalid-argument',
      document: 2,
      line: 5,
      field: 'cpus',
      hint: 'nothing was applied',
    });
    expect((await fixture.call('GET', '/vms')).body.vms).toEqual([]);
  });

  it('answers a conflict with what was applied', async () => {
    await using fixture = await AppFixture.start();
    const { state } = fixture.app.plane;
    await fixture.call('POST', '/vms', { id: 'leaving' });
    const pointer = { namespace: 'vms', type: 'VMConfigs.vms.cosi.dev', id: 'leaving' };
    await state.addFinalizer(pointer, 'test');
    await state.teardown(pointer);
    const { status, body } = await fixture.call(
      'POST',
      '/apply',
      [vm('web-1'), vm('leaving'), vm('web-2')].join('---\n'),
      yaml,
    );
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ code: 'phase-conflict', failed: { document: 2, id: 'leaving' }, left: 1 });
    expect(body.error.applied).toMatchObject([{ id: 'web-1', result: 'created' }]);
    await state.removeFinalizer(pointer, 'test');
  });

  it('refuses what is no flag', async () => {
    await using fixture = await AppFixture.start();
    expect(await fixture.call('POST', '/apply?prune=yes', vm('web-1'), yaml)).toMatchObject({
      status: 400,
      body: { error: { field: 'prune' } },
    });
  });
});
