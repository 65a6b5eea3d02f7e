import { type Kind, type Resource, Timestamp } from '@cosi-ts/resource';
import type { Marshaler, RecordGlance, StoredPage } from '@cosi-ts/state-inmem';
import { unmarshalAt } from './records.js';

/** Records of one kind that were looked at, and will be read when someone asks for them. */
export class RecordPage implements StoredPage {
  readonly kind: Kind;
  readonly ids: string[] = [];
  #newest = Timestamp.epoch;
  readonly #marshaler: Marshaler;
  // Where the records lie. Objects for each would take longer to make than everything else about them.
  readonly #buffers: (ArrayBufferLike | undefined)[] = [];
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  #taken = 0;

  constructor(kind: Kind, marshaler: Marshaler) {
    this.kind = kind;
    this.#marshaler = marshaler;
  }

  get newest(): Timestamp {
    return this.#newest;
  }

  add(id: string, record: Uint8Array, { newest }: RecordGlance): void {
    this.ids.push(id);
    this.#buffers.push(record.buffer);
    this.#offsets.push(record.byteOffset);
    this.#lengths.push(record.length);
    if (newest.compare(this.#newest) > 0) this.#newest = newest;
  }

  take(number: number): Resource {
    const { namespace, type } = this.kind;
    const id = this.ids[number];
    const buffer = this.#buffers[number];
    if (id === undefined || buffer === undefined)
      throw new RangeError(`there is no record ${number} in the page any more`);
    const record = new Uint8Array(buffer, this.#offsets[number], this.#lengths[number]);
    const resource = unmarshalAt(this.#marshaler, record, { namespace, type, id });
    if (resource instanceof Promise) {
      throw new TypeError('the marshaler glances at records that it does not unmarshal at once');
    }
    this.#buffers[number] = undefined;
    if (++this.#taken === this.ids.length) this.#buffers.length = this.#offsets.length = this.#lengths.length = 0;
    return resource;
  }

  *[Symbol.iterator](): Iterator<Resource> {
    for (let number = 0; number < this.ids.length; number++) yield this.take(number);
  }
}
