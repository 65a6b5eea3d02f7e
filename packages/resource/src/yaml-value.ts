import { isAlias, isMap, isNode, isScalar, isSeq, type Scalar } from 'yaml';
import { type JsonValue, maxJsonDepth, setOwn } from './frozen-data.js';
import type { SpecPath } from './spec-path.js';
import type { YamlMapping, YamlNode, YamlSource } from './yaml-source.js';

/** How many nodes aliases may bring into one spec: they could multiply beyond all bounds. */
const maxAliased = 10_000;

/** The data of a node as JSON, with aliases and merge keys resolved. Throws `YamlError`. */
export function yamlToJson(source: YamlSource, node: YamlNode, scalars: 'typed' | 'text'): JsonValue {
  return new Reader(source, scalars).read(node, node, 0);
}

class Reader {
  readonly #source: YamlSource;
  readonly #scalars: 'typed' | 'text';
  #inAliases = 0;
  #aliased = 0;

  constructor(source: YamlSource, scalars: 'typed' | 'text') {
    this.#source = source;
    this.#scalars = scalars;
  }

  /** @param parent where to report a node that isn't there */
  read(node: unknown, parent: YamlNode, depth: number): JsonValue {
    if (!isNode(node)) return null;
    if (depth > maxJsonDepth)
      throw this.#source.fault(node, `it is nested more than ${maxJsonDepth} levels deep, or in a circle`);
    if (this.#inAliases > 0 && ++this.#aliased > maxAliased) {
      throw this.#source.fault(parent, `aliases make more than ${maxAliased} nodes of it`);
    }
    if (isAlias(node)) return this.#behind(node, (target) => this.read(target, node, depth + 1));
    if (isMap(node)) return this.#mapping(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.read(item, node, depth + 1));
    return this.#scalar(node as Scalar);
  }

  #behind<T>(alias: Parameters<YamlSource['target']>[0], read: (target: YamlNode) => T): T {
    this.#inAliases++;
    const value = read(this.#source.target(alias));
    this.#inAliases--;
    return value;
  }

  #mapping(node: YamlMapping, depth: number): { readonly [key: string]: JsonValue } {
    const json: { [key: string]: JsonValue } = {};
    const merged: unknown[] = [];
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) merged.push(value);
      else {
        const name = this.#source.text(key, 'a key', node);
        if (Object.hasOwn(json, name)) {
          throw this.#source.fault(isNode(key) ? key : node, `the key ${JSON.stringify(name)} comes twice`);
        }
        setOwn(json, name, this.read(value, isNode(key) ? key : node, depth + 1));
      }
    }
    for (const value of merged) this.#merge(json, value, node, depth);
    return json;
  }

  /** What the mapping says itself goes before what is merged into it, and an earlier one before a later one. */
  #merge(json: { [key: string]: JsonValue }, value: unknown, parent: YamlNode, depth: number): void {
    if (isAlias(value)) this.#behind(value, (target) => this.#merge(json, target, value, depth + 1));
    else if (isSeq(value)) for (const item of value.items) this.#merge(json, item, value, depth + 1);
    else {
      const from = this.read(this.#source.mapping(value, 'what is merged', parent), parent, depth + 1);
      for (const [key, item] of Object.entries(from as object)) if (!Object.hasOwn(json, key)) setOwn(json, key, item);
    }
  }

  #scalar(node: Scalar): JsonValue {
    const text = node.source ?? '';
    if (node.type !== 'PLAIN' || node.tag?.endsWith(':str') === true) return text;
    if (isNullText(text)) return null;
    if (this.#scalars === 'text') return text;
    const value = typedValue(text);
    if (typeof value !== 'number') return value;
    if (!Number.isFinite(value)) throw this.#source.fault(node, `${text} has no JSON form`);
    if (isIntegerText(text) && !Number.isSafeInteger(value)) {
      throw this.#source.fault(
        node,
        `${text} is beyond the integers that are exact in JSON; quote it if it may be a text`,
      );
    }
    return value;
  }
}

/** The plain `<<`, as of YAML 1.1 and of peers. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.source === '<<' && key.type === 'PLAIN' && key.tag === undefined;
}

// The core schema of YAML 1.2.
const isNullText = (text: string) => /^(?:~|null|Null|NULL)?$/.test(text);
const isIntegerText = (text: string) => /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/.test(text);
const isFloatText = (text: string) => /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text);

function typedValue(text: string): boolean | number | string {
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (isIntegerText(text) || isFloatText(text)) return Number(text);
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : text;
}

/** The node at the path, or the last one on the way to it. */
export function nodeAt(root: YamlNode, path: SpecPath): YamlNode {
  let node = root;
  for (const part of path) {
    const next = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && key.source === String(part))?.value
      : isSeq(node) && typeof part === 'number'
        ? node.items[part]
        : undefined;
    if (!isNode(next)) return node;
    node = next;
  }
  return node;
}
