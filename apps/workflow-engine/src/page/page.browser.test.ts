import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OpenedPage, PageBrowser } from '@cosi-ts/app-kit/testing';
import { RecordingLogger } from '@cosi-ts/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppFixture } from '../testing/app-fixture.js';
import { startWorker } from '../worker-app.js';

/** How long anything may take that a busy machine holds up. */
const patienceMs = 60_000;

const greeting = `name: greeting
description: Greets somebody, as often as is wanted.
inputs:
  who: { type: string, description: Who is greeted. }
  times: { default: 2, description: How often. }
  loud: { default: false }
  size: { options: [s, m, l], default: m }
  names: { type: list, default: [a] }
steps:
  greet:
    run: |
      echo "Hello, \${{ inputs.who }}, \${{ inputs.times }} times"
      echo "said=\${{ inputs.who }}-\${{ inputs.size }}" >> "$WORKFLOW_OUTPUT"
outputs:
  said: \${{ steps.greet.outputs.said }}
`;

const release = `name: release
steps:
  list:
    outputs: { parts: [kernel, shell, tools, docs, fonts, games] }
  build:
    needs: list
    forEach: \${{ steps.list.outputs.parts }}
    run: echo "building \${{ item }}"
  check:
    needs: list
    run: |
      echo "reading the sums of yesterday"
      echo "fonts/LICENSE is new" >&2
      echo "312 files, all well"
      echo "files:=312" >> "$WORKFLOW_OUTPUT"
  ask:
    needs: [build, check]
    approve: Publish six parts?
  publish:
    needs: ask
    run: echo published
finally:
  tidy:
    run: echo tidied
`;

