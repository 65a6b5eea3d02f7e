import { setTimeout as delay } from 'node:timers/promises';
import { openFaultProxy } from '@cosi-ts/faults';
import { wrapState } from '@cosi-ts/state';
import { connectState } from '@cosi-ts/transport';
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
  const before = await server.watches();
  for (const way of ['reset', 'cut', 'silence'] as const) {
    await using proxy = await openFaultProxy(server.url);
    const client = connectState(proxy.url, { resume: false });
    const state = wrapState(client);
    const open = await Promise.all(Array.from({ length: watches }, () => state.watchKind(Thing.kind)));
    if ((await server.watches()) !== before + watches)
      problems.push(`the server does not hold ${watches} more watches`);
    const begin = performance.now();
    if (way === 'silence') proxy.pause();
    else proxy[way]();
    while ((await server.watches()) > before && performance.now() - begin < forgetMs[way] + 5000) await delay(10);
    const ms = performance.now() - begin;
    took.push(`${way} ${(ms / 1000).toFixed(2)} s`);
    if (ms > forgetMs[way]) problems.push(`after ${way} the server held watches for ${Math.round(ms)} ms or longer`);
    for (const watch of open) await watch.close();
    await client.close();
  }
  return { what: `watches of vanished clients are free after ${took.join(', ')}`, problems };
}
