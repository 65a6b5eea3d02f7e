import { describe, expect, it } from 'vitest';
import { defineFunction } from './executors/function/defined-function.js';
import { AppFixture } from './testing/app-fixture.js';

const count = 10_000;
const source = `name: large
steps:
  work: { forEach: { items: "\${{ range(${count}) }}", parallel: 50 }, function: nothing }
`;

describe('a run with ten thousand executions', () => {
  it('is told in few and short answers while it goes on', { timeout: 120_000 }, async () => {
    const nothing = defineFunction({ name: 'nothing', handler: async () => undefined });
    await using fixture = await AppFixture.start({ slots: { function: 50 } }, { functions: [nothing] });
    const run = await fixture.start(source);
    const sizes = { detail: 0, page: 0, pages: 0 };
    let isOver = false;
    await using events = await fixture.events(`/events?run=${run}`);
    const told = events.upTo(({ event, data }) => event === 'runs' && data.changed[0]?.state === 'succeeded');
    const followed = told.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const detail = await fixture.call('GET', `/runs/${run}`);
      const page = await fixture.call('GET', `/runs/${run}/steps/work/executions?offset=${count / 2}&limit=100`);
      expect([detail.status, page.status]).toEqual([200, 200]);
      sizes.detail = Math.max(sizes.detail, JSON.stringify(detail.body).length);
      sizes.page = Math.max(sizes.page, JSON.stringify(page.body).length);
      sizes.pages++;
    }
    const all = await followed;
    expect(sizes.pages).toBeGreaterThan(3);
    expect(sizes.detail).toBeLessThan(4000);
    expect(sizes.page).toBeLessThan(60_000);
    expect(all.length).toBeLessThan(1000);
    for (const { event, data } of all) {
      if (event === 'executions') expect(data.changed.length).toBeLessThanOrEqual(202);
    }
    const last = await fixture.call('GET', `/runs/${run}/steps/work/executions?offset=${count - 1}`);
    expect(last.body).toMatchObject({
      total: count,
      next: null,
      executions: [{ index: count - 1, state: 'succeeded' }],
    });
  });
});
