import type { LabelOperation } from '@cosi-ts/resource';
import type { GoPeer } from '../go-peer.js';
import { inTime } from '../in-time.js';
import {
  type ChangeOptions,
  type Failure,
  type GivenResource,
  type PlainChange,
  type PlainEvent,
  type PlainKind,
  type PlainPointer,
  type PlainQueries,
  type PlainResource,
  type PlainWatch,
  type Side,
  SideError,
  type SideWatch,
} from './side.js';

type Answer<T> = { readonly value: T; readonly error?: undefined } | { readonly error: Failure };

/** Operations of label terms by their names on the wire. */
const operations: Readonly<Record<LabelOperation, string>> = {
  exists: 'EXISTS',
  equal: 'EQUAL',
  in: 'IN',
  lt: 'LT',
  lte: 'LTE',
  ltNumeric: 'LT_NUMERIC',
  lteNumeric: 'LTE_NUMERIC',
};

/** A program of Go's that is connected to an address. */
export class GoSide implements Side, AsyncDisposable {
  readonly name = 'Go';
  readonly #peer: GoPeer;
  readonly #path: string;

  constructor(peer: GoPeer, address: string) {
    this.#peer = peer;
    this.#path = `/clients/${address}`;
  }

  create(resource: GivenResource, owner = ''): Promise<PlainResource> {
    return this.#resource('create', { resource, owner });
  }

  get(pointer: PlainPointer): Promise<PlainResource> {
    return this.#resource('get', { resource: pointer });
  }

  async list(kind: PlainKind, queries: PlainQueries = {}): Promise<readonly PlainResource[]> {
    const all = await this.#call<RawResource[]>('list', { resource: { ...kind, id: '' }, ...rawQueries(queries) });
    return all.map(plain);
  }

  update(resource: GivenResource, options: ChangeOptions = {}): Promise<PlainResource> {
    return this.#resource('update', { resource, ...options });
  }

  change(pointer: PlainPointer, change: PlainChange, options: ChangeOptions = {}): Promise<PlainResource> {
    return this.#resource('change', { resource: { ...pointer, ...change }, ...options });
  }

  async count(pointer: PlainPointer, times: number): Promise<void> {
    await this.#call('count', { resource: pointer, times });
  }

  async addFinalizer(pointer: PlainPointer, ...finalizers: readonly string[]): Promise<void> {
    await this.#call('addFinalizer', { resource: pointer, finalizers });
  }

  async removeFinalizer(pointer: PlainPointer, ...finalizers: readonly string[]): Promise<void> {
    await this.#call('removeFinalizer', { resource: pointer, finalizers });
  }

  teardown(pointer: PlainPointer, owner = ''): Promise<boolean> {
    return this.#call<boolean>('teardown', { resource: pointer, owner });
  }

  async destroy(pointer: PlainPointer, owner = ''): Promise<void> {
    await this.#call('destroy', { resource: pointer, owner });
  }

  async teardownAndDestroy(pointer: PlainPointer, owner = '', timeoutMs = 0): Promise<void> {
    await this.#call('teardownAndDestroy', { resource: pointer, owner, timeoutMs });
  }

  async registerType(type: string): Promise<void> {
    await this.#call('registerType', { resource: { type } });
  }

  async registerNamespace(name: string, description: string): Promise<void> {
    await this.#call('registerNamespace', { resource: { namespace: name, id: description } });
  }

  parse(yaml: string): Promise<PlainResource> {
    return this.#resource('parse', { yaml });
  }

  async watch({ labels, idQuery, ...watched }: PlainWatch): Promise<SideWatch> {
    const abort = new AbortController();
    const queries = rawQueries({ ...(labels && { labels }), ...(idQuery !== undefined && { idQuery }) });
    const response = await this.#peer.ask('POST', `${this.#path}/watch`, { ...watched, ...queries }, abort.signal);
    const lines = linesOf(response)[Symbol.asyncIterator]();
    const next = async <T>(): Promise<T> => {
      const { done, value } = await inTime(lines.next(), 'a line of the Go program');
      if (done === true) throw new Error('the Go program ended the watch');
      return unwrapped<T>(JSON.parse(value));
    };
    await next();
    return {
      next: async () => (await next<RawEvent[]>()).map(plainEvent),
      close: async () => {
        abort.abort();
      },
    };
  }

  /** Disconnects. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#peer.ask('DELETE', this.#path)).text();
  }

  async #resource(op: string, given: object): Promise<PlainResource> {
    return plain(await this.#call<RawResource>(op, given));
  }

  async #call<T>(op: string, given: object): Promise<T> {
    const response = await this.#peer.ask('POST', `${this.#path}/call`, { op, ...given });
    return unwrapped<T>((await response.json()) as Answer<T>);
  }
}

function unwrapped<T>(answer: Answer<T>): T {
  if (answer.error !== undefined) throw new SideError('Go', answer.error);
  return answer.value;
}

/** Go writes what is empty as null. */
type RawResource = { readonly [K in keyof PlainResource]: PlainResource[K] | null };
type RawEvent = Omit<PlainEvent, 'resource' | 'old'> & { readonly resource?: RawResource; readonly old?: RawResource };

function plain(raw: RawResource): PlainResource {
  const { labels, annotations, finalizers, bytes, ...rest } = raw as PlainResource;
  return {
    ...rest,
    labels: labels ?? {},
    annotations: annotations ?? {},
    finalizers: finalizers ?? [],
    bytes: bytes ?? '',
  };
}

function plainEvent({ resource, old, ...rest }: RawEvent): PlainEvent {
  return { ...rest, ...(resource && { resource: plain(resource) }), ...(old && { old: plain(old) }) };
}

function rawQueries({ labels = [], idQuery }: PlainQueries) {
  return { idQuery, labels: labels.map((query) => query.map((term) => ({ ...term, op: operations[term.op] }))) };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
