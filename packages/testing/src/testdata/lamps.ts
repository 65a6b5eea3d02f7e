import { defineResource, type Pointer } from '@cosi-ts/resource';
import { exclusive, primary, type QueueController, type ReconcileContext, requeueAfter } from '@cosi-ts/runtime';

/** What people want of a lamp, and how it is. */
export const Lamp = defineResource<{ brightness: number }>({ type: 'Lamps.home.example.org', namespace: 'home' });
export const LampStatus = defineResource<{ brightness: number }>({
  type: 'LampStatuses.home.example.org',
  namespace: 'home',
});

/** Dims the lamps of a house, step by step, to what is wanted, and switches those off that are to go. */
export class LampController implements QueueController {
  readonly name = 'LampController';
  readonly inputs = [primary(Lamp.kind)];
  readonly outputs = [exclusive(LampStatus)];
  readonly #house: Map<string, number>;

  constructor(house: Map<string, number>) {
    this.#house = house;
  }

  async reconcile({ id }: Pointer, { state, logger }: ReconcileContext) {
    const lamp = await state.find(Lamp.at(id));
    if (lamp === undefined) return;
    if (lamp.metadata.phase === 'tearingDown') {
      // The world first, then what tells of it, then the finalizer: only now can the lamp go.
      this.#house.delete(id);
      if (await state.destroyIfReady(LampStatus.at(id))) await state.removeFinalizer(lamp.metadata);
      return;
    }
    await state.addFinalizer(lamp.metadata);
    const present = this.#house.get(id) ?? 0;
    const next = present + Math.sign(lamp.spec.brightness - present);
    this.#house.set(id, next);
    await state.modify(LampStatus.at(id), (draft) => {
      draft.spec.brightness = next;
    });
    if (next !== lamp.spec.brightness) return requeueAfter(20);
    logger.info({ brightness: next }, 'the lamp is as it should be');
  }
}
