import type { LabelQuery } from '@cosi-ts/resource';

/** Whoever works with a state through a client: a program of Go's, or one of ours. Both speak in plain data. */
export interface Side {
  readonly name: 'Go' | 'ours';
  create(resource: GivenResource, owner?: string): Promise<PlainResource>;
  get(pointer: PlainPointer): Promise<PlainResource>;
  list(kind: PlainKind, queries?: PlainQueries): Promise<readonly PlainResource[]>;
  update(resource: GivenResource, options?: ChangeOptions): Promise<PlainResource>;
  /** Sets the labels and the spec that are given, on whatever is stored. */
  change(pointer: PlainPointer, change: PlainChange, options?: ChangeOptions): Promise<PlainResource>;
  /** Adds one to the quantity of an order, so many times. */
  count(pointer: PlainPointer, times: number): Promise<void>;
  addFinalizer(pointer: PlainPointer, ...finalizers: readonly string[]): Promise<void>;
  removeFinalizer(pointer: PlainPointer, ...finalizers: readonly string[]): Promise<void>;
  teardown(pointer: PlainPointer, owner?: string): Promise<boolean>;
  destroy(pointer: PlainPointer, owner?: string): Promise<void>;
  /** @param timeoutMs after which the call is given up, also by the server */
  teardownAndDestroy(pointer: PlainPointer, owner?: string, timeoutMs?: number): Promise<void>;
  registerType(type: string): Promise<void>;
  registerNamespace(name: string, description: string): Promise<void>;
  /** What this side makes of a YAML document. */
  parse(yaml: string): Promise<PlainResource>;
  watch(watched: PlainWatch): Promise<SideWatch>;
}

export interface PlainKind {
  readonly namespace: string;
  readonly type: string;
}

export interface PlainPointer extends PlainKind {
  readonly id: string;
}

/** What there is to a resource, as JSON. */
export interface PlainResource extends PlainPointer {
  readonly version: string;
  readonly owner: string;
  readonly phase: string;
  readonly created: string;
  readonly updated: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  /** In protobuf's JSON form; absent where the side does not know the type. */
  readonly spec?: unknown;
  /** Of the spec, in base64. */
  readonly bytes: string;
  /** The whole resource, as this side prints it; empty where it cannot. */
  readonly yaml: string;
}

export type GivenResource = PlainPointer &
  Partial<Pick<PlainResource, 'version' | 'owner' | 'phase' | 'labels' | 'annotations' | 'finalizers' | 'spec'>>;

export type PlainChange = Partial<Pick<PlainResource, 'labels' | 'spec'>>;

export interface ChangeOptions {
  readonly owner?: string;
  /** Default: running. */
  readonly expectedPhase?: 'running' | 'tearingDown' | 'any';
}

export interface PlainQueries {
  readonly labels?: readonly LabelQuery[];
  readonly idQuery?: string;
}

export interface PlainWatch extends PlainKind, PlainQueries {
  /** Absent: the whole kind. */
  readonly id?: string;
  readonly aggregated?: boolean;
  readonly bootstrapContents?: boolean;
  readonly bootstrapBookmark?: boolean;
  readonly tailEvents?: number;
  /** In base64. */
  readonly startFromBookmark?: string | undefined;
}

export interface PlainEvent {
  readonly type: string;
  readonly resource?: PlainResource;
  readonly old?: PlainResource;
  readonly error?: Failure;
  /** In base64. */
  readonly bookmark?: string;
}

export interface SideWatch {
  /** The events that come together. Rejects when none comes in time. */
  next(): Promise<readonly PlainEvent[]>;
  close(): Promise<void>;
}

/** What a side's own checks say of an error. */
export interface Failure {
  readonly text: string;
  readonly is: readonly string[];
}

/** What the calls of a side reject with. */
export class SideError extends Error {
  readonly is: readonly string[];

  constructor(side: string, { text, is }: Failure) {
    super(`${side}: ${text}`);
    this.is = is;
  }
}

/** Reads one event after the other, in whatever arrays they come. */
export class PlainReader {
  readonly #watch: SideWatch;
  #ready: PlainEvent[] = [];

  constructor(watch: SideWatch) {
    this.#watch = watch;
  }

  async next(): Promise<PlainEvent> {
    while (this.#ready.length === 0) this.#ready = [...(await this.#watch.next())];
    return this.#ready.shift() as PlainEvent;
  }

  async take(count: number): Promise<PlainEvent[]> {
    const events: PlainEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  close(): Promise<void> {
    return this.#watch.close();
  }
}

/** An event in short: `updated a@2`. */
export function textOf({ type, resource, error }: PlainEvent): string {
  if (resource === undefined || resource.id === '') return error === undefined ? type : `${type} ${error.text}`;
  return `${type} ${resource.id}@${resource.version}`;
}
