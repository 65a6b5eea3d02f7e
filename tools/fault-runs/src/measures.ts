import { setTimeout as delay } from 'node:timers/promises';
import { openFaultProxy } from '@cosi-ts/faults';
import { wrapState } from '@cosi-ts/state';
import { connectState, defaultConnectStateOptions } from '@cosi-ts/transport';
import type { DurableServer } from './durable-server.js';
import { Thing } from './things.js';

export interface Measured {
  readonly what: string;
  readonly problems: readonly string[];
}

const watches = 50;

/** How long the server may hold what clients had that are gone, by how they went. */
const forgetMs = { reset: 5000, cut: 5000, silence: 20_000 };

/** How long the server takes to free the watches of clients that vanish. */
export async function measureVanishing(server: DurableServer): Promise<Measured> {
  const problems: string[] = [];
  const took: string[] = [];
  for (const way of ['reset', 'cut', 'silence'] as const) {
    await using proxy = await openFaultProxy(server.url);
    const client = connectState(proxy.url, { resume: false });
    const state = wrapState(client);
    const open = await Promise.all(Array.from({ length: watches }, () => state.watchKind(Thing.kind)));
    const held = await server.watches();
    if (held !== watches) problems.push(`the server holds ${held} watches instead of ${watches}`);
    const begin = performance.now();
    if (way === 'silence') proxy.pause();
    else proxy[way]();
    while ((await server.watches()) > 0 && performance.now() - begin < forgetMs[way] + 5000) await delay(10);
    const ms = performance.now() - begin;
    took.push(`${way} ${(ms / 1000).toFixed(2)} s`);
    if (ms > forgetMs[way]) problems.push(`after ${way} the server held watches for ${Math.round(ms)} ms or longer`);
    for (const watch of open) await watch.close();
    await client.close();
  }
  return { what: `watches of vanished clients are free after ${took.join(', ')}`, problems };
}

/** How much later than configured a silence may be noticed, on a machine that is busy with other things. */
const slackMs = 3000;

/** How long clients take to notice that nothing comes from their server any more, with short times and with the default. */
export async function measureSilence(server: DurableServer): Promise<Measured> {
  const { intervalMs, timeoutMs } = defaultConnectStateOptions.keepalive;
  const configured = [
    { intervalMs: 1000, timeoutMs: 3000 },
    { intervalMs, timeoutMs },
  ];
  const measured = await Promise.all(configured.map((keepalive) => noticedSilence(server, keepalive)));
  return { what: measured.map(({ what }) => what).join(', '), problems: measured.flatMap(({ problems }) => problems) };
}

async function noticedSilence(
  server: DurableServer,
  keepalive: { intervalMs: number; timeoutMs: number },
): Promise<Measured> {
  await using proxy = await openFaultProxy(server.url);
  await using client = connectState(proxy.url, { resume: false, keepalive });
  const open = await Promise.all(Array.from({ length: watches }, () => client.watchKind(Thing.kind)));
  const begin = performance.now();
  proxy.pause();
  const configuredMs = keepalive.intervalMs + keepalive.timeoutMs;
  const late = delay(configuredMs + 2 * slackMs, 'late' as const, { ref: false });
  const ends = await Promise.all(open.map((watch) => Promise.race([watch.next(), late])));
  const ms = performance.now() - begin;
  const what = `a silence is noticed after ${(ms / 1000).toFixed(2)} s where ${configuredMs / 1000} s are configured`;
  const unnoticed = ends.filter((end) => end === 'late' || end.value?.type !== 'errored').length;
  const problems: string[] = [];
  if (unnoticed > 0)
    problems.push(`${unnoticed} of ${watches} watches did not notice a silence of ${Math.round(ms)} ms`);
  else if (ms > configuredMs + slackMs) problems.push(what);
  return { what, problems };
}
