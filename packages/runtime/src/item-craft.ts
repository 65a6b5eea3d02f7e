import type { Kind, Pointer } from '@cosi-ts/resource';
import type { ControllerLog } from './controller-log.js';
import { primaryFor } from './controller-setup.js';
import { type InputFeed, type ItemJob, type ItemValue, wakes } from './input-feed.js';
import { concerns } from './input-subscriptions.js';
import type { MappedInput, QueueInput } from './inputs.js';
import type { Craft } from './item-workers.js';
import type { Job } from './job.js';
import type { InputChange } from './known-resources.js';
import type { InputMetadata, MapResult } from './mappers.js';
import type { QueueController } from './queue-controller.js';
import type { QueueItem } from './queue-item.js';
import type { ReconcileResult } from './requeue.js';
import { UndeclaredError } from './runtime-errors.js';
import type { WorkQueue } from './work-queue.js';

type Item = QueueItem<ItemJob, ItemValue>;

/** What a queue controller's workers do: reconcile primary items, and map changes of mapped inputs to primary items. */
export class ItemCraft implements Craft<ItemJob, ItemValue> {
  inputs: readonly QueueInput[];
  readonly #controller: QueueController;
  readonly #queue: WorkQueue<ItemJob, ItemValue>;
  readonly #feed: InputFeed;
  readonly #log: ControllerLog;

  constructor(controller: QueueController, queue: WorkQueue<ItemJob, ItemValue>, feed: InputFeed, log: ControllerLog) {
    this.inputs = [...controller.inputs];
    this.#controller = controller;
    this.#queue = queue;
    this.#feed = feed;
    this.#log = log;
  }

  pointer({ group, id }: Item): Pointer {
    const { namespace, type } = group.job.kind;
    const plain = { namespace, type, id };
    const input = group.job.what === 'map' ? undefined : primaryFor(this.inputs, plain);
    return input === undefined ? Object.freeze(plain) : input.point(id);
  }

  what({ group }: Item): ItemJob['what'] {
    return group.job.what;
  }

  work(item: Item, pointer: Pointer, job: Job): Promise<ReconcileResult> | ReconcileResult {
    if (item.group.job.what === 'map' && item.value !== undefined) return this.#map(item.value, item.backlog, job);
    this.#log.counts.reconciled++;
    return this.#controller.reconcile(pointer, job);
  }

  hasSeen(change: ItemValue, job: Job): boolean {
    return change !== undefined && job.hasSeen(change);
  }

  /** Puts a primary item. Throws {@link UndeclaredError} for a pointer that is of no primary input. */
  put(pointer: Pointer, backlog: boolean): void {
    if (primaryFor(this.inputs, pointer) === undefined) {
      throw new UndeclaredError(this.#controller.name, 'is to reconcile what is not its primary input:', pointer);
    }
    this.#queue.put(this.#feed.group('reconcile', pointer), pointer.id, undefined, backlog);
  }

  async #map(change: InputChange, backlog: boolean, job: Job): Promise<void> {
    const metadata = inputMetadata(change);
    this.#log.counts.mappedIn++;
    for (const input of this.inputs) {
      if (input.kind === 'primary' || !isOf(input.of, metadata)) continue;
      if (!wakes(input) || !concerns(input, change)) continue;
      for (const pointer of pointers(await this.#mapped(input, metadata, job))) {
        this.put(pointer, backlog);
        this.#log.counts.mappedOut++;
      }
    }
  }

  #mapped(input: MappedInput, metadata: InputMetadata, job: Job): MapResult | Promise<MapResult> {
    return input.mapper === undefined ? this.#controller.mapInput?.(metadata, job) : input.mapper(metadata, job);
  }
}

function inputMetadata({ metadata }: InputChange): InputMetadata {
  const { namespace, type, id, phase, labels, finalizers } = metadata;
  return Object.freeze({ namespace, type, id, phase, labels, finalizersEmpty: finalizers.length === 0 });
}

function isOf(kind: Kind, pointer: Pointer): boolean {
  return kind.type === pointer.type && kind.namespace === pointer.namespace;
}

function pointers(result: MapResult): Iterable<Pointer> {
  if (result === undefined) return [];
  return Symbol.iterator in result ? result : [result];
}
