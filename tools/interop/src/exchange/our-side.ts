import { toWireResource } from '@cosi-ts/proto';
import {
  type AnyResourceType,
  isConflict,
  isDenied,
  isInvalidBookmark,
  isNotFound,
  isOwnerConflict,
  isPhaseConflict,
  isTombstone,
  isUnsupported,
  type JsonValue,
  parsePhase,
  parseVersion,
  parseYaml,
  type Resource,
  type TypedDraft,
  toYaml,
} from '@cosi-ts/resource';
import {
  type Event,
  registerNamespace,
  registerType,
  type State,
  type UpdateOptions,
  type Watch,
  wrapState,
} from '@cosi-ts/state';
import { type ConnectStateOptions, connectState, type RemoteState } from '@cosi-ts/transport';
import { inTime } from '../in-time.js';
import { Orders, types } from '../shop.js';
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

/** A program of ours that is connected to an address. */
export class OurSide implements Side, AsyncDisposable {
  readonly name = 'ours';
  readonly state: State;
  readonly #client: RemoteState;

  constructor(address: string, options: ConnectStateOptions = {}) {
    this.#client = connectState(`http://${address}`, { types, ...options });
    this.state = wrapState(this.#client);
  }

  create(resource: GivenResource, owner?: string): Promise<PlainResource> {
    return this.#resource(this.state.create(resourceOf(resource), { owner }));
  }

  get(pointer: PlainPointer): Promise<PlainResource> {
    return this.#resource(this.state.get(pointer));
  }

  async list(kind: PlainKind, { labels, idQuery }: PlainQueries = {}): Promise<readonly PlainResource[]> {
    const all = await failing(this.state.list(kind, { labels, id: idQuery }));
    return all.map(plain);
  }

  update(resource: GivenResource, options?: ChangeOptions): Promise<PlainResource> {
    return this.#resource(this.state.update(resourceOf(resource), options));
  }

  change(pointer: PlainPointer, { labels, spec }: PlainChange, options: UpdateOptions = {}): Promise<PlainResource> {
    const declaration = spec === undefined ? undefined : declarationOf(pointer);
    const target = declaration === undefined ? pointer : declaration.at(pointer.id);
    return this.#resource(
      this.state.updateWithConflicts(
        target,
        (draft) => {
          Object.assign(draft.metadata.labels, labels);
          if (declaration !== undefined) {
            (draft as TypedDraft<unknown>).spec = declaration.codec.fromJson(spec as JsonValue);
          }
        },
        options,
      ),
    );
  }

  async count(pointer: PlainPointer, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await failing(
        this.state.updateWithConflicts(Orders.at(pointer.id), (draft) => {
          draft.spec.quantity++;
        }),
      );
    }
  }

  addFinalizer(pointer: PlainPointer, ...finalizers: readonly string[]): Promise<void> {
    return failing(this.state.addFinalizer(pointer, finalizers));
  }

  removeFinalizer(pointer: PlainPointer, ...finalizers: readonly string[]): Promise<void> {
    return failing(this.state.removeFinalizer(pointer, finalizers));
  }

  teardown(pointer: PlainPointer, owner?: string): Promise<boolean> {
    return failing(this.state.teardown(pointer, { owner }));
  }

  destroy(pointer: PlainPointer, owner?: string): Promise<void> {
    return failing(this.state.destroy(pointer, { owner }));
  }

  teardownAndDestroy(pointer: PlainPointer, owner?: string, timeoutMs?: number): Promise<void> {
    return failing(this.#client.teardownAndDestroy(pointer, { owner, timeoutMs }));
  }

  async registerType(type: string): Promise<void> {
    await registerType(this.state, declarationOf({ type }));
  }

  async registerNamespace(name: string, description: string): Promise<void> {
    await registerNamespace(this.state, name, description);
  }

  async parse(yaml: string): Promise<PlainResource> {
    const [document] = parseYaml(yaml, types);
    if (document === undefined) throw new Error('there is no document');
    return plain(document.resource);
  }

  async watch(watched: PlainWatch): Promise<SideWatch> {
    const { namespace, type, id, aggregated, idQuery, startFromBookmark, ...rest } = watched;
    const start =
      startFromBookmark === undefined ? undefined : Uint8Array.from(Buffer.from(startFromBookmark, 'base64'));
    const options = { ...rest, startFromBookmark: start };
    const form = aggregated === true ? 'watchKindAggregated' : 'watchKind';
    const watching: Promise<Watch<Event> | Watch<readonly Event[]>> =
      id === undefined
        ? this.state[form]({ namespace, type }, { ...options, id: idQuery })
        : this.state.watch({ namespace, type, id }, options);
    const watch = await failing(watching);
    return {
      async next() {
        const { done, value } = await inTime<IteratorResult<Event | readonly Event[]>>(
          watch.next(),
          'an event of ours',
        );
        if (done === true) throw new Error('the watch has ended');
        return (Array.isArray(value) ? (value as readonly Event[]) : [value as Event]).map(plainEvent);
      },
      close: () => watch.close(),
    };
  }

  async #resource(call: Promise<Resource>): Promise<PlainResource> {
    return plain(await failing(call));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.close();
  }
}

