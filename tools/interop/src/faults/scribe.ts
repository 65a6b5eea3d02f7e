import type { Seeded } from '@cosi-ts/harness';
import { OurSide } from '../exchange/our-side.js';
import { orders } from '../exchange/resources.js';

/** Makes random changes to a few orders, one after the other and on no detours, and knows what watches must see. */
export class Scribe implements AsyncDisposable {
  /** What happened, in short: `updated a@2`. */
  readonly events: { readonly id: string; readonly text: string }[] = [];
  readonly #address: string;
  readonly #random: Seeded;
  readonly #versions = new Map<string, number>();
  #side: OurSide;

  constructor(address: string, random: Seeded) {
    this.#address = address;
    this.#random = random;
    this.#side = new OurSide(address);
  }

  /** Connects anew: the server was away. */
  async renew(): Promise<void> {
    await this.#side[Symbol.asyncDispose]();
    this.#side = new OurSide(this.#address);
  }

  /** Makes so many changes, the last of them to the order `a`. */
  async write(count: number): Promise<void> {
    for (let i = 1; i < count; i++) await this.#change(this.#random.pick(['a', 'b', 'c']), this.#random.float() < 0.3);
    await this.#change('a', false);
  }

  async #change(id: string, destroys: boolean): Promise<void> {
    const version = this.#versions.get(id);
    const pointer = { ...orders, id };
    if (version === undefined) {
      await this.#side.create({ ...pointer, spec: {} });
      this.#happened('created', id, 1);
    } else if (destroys) {
      await this.#side.destroy(pointer);
      this.#happened('destroyed', id, version);
    } else {
      await this.#side.update({ ...pointer, version: String(version), spec: { quantity: version } });
      this.#happened('updated', id, version + 1);
    }
  }

  #happened(type: 'created' | 'updated' | 'destroyed', id: string, version: number): void {
    this.events.push({ id, text: `${type} ${id}@${version}` });
    if (type === 'destroyed') this.#versions.delete(id);
    else this.#versions.set(id, version);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#side[Symbol.asyncDispose]();
  }
}
