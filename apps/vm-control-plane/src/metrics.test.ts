import { readFile } from 'node:fs/promises';
import { isNotFound } from '@cosi-ts/resource';
import { wrapState } from '@cosi-ts/state';
import { connectState } from '@cosi-ts/transport';
import { describe, expect, it, vi } from 'vitest';
import { Host, VMConfig } from './resources/index.js';
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

  it('has what the State service was asked for', async () => {
    await using fixture = await AppFixture.start();
    await askState(fixture);
    const samples = await metricsOf(fixture);
    const calls = samples.filter(({ name }) => name === 'cosi_server_calls_total').map(({ labels }) => labels);
    expect(calls).toContainEqual({ rpc: 'cosi.resource.State/List', status: 'OK' });
    expect(calls).toContainEqual({ rpc: 'cosi.resource.State/Get', status: 'NotFound' });
  });

  it('has everything that the dashboard asks for, names and labels', async () => {
    await using fixture = await AppFixture.start();
    await askState(fixture);
    const samples = await metricsOf(fixture);
    const labels = new Map<string, Set<string>>();
    for (const { name, labels: own } of samples) {
      labels.set(name, new Set([...(labels.get(name) ?? []), ...Object.keys(own)]));
    }
    const queries = await dashboardQueries();
    expect(queries.length).toBeGreaterThan(10);
    for (const { expr, legendFormat } of queries) {
      const names = expr.match(/cosi_\w+/g) ?? [];
      const wanted = [
        ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
        ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label),
        ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
      ];
      expect(names).not.toEqual([]);
      for (const name of names) {
        expect([expr, name, [...(labels.get(name) ?? [])]]).toEqual([expr, name, expect.arrayContaining(wanted)]);
      }
    }
  });

  it('has nothing that the dashboard does not show', async () => {
    await using fixture = await AppFixture.start();
    await askState(fixture);
    const shown = new Set((await dashboardQueries()).flatMap(({ expr }) => expr.match(/cosi_\w+/g) ?? []));
    const names = (await metricsOf(fixture)).map(({ name }) => name.replace(/_(sum|count)$/, '_bucket'));
    expect(names).toContain('cosi_controller_escaped_total');
    expect([...new Set(names)].filter((name) => name.startsWith('cosi_') && !shown.has(name))).toEqual([]);
  });
});

interface Query {
  readonly expr: string;
  readonly legendFormat: string;
}

async function dashboardQueries(): Promise<readonly Query[]> {
  const dashboard = JSON.parse(await readFile(new URL('../docs/grafana-dashboard.json', import.meta.url), 'utf8'));
  return dashboard.panels.flatMap(({ targets }: { targets: readonly Query[] }) => targets);
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

async function metricsOf(fixture: AppFixture): Promise<readonly Sample[]> {
  const text = await (await fixture.fetch('/metrics')).text();
  const lines = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)/gm)];
  const samples = lines.map(([, name = '', labels = '', value = '']) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
    value: Number(value),
  }));
  return samples;
}

/** A list, and a get of something that is not there, by another process's way. Resolves when they are in the metrics. */
async function askState(fixture: AppFixture): Promise<void> {
  const state = wrapState(connectState(`http://${fixture.app.stateAddress}`));
  expect(await state.list(Host.kind)).toHaveLength(3);
  await expect(state.get(VMConfig.at('none'))).rejects.toSatisfy(isNotFound);
  await state.close();
  // A call is counted when the server has sent the last of it, which may be after the client has it.
  await vi.waitFor(async () => {
    const samples = await metricsOf(fixture);
    expect(samples.filter(({ name }) => name === 'cosi_server_calls_total')).toHaveLength(2);
  });
}