describe.skipIf(!PageBrowser.isInstalled())('the page', { timeout: 180_000 }, () => {
  let browser: PageBrowser;

  beforeAll(async () => {
    browser = await PageBrowser.start('workflow-engine', new URL('../../vite.config.ts', import.meta.url));
  }, 180_000);

  afterAll(() => browser?.[Symbol.asyncDispose]());

  async function open(fixture: AppFixture, hash = '', scheme: 'light' | 'dark' = 'light'): Promise<OpenedPage> {
    const opened = await browser.open(`${fixture.url}/${hash}`, { height: 1000, scheme });
    opened.page.setDefaultTimeout(patienceMs);
    await opened.page.getByText('controllers run').waitFor();
    return opened;
  }

  const steps = (page: Page) => page.getByRole('list', { name: 'Steps of the run' });
  const stepRow = (page: Page, step: string, state: string) =>
    steps(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: step, exact: true }) })
      .filter({ hasText: state });
  const runState = (page: Page, state: string) =>
    page.getByRole('heading', { level: 2 }).getByText(state, { exact: true });

  it('says what to do first, applies a workflow with its mistakes told, and runs it with inputs', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const { page, faults, requests } = await open(fixture);
    await page.getByText('There are no workflows yet.').waitFor();
    await browser.screenshot(page, 'empty');
    await page.getByRole('button', { name: 'Apply a workflow' }).click();
    const writing = page.getByRole('dialog', { name: 'Apply a workflow' });
    const wrong = greeting.replace('    run: |', '    runs: |');
    await writing.getByLabel('Definition').fill(wrong);
    await writing.getByRole('button', { name: 'Apply' }).click();
    await writing.getByRole('alert').getByText('line 11').waitFor();
    expect(await writing.getByLabel('Definition').inputValue()).toBe(wrong);
    await writing.getByLabel('Definition').fill(greeting);
    await writing.getByRole('button', { name: 'Apply' }).click();

    await page.getByRole('heading', { name: 'greeting', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Source of the definition' }).getByText('name: greeting').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Run greeting' });
    expect(await dialog.getByLabel('times').inputValue()).toBe('2');
    await dialog.getByLabel('times').fill('many');
    await dialog.getByLabel('size').selectOption('l');
    await dialog.getByRole('button', { name: 'Run' }).click();
    await dialog.getByText('It must be given.').waitFor();
    await dialog.getByText('It is no number.').waitFor();
    await browser.screenshot(page, 'run-dialog');
    expect(await dialog.getByLabel('times').inputValue()).toBe('many');
    await dialog.getByLabel('times').fill('3');
    await dialog.getByLabel('who').fill('Ada');
    await dialog.getByRole('button', { name: 'Run' }).click();

    await runState(page, 'succeeded').waitFor();
    await page.getByText('Ada-l').first().waitFor();
    await stepRow(page, 'greet', 'succeeded').getByRole('link').click();
    await page.getByRole('log').getByText('Hello, Ada, 3 times').waitFor();
    await page.getByText('complete').waitFor();
    const runs = (await fixture.call('GET', '/runs')).body.runs;
    const detail = (await fixture.call('GET', `/runs/${runs[0].id}`)).body;
    expect(detail.inputs).toEqual({ who: 'Ada', times: 3, loud: false, size: 'l', names: ['a'] });

    await page.getByRole('link', { name: 'Workflows', exact: true }).click();
    await page.getByRole('list', { name: 'Workflows' }).getByText('1 run').waitFor();
    await browser.screenshot(page, 'workflows');
    expect(requests.filter((url) => !url.startsWith(fixture.url))).toEqual([]);
    // The one answer that said what is wrong with the definition.
    expect(faults).toEqual([expect.stringContaining('400')]);
    await page.close();
  });

  it('shows a fan-out live, has an approval given with a comment, and the run as graph and timeline', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const run = await fixture.start(release);
    const { page, faults } = await open(fixture);
    await page.getByRole('row').filter({ hasText: run }).getByText('waits in ask').waitFor();
    await page.getByRole('link', { name: run }).click();
    const graph = page.getByRole('region', { name: 'Graph of the steps' });
    await graph.getByText('6/6 · run').waitFor();
    await page.getByText('Publish six parts?').waitFor();
    await browser.screenshot(page, 'approval');
    await graph.getByRole('link', { name: 'check' }).click();
    await page.getByRole('log').getByText('312 files, all well').waitFor();
    await page.getByText('complete').waitFor();
    await browser.screenshot(page, 'run');
    await page.getByLabel('Comment for ask').fill('Looks good');
    await page.getByRole('button', { name: 'Approve' }).click();
    await runState(page, 'succeeded').waitFor();
    await page.getByText('Publish six parts?').waitFor({ state: 'detached' });
    const asked = await fixture.call('GET', `/runs/${run}/steps/ask/executions/-`);
    expect(asked.body.outputs).toMatchObject({ approved: true, comment: 'Looks good' });

    await graph.getByRole('link', { name: 'build' }).click();
    const executions = page.getByRole('list', { name: 'Executions of build' });
    await executions.getByRole('link', { name: 'build 3' }).click();
    await page.getByRole('log').getByText('building docs').waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('link', { name: 'build 5' }).waitFor();
    await expect.poll(() => timeline.locator('.bar').count(), { timeout: patienceMs }).toBe(12);
    await browser.screenshot(page, 'timeline');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('follows the log of a step until it fails, and retries the run', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const mark = join(fixture.folder, 'mark');
    const run = await fixture.start(`name: shaky
steps:
  before:
    run: echo done once
  shaky:
    needs: before
    run: |
      echo "first line"
      echo "what went wrong" >&2
      while [ ! -e ${mark} ]; do sleep 0.1; done
      [ -e ${mark}.well ] || exit 7
      echo "all is well"
`);
    const { page, faults } = await open(fixture, `#runs/${run}?step=shaky`);
    const log = page.getByRole('log');
    await log.getByText('what went wrong').waitFor();
    await page.getByText('lines · live').waitFor();
    await writeFile(mark, '');
    await runState(page, 'failed').waitFor();
    await page.getByText('exit code 7').first().waitFor();
    await page.getByText('complete').waitFor();
    await browser.screenshot(page, 'failed');

    await writeFile(`${mark}.well`, '');
    await page.getByRole('button', { name: 'Retry' }).click();
    await runState(page, 'succeeded').waitFor();
    await log.getByText('all is well').waitFor();
    await page.getByRole('button', { name: 'Attempt 1' }).click();
    await page.getByText('exit code 7').first().waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    const bars = page.getByRole('region', { name: 'Timeline' }).locator('.bar');
    await expect.poll(() => bars.count(), { timeout: patienceMs }).toBe(3);
    await browser.screenshot(page, 'attempts');
    const before = await fixture.call('GET', `/runs/${run}/steps/before/executions/-`);
    expect(before.body.attempt).toBe(1);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('pauses and resumes a run, and cancels it when that was confirmed', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const run = await fixture.start(`name: long
steps:
  first:
    sleep: 1h
  second:
    needs: first
    run: echo never
finally:
  tidy:
    run: echo tidied
`);
    const { page, faults } = await open(fixture, `#runs/${run}`);
    await stepRow(page, 'first', 'waiting').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await runState(page, 'paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await runState(page, 'running').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await fixture.call('GET', `/runs/${run}`)).body.state).toBe('running');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Cancel the run' }).click();
    await runState(page, 'cancelled').waitFor();
    await stepRow(page, 'tidy', 'succeeded').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing has run yet.').or(page.getByText('There are no workflows yet.')).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('sends a signal with a payload, and says what is wrong with one that is no JSON', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const run = await fixture.start(`name: signalled
steps:
  hold:
    wait: go
outputs:
  got: \${{ steps.hold.outputs.version }}
`);
    const { page, faults } = await open(fixture, `#runs/${run}`, 'dark');
    await page.getByLabel('Payload of go').fill('{version: 2}');
    await page.getByRole('button', { name: 'Send go' }).click();
    await page.getByText('It is no JSON').waitFor();
    await browser.screenshot(page, 'signal-dark');
    await page.getByLabel('Payload of go').fill('{"version": 2}');
    await page.getByRole('button', { name: 'Send go' }).click();
    await runState(page, 'succeeded').waitFor();
    expect((await fixture.call('GET', `/runs/${run}`)).body.outputs).toEqual({ got: 2 });
    expect(faults).toEqual([]);
    await page.close();
  });

  it('shows schedules, workers and secrets, and who has approved', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    await using worker = await startWorker(
      {
        ...{ name: 'builder', stateUrl: `http://${fixture.app.stateAddress}`, serves: { gpu: 'yes' }, slots: 3 },
        ...{
          leaseMs: 60_000,
          graceMs: 1000,
          folder: join(browser.folder, 'worker'),
          log: { level: 'info', format: 'json' },
        },
      },
      new RecordingLogger(),
    );
    await fixture.call('PUT', '/secrets/deploy', { values: { token: 'hush-hush', user: 'ann' } });
    await fixture.call(
      'POST',
      '/workflows',
      'name: nightly\ninputs: { depth: { default: 3 } }\nsteps:\n  one: { outputs: { a: 1 } }\n',
    );
    await fixture.call('PUT', '/schedules/night', { workflow: 'nightly', cron: '0 3 * * *', inputs: { depth: 7 } });
    await fixture.call('PUT', '/schedules/lost', { workflow: 'none', cron: '0 4 * * *', suspended: true });
    const { page, faults } = await open(fixture, '#setup');
    const schedules = page.getByRole('list', { name: 'Schedules' });
    await schedules.getByText('next ').waitFor();
    await schedules.getByText('suspended').waitFor();
    expect(await page.getByRole('button', { name: 'Run lost now' }).isDisabled()).toBe(true);
    await page.getByRole('list', { name: 'Workers' }).getByText('0 of 3 at work').waitFor();
    await page.getByText('gpu=yes').waitFor();
    const secrets = page.getByRole('list', { name: 'Secrets' });
    await secrets.getByText('deploy').waitFor();
    await secrets.getByText('token').waitFor();
    expect(await page.content()).not.toContain('hush-hush');
    await browser.screenshot(page, 'setup');
    await page.getByRole('button', { name: 'Suspend night' }).click();
    await page.getByRole('button', { name: 'Resume night' }).waitFor();
    expect((await fixture.call('GET', '/schedules/night')).body).toMatchObject({
      suspended: true,
      inputs: { depth: 7 },
    });
    await page.getByRole('button', { name: 'Run night now' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('depth').inputValue()).toBe('7');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await runState(page, 'succeeded').waitFor();

    const asked = await fixture.start('name: asking\nsteps:\n  ask: { approve: Sure? }\n');
    await fixture.untilStep(asked, 'ask', 'waiting');
    await fixture.call('POST', `/runs/${asked}/approve`, { by: 'ann', comment: 'go on' });
    await fixture.untilState(asked, 'succeeded');
    await page.goto(`${fixture.url}/#runs/${asked}?step=ask`);
    await page.getByText('approved by ann: go on').waitFor();
    expect(faults).toEqual([]);
    await worker.close();
    await page.close();
  });

  it('stays usable with thousands of executions, on a narrow screen, and leads to nested runs', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    await fixture.call('POST', '/workflows', 'name: inner\nsteps:\n  one: { outputs: { a: 1 } }\n', {
      'content-type': 'application/yaml',
    });
    const run = await fixture.start(`name: many
steps:
  each:
    forEach: \${{ range(2000) }}
    outputs: { n: "\${{ index }}" }
  inner:
    workflow: inner
`);
    await fixture.untilState(run, 'succeeded');
    const { page, faults } = await open(fixture, `#runs/${run}?tab=timeline`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('link', { name: 'each 9', exact: true }).waitFor();
    expect(await timeline.getByRole('listitem').count()).toBeLessThan(60);
    await timeline.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await timeline.getByRole('link', { name: 'each 1999' }).waitFor();
    await steps(page).getByRole('link', { name: 'each' }).click();
    await page.getByText('1–25 of 2,000').waitFor();
    await page.getByRole('button', { name: 'Last' }).click();
    await page.getByRole('list', { name: 'Executions of each' }).getByRole('link', { name: 'each 1999' }).waitFor();

    await page.setViewportSize({ width: 400, height: 860 });
    await page.getByRole('link', { name: 'Graph' }).click();
    await browser.screenshot(page, 'narrow');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await page.getByRole('link', { name: 'The run of inner' }).click();
    await page.getByRole('heading', { name: `${run}.inner` }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
    await page.getByRole('row').filter({ hasText: run }).waitFor();
    await browser.screenshot(page, 'narrow-runs');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('filters runs, says that there is no such run, and shows the runtime', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const well = await fixture.start('name: well\nsteps:\n  a: { outputs: { a: 1 } }\n');
    const ill = await fixture.start('name: ill\nsteps:\n  a: { run: "exit 3" }\n');
    await fixture.untilState(well, 'succeeded');
    await fixture.untilState(ill, 'failed');
    const { page, faults } = await open(fixture);
    await page.getByRole('row').filter({ hasText: well }).waitFor();
    await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'failed' }).click();
    await page.getByRole('row').filter({ hasText: well }).waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: ill }).waitFor();
    await page.getByLabel('Workflow', { exact: true }).selectOption('well');
    await page.getByText('No run matches.').waitFor();
    await page.getByRole('link', { name: 'Show all runs' }).click();
    await page.getByRole('row').filter({ hasText: well }).waitFor();
    await browser.screenshot(page, 'runs');
    expect(faults).toEqual([]);

    await page.getByRole('link', { name: 'Runtime' }).click();
    await page.getByRole('img', { name: 'Which controllers read and write which resources' }).waitFor();
    await browser.screenshot(page, 'runtime');
    expect(faults).toEqual([]);
    await page.goto(`${fixture.url}/#runs/nothing`);
    await page.getByText('There is no run nothing').waitFor();
    await page.close();
  });
});
