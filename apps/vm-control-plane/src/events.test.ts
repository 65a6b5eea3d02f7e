import { complaints, type ServerEvent } from '@cosi-ts/app-kit/testing';
import { describe, expect, it } from 'vitest';
import { VMConfig } from './resources/index.js';
import { AppFixture } from './testing/app-fixture.js';

const short = (type: string) => type.split('.')[0] as string;
const isResource = ({ event }: ServerEvent) => ['created', 'updated', 'destroyed'].includes(event);
const story = (events: readonly ServerEvent[]) =>
  events.filter(isResource).map(({ event, data }) => `${event} ${short(data.type)} ${data.id}`);
const isStatus = (state: string) => (event: ServerEvent) =>
  isResource(event) && short(event.data.type) === 'VMStatuses' && event.data.spec.state === state;
const isReady = ({ event }: ServerEvent) => event === 'ready';

describe('the event stream', () => {
  it('tells all that there is, then what happens', async () => {
    await using fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-1')).body.state).toBe('running'));

    await using events = await fixture.events();
    const beginning = await events.upTo(isReady);
    const names = beginning.map(({ event }) => event);
    expect(names.filter((name) => name !== 'health')[0]).toBe('machines');
    expect(names).toContain('health');
    expect(names).toContain('reset');
    const snapshot = beginning.filter(({ event }) => event === 'snapshot').flatMap(({ data }) => data);
    expect(snapshot.map(({ type, id }: { type: string; id: string }) => `${short(type)} ${id}`)).toEqual([
      'VMConfigs web-1',
      'Hosts host-1',
      'Hosts host-2',
      'Hosts host-3',
      'VMStatuses web-1',
      'VMPlacements web-1',
      'NetworkConfigs web-1',
    ]);
    expect(beginning.find(({ event }) => event === 'machines')?.data[0]).toMatchObject({
      id: 'web-1',
      state: 'running',
    });

    await fixture.call('POST', '/vms', { id: 'web-2' });
    const birth = await events.upTo(isStatus('running'));
    expect(story(birth)[0]).toBe('created VMConfigs web-2');
    const states = birth
      .filter(isResource)
      .flatMap(({ data }) => (short(data.type) === 'VMStatuses' ? [data.spec.state] : []));
    expect(states.filter((state, i) => state !== states[i - 1])).toEqual(['pending', 'booting', 'running']);
    expect(birth.at(-1)?.data.spec).toMatchObject({ host: expect.stringMatching(/^host-/), ip: '10.64.0.3' });
    expect(birth.filter(isResource).every(({ id }) => id !== undefined)).toBe(true);
  });

  it('shows the machine gone before the network, and the network before the VM', async () => {
    await using fixture = await AppFixture.start();
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-1')).body.state).toBe('running'));
    await using events = await fixture.events();
    await events.upTo(isReady);
    await fixture.call('DELETE', '/vms/web-1');
    const end = await events.upTo(({ event, data }) => event === 'destroyed' && short(data.type) === 'VMConfigs');
    const at = (matches: (event: ServerEvent) => boolean) => end.findIndex(matches);
    const machine = at(({ event, data }) => event === 'machine' && data.machine === null);
    const network = at(({ event, data }) => event === 'destroyed' && short(data.type) === 'NetworkConfigs');
    expect(machine).toBeGreaterThan(-1);
    expect(network).toBeGreaterThan(machine);
    expect(end.length - 1).toBeGreaterThan(network);
  });

  it('goes on where a client left off, without a gap or a repetition', async () => {
    await using fixture = await AppFixture.start();
    await using first = await fixture.events();
    await first.upTo(isReady);
    await fixture.call('POST', '/vms', { id: 'web-1' });
    const seen = await first.upTo(isStatus('running'));
    const left = seen[Math.floor(seen.length / 2)] as ServerEvent;
    const at = seen.findLastIndex((event, i) => i <= seen.indexOf(left) && event.id !== undefined);
    await fixture.call('POST', '/vms', { id: 'web-2' });
    await fixture.until(async () => expect((await fixture.call('GET', '/vms/web-2')).body.state).toBe('running'));

    await using second = await fixture.events((seen[at] as ServerEvent).id);
    const resumed = await second.upTo((event) => isStatus('running')(event) && event.data.id === 'web-2');
    expect(resumed.map(({ event }) => event)).not.toContain('reset');
    expect(resumed.find(isReady)?.id).toBe((seen[at] as ServerEvent).id);
    const missed = [
      ...seen.slice(at + 1),
      ...(await first.upTo((event) => isStatus('running')(event) && event.data.id === 'web-2')),
    ];
    // Each kind's changes come in order; how two kinds interleave may differ.
    for (const kind of ['VMConfigs', 'VMStatuses', 'VMPlacements', 'NetworkConfigs']) {
      const of = (events: readonly ServerEvent[]) =>
        events
          .filter((event) => isResource(event) && short(event.data.type) === kind)
          .map(({ data }) => `${data.id} ${data.version}`);
      expect(of(resumed)).toEqual(of(missed));
    }
  });

  it.each(['nonsense', 'AAAA', '!!'])('begins anew for a client whose bookmark is refused: %s', async (bookmark) => {
    await using fixture = await AppFixture.start();
    await using events = await fixture.events(bookmark);
    const beginning = await events.upTo(isReady);
    const reset = beginning.find(({ event }) => event === 'reset');
    expect(reset?.data.reason).toContain('position is malformed');
    expect(beginning.filter(({ event }) => event === 'snapshot').flatMap(({ data }) => data)).toHaveLength(3);
  });

  it('begins anew for a client of an earlier process', async () => {
    const before = await AppFixture.start();
    await using old = await before.events();
    const { id } = (await old.upTo(isReady)).at(-1) as ServerEvent;
    await before[Symbol.asyncDispose]();
    await using fixture = await AppFixture.start();
    await using events = await fixture.events(id);
    const reset = (await events.upTo(isReady)).find(({ event }) => event === 'reset');
    expect(reset?.data.reason).toContain('invalid bookmark');
  });

  it('loses nothing of a burst', async () => {
    await using fixture = await AppFixture.start({ defaultHosts: false });
    await using events = await fixture.events();
    await events.upTo(isReady);
    const { state } = fixture.app.plane;
    const count = 300;
    for (let i = 0; i < count; i++) {
      await state.create(VMConfig.new(`vm-${i}`, { cpus: 1, memoryMib: 512, image: 'debian-12' }));
    }
    const last = `vm-${count - 1}`;
    const seen = await events.upTo(
      ({ event, data }) => event === 'created' && data.id === last && short(data.type) === 'VMConfigs',
    );
    const created = seen.filter(({ event, data }) => event === 'created' && short(data.type) === 'VMConfigs');
    expect(created.map(({ data }) => data.id)).toEqual(Array.from({ length: count }, (_, i) => `vm-${i}`));
  });

  it('does not begin for a client that only asks what it is', async () => {
    await using fixture = await AppFixture.start();
    const response = await fixture.fetch('/events', { method: 'HEAD' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toBe('');
  });

  it('holds nothing for clients that went away', async () => {
    await using fixture = await AppFixture.start();
    for (let i = 0; i < 20; i++) {
      await using events = await fixture.events();
      await events.upTo(isReady);
    }
    await using last = await fixture.events();
    await last.upTo(isReady);
    await fixture.call('POST', '/vms', { id: 'web-1' });
    await last.upTo(isStatus('running'));
    expect(complaints(fixture.logger)).toEqual([]);
  });
});
