import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, chooseHost, type Demand, type Reservation } from './placement-choice.js';

const demand = (over: Partial<Demand> = {}): Demand => ({
  id: 'web-1',
  cpus: 2,
  memoryMib: 1024,
  hostSelector: {},
  spreadGroup: '',
  ...over,
});
const host = (id: string, over: Partial<Candidate> = {}): Candidate => ({
  id,
  cpus: 8,
  memoryMib: 8192,
  labels: {},
  cordoned: false,
  leaving: false,
  ...over,
});
const taken = (id: string, on: string, over: Partial<Reservation> = {}): Reservation => ({
  id,
  host: on,
  cpus: 1,
  memoryMib: 512,
  spreadGroup: '',
  ...over,
});

describe('placement choice', () => {
  it('takes the host that is used least afterwards, by its scarcer resource', () => {
    const hosts = [host('a'), host('b'), host('c')];
    const reservations = [taken('x', 'a', { cpus: 4 }), taken('y', 'b', { cpus: 1, memoryMib: 6000 })];
    expect(chooseHost(demand(), hosts, reservations)).toEqual({ host: 'c', rejections: [] });
    expect(chooseHost(demand(), hosts.slice(0, 2), reservations).host).toBe('a');
  });

  it('takes the first by id when all else is equal', () => {
    expect(chooseHost(demand(), [host('b'), host('a')], []).host).toBe('a');
  });

  it('keeps machines of a group apart before it looks at the load', () => {
    const hosts = [host('a'), host('b')];
    const reservations = [taken('x', 'a', { spreadGroup: 'web' }), taken('y', 'b', { cpus: 5, spreadGroup: 'db' })];
    expect(chooseHost(demand({ spreadGroup: 'web' }), hosts, reservations).host).toBe('b');
    expect(chooseHost(demand(), hosts, reservations).host).toBe('a');
  });

  it('takes a host with a machine of the group rather than none', () => {
    const reservations = [taken('x', 'a', { spreadGroup: 'web' })];
    expect(chooseHost(demand({ spreadGroup: 'web' }), [host('a')], reservations).host).toBe('a');
  });

  it('says host by host why none will do', () => {
    const hosts = [
      host('a', { cpus: 1, memoryMib: 512 }),
      host('b'),
      host('c', { labels: { zone: 'south', disk: 'ssd' } }),
      host('d', { cordoned: true }),
      host('e', { leaving: true }),
    ];
    const reservations = [taken('x', 'b', { cpus: 7 })];
    const wanted = demand({ hostSelector: { zone: 'north' } });
    expect(chooseHost(wanted, hosts, reservations)).toEqual({
      host: undefined,
      rejections: [
        {
          host: 'a',
          reason: 'has no label zone=north and 1 CPUs in all, not 2 and 512 MiB in all, not 1024',
        },
        { host: 'b', reason: 'has no label zone=north and 1 of 8 CPUs free, not 2' },
        { host: 'c', reason: 'has the label zone=south, not north' },
        { host: 'd', reason: 'is cordoned' },
        { host: 'e', reason: 'is going away' },
      ],
    });
  });

  it('leaves a machine where it is, cordoned or fuller than others', () => {
    const hosts = [host('a', { cordoned: true }), host('b')];
    const reservations = [taken('web-1', 'a', { cpus: 2 }), taken('x', 'a', { cpus: 6 })];
    expect(chooseHost(demand(), hosts, reservations, { present: 'a' }).host).toBe('a');
  });

  it('moves a machine that has grown past its host', () => {
    const reservations = [taken('web-1', 'a', { cpus: 2 }), taken('x', 'a', { cpus: 6 })];
    expect(chooseHost(demand({ cpus: 3 }), [host('a'), host('b')], reservations, { present: 'a' }).host).toBe('b');
  });

  it('moves a machine away from a host that is going away', () => {
    const hosts = [host('a', { leaving: true }), host('b')];
    expect(chooseHost(demand(), hosts, [taken('web-1', 'a')], { present: 'a' }).host).toBe('b');
  });

  it('takes the preferred host only if it will do', () => {
    const hosts = [host('a'), host('b', { cpus: 1 }), host('c')];
    expect(chooseHost(demand(), hosts, [], { preferred: 'c' }).host).toBe('c');
    expect(chooseHost(demand(), hosts, [], { preferred: 'b' }).host).toBe('a');
    expect(chooseHost(demand(), hosts, [], { preferred: 'gone' }).host).toBe('a');
  });

  it('never fills a host beyond what it has, and places whenever there is room', () => {
    const size = fc.record({ cpus: fc.integer({ min: 1, max: 4 }), memoryMib: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(fc.array(size, { maxLength: 30 }), fc.array(size, { maxLength: 4 }), (machines, capacities) => {
        const hosts = capacities.map((capacity, i) => host(`h${i}`, capacity));
        const reservations: Reservation[] = [];
        const freeOn = ({ id, cpus, memoryMib }: Candidate) => {
          const own = reservations.filter((reservation) => reservation.host === id);
          return {
            cpus: cpus - own.reduce((sum, { cpus }) => sum + cpus, 0),
            memoryMib: memoryMib - own.reduce((sum, { memoryMib }) => sum + memoryMib, 0),
          };
        };
        machines.forEach((machine, i) => {
          const wanted = demand({ id: `vm${i}`, ...machine });
          const room = hosts.some((each) => {
            const free = freeOn(each);
            return free.cpus >= wanted.cpus && free.memoryMib >= wanted.memoryMib;
          });
          const choice = chooseHost(wanted, hosts, reservations);
          expect(choice.host !== undefined).toBe(room);
          expect(choice.rejections).toHaveLength(room ? 0 : hosts.length);
          if (choice.host !== undefined) reservations.push(taken(wanted.id, choice.host, machine));
        });
        for (const each of hosts) {
          expect(freeOn(each).cpus).toBeGreaterThanOrEqual(0);
          expect(freeOn(each).memoryMib).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
