import { expect, it } from 'vitest';
import { HostResources } from './host-resources.js';

// What a process holds open is looked at here: nothing else runs in it meanwhile.

it('names what there is more than before, until it has ended', async () => {
  const before = await HostResources.settled();
  expect(await before.leaks()).toEqual([]);
  const timer = setTimeout(noted, 60_000);
  process.on('SIGUSR2', noted);
  expect(await before.leaks()).toEqual(['1 × Timeout', "1 × listener to the process's SIGUSR2"]);
  clearTimeout(timer);
  process.off('SIGUSR2', noted);
  expect(await before.leaks()).toEqual([]);
});

it('does not take what ended while it settled for something that is there', async () => {
  const passing = setTimeout(noted, 100);
  const before = await HostResources.settled();
  const timer = setTimeout(noted, 60_000);
  expect(await before.leaks()).toEqual(['1 × Timeout']);
  clearTimeout(timer);
  clearTimeout(passing);
});

function noted(): void {}
