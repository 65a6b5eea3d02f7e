import { defineResource } from '@cosi-ts/resource';
import { type Controller, type ControllerContext, destroyReady, exclusive, weak } from '@cosi-ts/runtime';

/** What a device draws, and what all those of a room draw together. */
export const Device = defineResource<{ watts: number }>({ type: 'Devices.home.example.org', namespace: 'home' });
export const Load = defineResource<{ watts: number }>({ type: 'Loads.home.example.org', namespace: 'home' });

/** Keeps the load of each room in which there are devices. */
export class LoadController implements Controller {
  readonly name = 'LoadController';
  readonly inputs = [weak(Device.kind), destroyReady(Load.kind)];
  readonly outputs = [exclusive(Load)];

  async run({ events, state, startTrackingOutputs, cleanupOutputs }: ControllerContext) {
    for await (const _ of events) {
      startTrackingOutputs();
      const loads = new Map<string, number>();
      for (const { metadata, spec } of await state.list(Device.kind)) {
        const room = metadata.labels.room ?? 'elsewhere';
        loads.set(room, (loads.get(room) ?? 0) + spec.watts);
      }
      for (const [room, watts] of loads) {
        await state.modify(Load.at(room), (draft) => {
          draft.spec.watts = watts;
        });
      }
      await cleanupOutputs(Load.kind); // rooms without devices have no load any more
    }
  }
}
