import { InvalidArgumentError, isCosiError } from './errors.js';
import type { JsonValue } from './frozen-data.js';
import { type Pointer, pointerText } from './pointer.js';
import type { ResourceType } from './resource-type.js';
import type { AnyResourceType, SpecContent } from './spec-content.js';
import { yamlSources } from './yaml-source.js';
import { yamlToJson } from './yaml-value.js';

/** Recognised by every copy of this package in a process. */
const brand: unique symbol = Symbol.for('@cosi-ts/yaml-content') as never;

/** The spec of a type that isn't known here, as YAML. It stays as it is; a declaration reads it, once. */
export class YamlContent implements SpecContent {
  readonly [brand] = true;
  readonly yaml: string;
  readonly #pointer: Pointer;
  #decoded: { readonly declaration: AnyResourceType; readonly value: unknown } | undefined;

  /** @param pointer for messages only */
  constructor(pointer: Pointer, yaml: string) {
    this.yaml = yaml;
    this.#pointer = { namespace: pointer.namespace, type: pointer.type, id: pointer.id };
    Object.freeze(this);
  }

  valueFor<S>(declaration: ResourceType<S, never>): S {
    const wanted = declaration as AnyResourceType;
    if (this.#decoded?.declaration !== wanted) this.#decoded = { declaration: wanted, value: this.#decode(wanted) };
    return this.#decoded.value as S;
  }

  #decode({ codec }: AnyResourceType): unknown {
    try {
      return codec.fromJson(parseSpecYaml(this.yaml, codec.scalars ?? 'typed'));
    } catch (cause) {
      if (!isCosiError(cause)) throw cause;
      throw new InvalidArgumentError(
        `the spec of resource ${pointerText(this.#pointer)} cannot be read from its YAML: ${cause.message}`,
        { cause, subject: this.#pointer, path: (cause as InvalidArgumentError).path },
      );
    }
  }

  equalsEncoded(other: SpecContent): boolean {
    return (other as { readonly [brand]?: unknown })[brand] === true && other.yaml === this.yaml;
  }
}

/** Reads the YAML of a spec alone. Throws {@link YamlError}. */
function parseSpecYaml(yaml: string, scalars: 'typed' | 'text'): JsonValue {
  const [source, second] = yamlSources(yaml);
  if (source === undefined || second !== undefined) {
    throw new InvalidArgumentError('the YAML of a spec must be one document');
  }
  return yamlToJson(source, source.mapping(source.root, 'a spec', source.root), scalars);
}
