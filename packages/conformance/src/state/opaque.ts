import type { Resource } from '@cosi-ts/resource';
import { equal, sameResource } from '../assertions.js';
import { Blobs } from '../items.js';
import type { StateSuite } from '../state-suite.js';

export function opaqueTests({ it, itKeeping }: StateSuite): void {
  const bytes = [0, 255, 10, 128, 0, 7, 250, 194, 0];
  const bare = { namespace: Blobs.namespace, type: Blobs.type, id: 'a' };
  const bytesOf = (resource: Resource) => Blobs.from(resource).spec.bytes;

  it('R16: a spec that is just bytes passes through get and list unchanged', async (t) => {
    await t.core.create(Blobs.new('a', { bytes }));
    equal(bytesOf(await t.core.get(bare)), bytes, 'the bytes from get');
    equal((await t.core.list(bare)).map(bytesOf), [bytes], 'the bytes from list');
  });

  it('R16: updates of metadata by who does not know the type leave the spec as it is', async (t) => {
    await t.core.create(Blobs.new('a', { bytes }));
    let stored = await t.core.get(bare);
    for (const x of ['1', '2', '3']) {
      stored = await t.core.update(stored.withMetadata(stored.metadata.with({ labels: { x } })));
    }
    equal(bytesOf(await t.core.get(bare)), bytes, 'the bytes');
    await t.state.addFinalizer(bare, 'f');
    await t.state.teardown(bare);
    equal(bytesOf(await t.core.get(bare)), bytes, 'the bytes after finalizer and teardown');
  });

  itKeeping(3)('R16: a spec that is just bytes passes through watches unchanged', async (t) => {
    const reader = await t.watchKind({ kind: bare });
    const first = await t.core.create(Blobs.new('a', { bytes }));
    const second = await t.core.update(Blobs.new('a', { bytes: [1] }).withMetadata(first.metadata));
    await t.core.destroy(bare);
    const events = await reader.expect('created a@1', 'updated a@2', 'destroyed a@2');
    const resources = events.map((event) => (event as { resource: Resource }).resource);
    equal(resources.map(bytesOf), [bytes, [1], [1]], 'the bytes in the events');
    sameResource(resources[1] as Resource, second, 'the updated resource');
    const boot = await t.core.create(Blobs.new('a', { bytes: [] }));
    const bootstrap = await t.watchKind({ kind: bare, bootstrapContents: true });
    const [created] = await bootstrap.expect('created a@1');
    equal(bytesOf((created as { resource: Resource }).resource), bytesOf(boot), 'the bytes of an empty spec');
  });
}
