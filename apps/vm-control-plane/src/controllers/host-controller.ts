import { label, type TypedPointer } from '@cosi-ts/resource';
import { type JobContext, mapped, primary, type QueueController, type ReconcileContext } from '@cosi-ts/runtime';
import type { HostSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import { Host, hostLabel, VMPlacement } from '../resources/index.js';

/** Keeps a host that is torn down until no VM is placed on it any more. */
export class HostController implements QueueController<TypedPointer<HostSpec>> {
  readonly name = 'HostController';
  readonly inputs = [primary(Host.kind), mapped(VMPlacement.kind, (_, context) => leavingHosts(context))];

  async reconcile(pointer: TypedPointer<HostSpec>, { state }: ReconcileContext): Promise<void> {
    const host = await state.find(pointer);
    if (host === undefined) return;
    if (host.metadata.phase === 'running') {
      if (!host.metadata.finalizers.includes(this.name)) await state.addFinalizer(pointer);
      return;
    }
    const placements = await state.list(VMPlacement.kind, { labels: [label(hostLabel).is(pointer.id)] });
    if (placements.length === 0) await state.removeFinalizer(pointer);
  }
}

/** A placement that has moved tells where it is now, not where it was: all hosts that wait to be empty are looked at. */
async function leavingHosts({ state }: JobContext) {
  const hosts = await state.list(Host.kind);
  return hosts.filter(({ metadata }) => metadata.phase === 'tearingDown').map(({ metadata }) => Host.at(metadata.id));
}
