import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { VMConfig } from './resources/index.js';
import { AppFixture } from './testing/app-fixture.js';

describe('/metrics', () => {
  it('C12: has what the controllers did, in the format of Prometheus', async () => {
    await using fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await fixture.until(async () =>
      expect((await fixture.call('GET', '/vms/web-1')).body).toMatchObject({ state: 'running' }),
    );
    const answer = await fixture.fetch('/metrics');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    expect(text).toMatch(/^# TYPE cosi_controller_processed_total counter$/m);
    expect(text).toMatch(/^cosi_controller_processed_total\{controller="VMController"\} [1-9]/m);
    expect(text).toMatch(/^cosi_controller_queue_length\{controller="VMController",state="ready"\} \d/m);
    expect(text).toMatch(/^cosi_runtime_live\{part="controller",name="VMController"\} 1$/m);
    expect((await fixture.fetch('/metrics', { method: 'HEAD' })).status).toBe(200);
  });

  it('has everything that the dashboard asks for', async () => {
    await using fixture = await AppFixture.start();
    const text = await (await fixture.fetch('/metrics')).text();
    const there = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const dashboard = JSON.parse(await readFile(new URL('../docs/grafana-dashboard.json', import.meta.url), 'utf8'));
    const asked = new Set<string>(
      dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
        targets.flatMap(({ expr }) => expr.match(/cosi_\w+/g) ?? []),
      ),
    );
    expect(asked.size).toBeGreaterThan(10);
    expect([...asked].filter((name) => !there.has(name))).toEqual([]);
  });
});

describe('/vms/{id}/blockers', () => {
  it('S19: tells what a VM that is being deleted waits for, orphan finalizers among it', async () => {
    await using fixture = await AppFixture.start();
    const { state, runtime } = fixture.app.plane;
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await state.addFinalizer(VMConfig.at('web-1'), 'backup-tool');
    await fixture.call('DELETE', '/vms/web-1');
    const ask = () => fixture.call('GET', '/vms/web-1/blockers');
    await fixture.until(async () =>
      expect(await ask()).toMatchObject({
        status: 200,
        body: { id: 'web-1', phase: 'tearingDown', blockers: [{ finalizer: 'backup-tool', orphan: true }] },
      }),
    );
    await runtime.forceRemoveFinalizer(VMConfig.at('web-1'), 'backup-tool');
    await fixture.until(async () => expect((await ask()).status).toBe(404));
  });
});