function declarationOf({ type }: Pick<PlainKind, 'type'>): AnyResourceType {
  const declaration = types.get(type);
  if (declaration === undefined) throw new TypeError(`there is no type ${type}`);
  return declaration;
}

/** What callers of state operations give. */
function resourceOf(given: GivenResource): Resource {
  const { id, type: _, spec = {}, version, phase, ...metadata } = given;
  const declaration = declarationOf(given);
  const value = declaration.codec.fromJson(spec as JsonValue);
  const made: Resource = declaration.new(id, value as never, {
    ...metadata,
    ...(phase !== undefined && { phase: parsePhase(phase) }),
  });
  return version === undefined ? made : made.withMetadata(made.metadata.with({ version: parseVersion(version) }));
}

function plain(resource: Resource): PlainResource {
  const { metadata } = resource;
  const { namespace, type, id, owner, phase, finalizers } = metadata;
  const declaration = types.get(type);
  const gone = isTombstone(resource);
  const { spec } = toWireResource(resource, { types });
  return {
    namespace,
    type,
    id,
    version: metadata.version === undefined ? 'undefined' : String(metadata.version),
    owner,
    phase,
    created: metadata.created.toString(),
    updated: metadata.updated.toString(),
    labels: { ...metadata.labels },
    annotations: { ...metadata.annotations },
    finalizers,
    ...(declaration !== undefined &&
      !gone && { spec: declaration.codec.toJson(resource.content.valueFor(declaration)) }),
    bytes: Buffer.from(spec?.protoSpec ?? []).toString('base64'),
    yaml: gone || (spec?.yamlSpec ?? '') === '' ? '' : toYaml(resource, { registry: types }),
  };
}

function plainEvent(event: Event): PlainEvent {
  if (event.type === 'errored') return { type: 'errored', error: failureOf(event.error) };
  const { type, resource, bookmark } = event;
  return {
    type,
    resource: plain(resource),
    ...(event.type === 'updated' && event.old !== undefined && { old: plain(event.old) }),
    ...(bookmark !== undefined && { bookmark: Buffer.from(bookmark).toString('base64') }),
  };
}

function failureOf(error: unknown): Failure {
  const checks = {
    'not-found': isNotFound(error),
    conflict: isConflict(error),
    'owner-conflict': isOwnerConflict(error),
    'phase-conflict': isPhaseConflict(error),
    'invalid-bookmark': isInvalidBookmark(error),
    unsupported: isUnsupported(error),
    denied: isDenied(error),
  };
  const is = Object.entries(checks).flatMap(([name, holds]) => (holds ? [name] : []));
  return { text: String(error), is };
}

async function failing<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new SideError('ours', failureOf(error));
  }
}
