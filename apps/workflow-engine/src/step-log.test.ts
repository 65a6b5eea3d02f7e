import { describe, expect, it } from 'vitest';
import { AppFixture } from './testing/app-fixture.js';

const source = `
name: logs
steps:
  one: { run: echo hi }
  items: { forEach: [1, 2], run: 'echo \${{ item }}' }
`;

describe('the log of a step', { timeout: 20_000 }, () => {
  it('is not there for an execution that there is not', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start(source);
    await fixture.untilState(run, 'succeeded');
    const log = (step: string, query = '') => fixture.call('GET', `/runs/${run}/steps/${step}/log${query}`);
    expect((await log('one')).body.lines).toMatchObject([{ text: 'hi' }]);
    expect((await log('items', '?index=1')).body.lines).toMatchObject([{ text: '2' }]);
    for (const follow of ['', '&follow=true']) {
      expect(await log('one', `?index=5${follow}`)).toMatchObject({
        status: 404,
        body: { detail: 'step one has no execution 5', hint: 'it has one, without an index: leave out ?index=' },
      });
      expect(await log('items', `?index=2${follow}`)).toMatchObject({
        status: 404,
        body: { detail: 'step items has no execution 2', hint: 'it has 2, counted from 0' },
      });
      expect(await log('items', `?index=-${follow}`)).toMatchObject({ status: 400 });
    }
  });
});
