import { setTimeout as delay } from 'node:timers/promises';
import type { FaultProxy } from '@cosi-ts/faults';
import type { Seeded } from '@cosi-ts/harness';
import type { DurableServer } from './durable-server.js';

/** Something that goes wrong for a while. Resolves when it does no longer. */
export interface Fault {
  readonly name: string;
  run(proxy: FaultProxy, server: DurableServer, random: Seeded): Promise<void>;
}

const reset: Fault = {
  name: 'reset',
  async run(proxy) {
    proxy.reset();
  },
};

const cut: Fault = {
  name: 'cut',
  async run(proxy) {
    proxy.cut();
  },
};

const pause: Fault = {
  name: 'pause',
  async run(proxy, _server, random) {
    proxy.pause(random.pick(['both', 'toServer', 'toClient']));
    await delay(random.below(400));
    // Some connections end while nothing passes.
    if (random.float() < 0.3) proxy.reset();
    proxy.heal();
  },
};

/** Longer than peers that answer pings may be silent. */
const silence = (ms: number): Fault => ({
  name: 'silence',
  async run(proxy) {
    proxy.pause();
    await delay(ms);
    proxy.heal();
  },
});

const kill: Fault = {
  name: 'kill',
  async run(_proxy, server, random) {
    await server.kill();
    await delay(random.below(200));
    await server.restart();
  },
};

const refuse: Fault = {
  name: 'refuse',
  async run(proxy, _server, random) {
    proxy.refuseNew();
    proxy.reset();
    await delay(random.below(400));
    proxy.heal();
  },
};

/** Slow enough that what is under way when it ends is cut in the middle. */
const slow: Fault = {
  name: 'slow',
  async run(proxy, _server, random) {
    proxy.delay(random.below(50));
    proxy.throttle(20_000 + random.below(200_000));
    await delay(random.below(500));
    if (random.float() < 0.5) proxy.reset();
    proxy.heal();
  },
};

/** A choice of faults, the heavy ones less often. */
export function planned(random: Seeded, silentMs: number): Fault {
  if (random.float() < 0.03) return silence(silentMs);
  return random.pick([reset, reset, cut, cut, pause, pause, kill, refuse, slow]);
}
