import { defineResource, type NewResourceMetadata, type Resource, Timestamp } from '@cosi-ts/resource';

export interface DiskSpec {
  readonly size: number;
}

export const Disk = defineResource<DiskSpec>({ type: 'Disks.test.cosi.dev', namespace: 'test' });
export const Network = defineResource<DiskSpec>({ type: 'Networks.test.cosi.dev', namespace: 'test' });

export function disk(id: string, metadata: NewResourceMetadata = {}, size = 1): Resource {
  return Disk.new(id, { size }, metadata);
}

/** The snapshot as if it had been stored with that version. */
export function stored(resource: Resource, version = 1n): Resource {
  const time = new Timestamp(1_000_000_000, 0);
  return resource.withMetadata(resource.metadata.with({ version, created: time, updated: time }));
}

/** The snapshot with other labels. */
export function labelled(resource: Resource, labels: Record<string, string>): Resource {
  return resource.withMetadata(resource.metadata.with({ labels }));
}
