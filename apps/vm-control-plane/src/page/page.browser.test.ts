import { type OpenedPage, PageBrowser } from '@cosi-ts/app-kit/testing';
import { primary, type QueueController } from '@cosi-ts/runtime';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VMConfig } from '../resources/index.js';
import { AppFixture } from '../testing/app-fixture.js';

const quick = { minMs: 1, maxMs: 5 };

/** Holds up the process for a while, and then fails. */
const troublemaker: QueueController = {
  name: 'Troublemaker',
  inputs: [primary(VMConfig.kind)],
  async reconcile() {
    const end = performance.now() + 700;
    while (performance.now() < end);
    await Promise.resolve();
    throw new Error('no such luck');
  },
};

describe.skipIf(!PageBrowser.isInstalled())('the page', { timeout: 60_000 }, () => {
  let browser: PageBrowser;

  beforeAll(async () => {
    browser = await PageBrowser.start('vm-control-plane', new URL('../../vite.config.ts', import.meta.url));
  }, 120_000);

  afterAll(() => browser?.[Symbol.asyncDispose]());

  async function open(fixture: AppFixture): Promise<OpenedPage> {
    const opened = await browser.open(fixture.url);
    await opened.page.getByText('6 controllers run').waitFor();
    return opened;
  }

  const row = (page: Page, id: string) =>
    page.getByRole('row').filter({ has: page.getByRole('button', { name: id, exact: true }) });

  it('creates a VM, kills its machine, switches it off and on, and deletes it, live', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const { page, faults, requests } = await open(fixture);
    await page.getByText('There are no VMs yet.').waitFor();

    await page.getByRole('button', { name: 'Create the first' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('web 1');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must be up to 63 letters').waitFor();
    await dialog.getByLabel('Name').fill('web-1');
    await dialog.getByLabel('CPUs').fill('2');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });

    await row(page, 'web-1').getByText('running', { exact: true }).waitFor();
    await row(page, 'web-1').getByText('10.64.0.2').waitFor();
    await page.getByText('2 of 16').waitFor();

    await page.getByRole('button', { name: 'Kill the machine of web-1' }).click();
    await page.getByText('machine: killed').waitFor();
    await row(page, 'web-1').getByText('running', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Shut down web-1' }).click();
    await row(page, 'web-1').getByText('stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start web-1' }).click();
    await row(page, 'web-1').getByText('running', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Delete web-1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no VMs yet.').waitFor();
    const happened = await page.locator('section', { hasText: 'What happens' }).getByRole('listitem').allInnerTexts();
    const story = happened.map((text) => text.split('\n').at(-1));
    const end = story.slice(0, story.indexOf('VM is to go')).reverse();
    expect(end.indexOf('machine gone')).toBeGreaterThan(-1);
    expect(end.indexOf('network gone')).toBeGreaterThan(end.indexOf('machine gone'));
    expect(end.indexOf('VM gone')).toBeGreaterThan(end.indexOf('network gone'));

    // Of the browser's console, the refused creation is all that there is.
    expect(faults.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(fixture.url))).toEqual([]);
    await page.close();
  });

  it('says host by host why a VM waits, and shows it placed when a host is added', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const { page, faults } = await open(fixture);
    await fixture.call('POST', '/vms', { id: 'huge', cpus: 64 });
    await row(page, 'huge').getByText('no host will do').waitFor();
    await page.getByRole('button', { name: 'huge', exact: true }).first().click();
    const detail = page.getByRole('complementary', { name: 'VM huge' });
    for (const host of ['host-1', 'host-2', 'host-3'])
      await detail.getByText(`${host} has 16 CPUs in all, not 64`).waitFor();
    await detail.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('host-4');
    await dialog.getByLabel('CPUs').fill('64');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await row(page, 'huge').getByText('running', { exact: true }).waitFor();
    await row(page, 'huge').getByText('host-4').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('C11, W16: shows the graph of the controllers, their queues and health, and loads what draws only then', async () => {
    await using fixture = await AppFixture.start({
      page: browser.folder,
      simulation: { boot: quick, shutdown: quick, bootFailureRate: 1 },
    });
    const { page, faults, requests } = await open(fixture);
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await row(page, 'web-1').getByText('failed', { exact: true }).waitFor();
    expect(requests.filter((url) => url.includes('/viz-'))).toEqual([]);

    await page.getByRole('link', { name: 'Runtime' }).click();
    const graph = page.getByRole('img', { name: 'Which controllers read and write which resources' });
    await graph.waitFor();
    const { nodes } = fixture.app.plane.runtime.graph();
    expect(await graph.locator('.node text').allTextContents()).toEqual(
      expect.arrayContaining(nodes.map(({ name }) => name)),
    );
    expect(requests.filter((url) => url.includes('/viz-'))).toHaveLength(1);

    const queues = page.getByRole('table', { name: 'Queues of controllers' });
    expect(await queues.getByRole('columnheader').allTextContents()).toEqual([
      'Controller',
      'Ready',
      'Running',
      'Later',
      'Done',
      'Failed',
      'Timed out',
      'Restarts',
    ]);
    // It waits to boot the machine once more.
    await queues.getByRole('row', { name: /^VMController 0 0 1 / }).waitFor();
    await page.getByText('all is live').waitFor();
    const parts = page.getByRole('list', { name: 'Parts of the runtime' });
    for (const text of ['cache Hosts', 'cache VMPlacements', 'watch VMConfigs', 'bridge machine events']) {
      await parts.getByRole('listitem').filter({ hasText: text }).waitFor();
    }
    await browser.screenshot(page, 'runtime');

    await page.getByRole('link', { name: 'Fleet' }).click();
    await row(page, 'web-1').waitFor();
    expect(faults).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(fixture.url))).toEqual([]);
    await page.close();
  });

  it('W16: names the controller that held up all others, and what it failed with', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const { page, faults } = await open(fixture);
    await page.getByRole('link', { name: 'Runtime' }).click();
    await page.getByRole('img').waitFor();
    const { runtime } = fixture.app.plane;
    runtime.register(troublemaker).queue(VMConfig.at('web-1'));
    await page
      .getByText(/ms by Troublemaker, at/)
      .first()
      .waitFor();
    await page.getByText('last error: no such luck').waitFor();
    await page.getByRole('img').locator('.node text', { hasText: 'Troublemaker' }).waitFor();
    await browser.screenshot(page, 'trouble');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('adopts an orphan, and destroys another only when told to', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder });
    const machine = {
      host: 'host-1',
      cpus: 1,
      memoryMib: 512,
      image: 'x',
      mac: '52:54:00:00:00:63',
      power: 'running',
    } as const;
    for (const [id, ip] of [
      ['keep', '10.64.0.9'],
      ['drop', '10.64.0.10'],
    ] as const) {
      await fixture.app.plane.hypervisor.ensure({ ...machine, id, ip });
    }
    const { page } = await open(fixture);
    await page.getByRole('button', { name: 'Adopt keep' }).click();
    await row(page, 'keep').getByText('running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Destroy the machine drop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Destroy' }).click();
    await page.getByText('Orphaned machines').waitFor({ state: 'detached' });
    expect((await fixture.call('GET', '/hypervisor/machines')).body.machines).toMatchObject([{ id: 'keep', boots: 1 }]);
    await page.close();
  });

  it('shows two thousand VMs with a few dozen rows, and finds one of them', async () => {
    await using fixture = await AppFixture.start({ page: browser.folder, defaultHosts: false });
    const { state } = fixture.app.plane;
    for (let i = 0; i < 2000; i++) {
      await state.create(VMConfig.new(`vm-${i}`, { cpus: 1, memoryMib: 512, image: 'debian-12' }));
    }
    const { page, faults } = await open(fixture);
    await page.getByRole('button', { name: '2,000 VMs' }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    const table = page.getByRole('table', { name: 'Virtual machines' });
    await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await row(page, 'vm-1999').waitFor();
    await page.getByLabel('Search').fill('vm-1234');
    await row(page, 'vm-1234').waitFor();
    await page.getByText('1 of 2,000').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('begins anew when the control plane was started again with nothing but its machines', async () => {
    const before = await AppFixture.start({ page: browser.folder });
    const { page } = await open(before);
    await before.call('POST', '/vms', { id: 'web-1' });
    await row(page, 'web-1').getByText('running', { exact: true }).waitFor();
    const port = Number(new URL(before.url).port);
    await before.app.close();
    await page.getByText('reconnecting').waitFor();

    await using _after = await AppFixture.start({
      page: browser.folder,
      port,
      hypervisorFile: before.options.hypervisorFile,
    });
    await page.getByText('Orphaned machines').waitFor();
    await page.getByText('There are no VMs yet.').waitFor();
    await page.getByText('6 controllers run').waitFor();
    await page.close();
    await before[Symbol.asyncDispose]();
  });
});
