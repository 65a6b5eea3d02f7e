import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppFixture } from './testing/app-fixture.js';
import { patternsFolder } from './testing/pattern-fixture.js';

const yaml = { 'content-type': 'application/yaml' };
let app: AppFixture;

beforeAll(async () => {
  app = await AppFixture.start();
});

afterAll(() => app?.[Symbol.asyncDispose]());

/** What people do while it runs. */
const deeds: Readonly<Record<string, (run: string) => Promise<unknown>>> = {
  'deferred-choice': (run) => signal(run, 'paid'),
  milestone: async (run) => {
    await signal(run, 'change-seat');
    await app.untilStep(run, 'change', 'succeeded');
    await signal(run, 'departure');
  },
  'cancel-activity': async (run) => {
    await app.untilStep(run, 'search', 'running');
    await signal(run, 'enough');
  },
  'cancel-case': async (run) => {
    await app.untilStep(run, 'work', 'running');
    expect((await app.call('POST', `/runs/${run}/cancel`)).status).toBeLessThan(300);
  },
};

async function signal(run: string, name: string): Promise<void> {
  const { status, body } = await app.call('POST', `/runs/${run}/signals/${name}`, { payload: null });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
}

describe('the examples of patterns, with real processes', { timeout: 60_000 }, () => {
  it.each(readdirSync(patternsFolder).sort())('%s', async (file) => {
    const source = await readFile(join(patternsFolder, file), 'utf8');
    const name = file.replace(/^\d+-|\.yaml$/g, '');
    const { status, body } = await app.call('PUT', `/workflows/${name}`, source, yaml);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    const started = await app.call('POST', '/runs', { workflow: name });
    expect(started.status, JSON.stringify(started.body)).toBe(201);
    const run = started.body.id as string;
    await deeds[name]?.(run);
    await app.untilState(run, name === 'cancel-case' ? 'cancelled' : 'succeeded');
  });
});
