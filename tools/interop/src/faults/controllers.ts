import { openFaultProxy } from '@cosi-ts/faults';
import { Seeded } from '@cosi-ts/harness';
import { controllerNames } from '../controllers/our-controllers.js';
import { converges } from '../controllers/scenarios.js';
import { goWorkers, ourWorkers, type Workers } from '../controllers/workers.js';
import { OurSide } from '../exchange/our-side.js';
import { orders } from '../exchange/resources.js';
import type { GoPeer } from '../go-peer.js';
import type { ServedState } from '../our-servers.js';
import { faultsOf, strike } from './mischief.js';

/** A server, and whose controllers work on it through a proxy. */
export interface FaultyWork {
  readonly server: ServedState;
  readonly reopens: boolean;
  readonly who: 'Go' | 'ours';
  readonly seed: number;
}

const faults = 6;

/** Checks that controllers do all their work, whatever happens to their connection. */
export async function workThroughFaults(peer: GoPeer, { server, reopens, who, seed }: FaultyWork): Promise<void> {
  const random = new Seeded(seed);
  await using proxy = await openFaultProxy(server.address);
  await using colleague = new OurSide(proxy.address, impatient);
  let user = new OurSide(server.address);
  const workers: Workers =
    who === 'Go'
      ? await goWorkers(peer, proxy.address, controllerNames)
      : await ourWorkers(colleague.state, controllerNames);
  const ordered = new Map<string, number>();
  // Two digits in each id, so that ids are in the order of what is said of them.
  let next = 10;
  const order = async () => {
    const id = `order-${next}`;
    await user.create({ ...orders, id, spec: { quantity: next } });
    ordered.set(id, next++);
  };
  try {
    await order();
    await converges(user, ordered);
    for (let i = 0; i < faults; i++) {
      const fault = random.pick(faultsOf(proxy, server, reopens));
      await order();
      await strike(fault, random, order);
      if (fault.serverAway) {
        await user[Symbol.asyncDispose]();
        user = new OurSide(server.address);
      }
      const torn = random.pick([...ordered.keys()]);
      await user.teardown({ ...orders, id: torn });
      ordered.delete(torn);
    }
    await converges(user, ordered);
  } catch (error) {
    throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
  } finally {
    await workers.stop();
    await user[Symbol.asyncDispose]();
  }
}

/** Of our clients, so that tests need not wait for them; Go's have their own, which cannot be set. */
export const impatient = { resumeBackoff: { initialMs: 20, maxMs: 500 } } as const;
