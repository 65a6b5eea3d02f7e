import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { YamlError, type YamlPosition } from './yaml-error.js';

export type YamlNode = Node;
export type YamlMapping = YAMLMap<unknown, unknown>;

/** Reads the documents of a stream that hold something, in their order. Throws {@link YamlError} at the first fault. */
export function* yamlSources(text: string): Generator<YamlSource> {
  const lines = new LineCounter();
  // Scalars are left as texts, and keys that come twice are found elsewhere: the parser takes quadratic time for that.
  const options = { lineCounter: lines, schema: 'failsafe', uniqueKeys: false, prettyErrors: false } as const;
  const documents: Iterable<Document.Parsed> = parseAllDocuments(text, { ...options, logLevel: 'silent' });
  let number = 0;
  for (const document of documents) {
    const source = new YamlSource(text, document, ++number, lines);
    if (!source.isEmpty) yield source;
  }
}

/** One document: its nodes, and where they are. */
export class YamlSource {
  /** The whole stream. */
  readonly stream: string;
  readonly #document: Document.Parsed;
  readonly #number: number;
  readonly #lines: LineCounter;
  #targets: ReadonlyMap<Alias, Node | undefined> | undefined;

  constructor(stream: string, document: Document.Parsed, number: number, lines: LineCounter) {
    this.stream = stream;
    this.#document = document;
    this.#number = number;
    this.#lines = lines;
    const [error] = document.errors;
    if (error !== undefined) throw new YamlError(reasonOf(error), this.#positionAt(error.pos[0]), { cause: error });
  }

  /** Nothing but comments. */
  get isEmpty(): boolean {
    const { contents } = this.#document;
    return (
      contents === null ||
      (isScalar(contents) && contents.type === 'PLAIN' && contents.source === '' && !hasProperties(contents))
    );
  }

  get root(): YamlNode {
    return this.#document.contents as YamlNode;
  }

  position(node: YamlNode): YamlPosition {
    return this.#positionAt(node.range?.[0] ?? 0);
  }

  /** The first alias that stands for nothing. */
  danglingAlias(): YamlNode | undefined {
    this.#targets ??= resolveAliases(this.root);
    for (const [alias, target] of this.#targets) if (target === undefined) return alias;
    return undefined;
  }

  #positionAt(offset: number): YamlPosition {
    const { line, col } = this.#lines.linePos(offset);
    return { document: this.#number, line, column: col };
  }

  /** The node as a mapping. Anything else is an error at its place, as in the methods below. */
  mapping(node: unknown, what: string, parent: YamlNode): YamlMapping {
    if (isMap(node)) return node;
    throw this.fault(isNode(node) ? node : parent, `${what} must be a mapping, not ${kindOf(node)}`);
  }

  list(node: unknown, what: string, parent: YamlNode): YAMLSeq<unknown> {
    if (isSeq(node)) return node;
    throw this.fault(isNode(node) ? node : parent, `${what} must be a list, not ${kindOf(node)}`);
  }

  /** The characters of a scalar, without quotes and escapes, never typed. A node that isn't there is the empty text. */
  text(node: unknown, what: string, parent: YamlNode): string {
    if (node === null || node === undefined) return '';
    if (isScalar(node)) return node.source ?? '';
    throw this.fault(isNode(node) ? node : parent, `${what} must be a scalar, not ${kindOf(node)}`);
  }

  fault(node: YamlNode, reason: string, details: ConstructorParameters<typeof YamlError>[2] = {}): YamlError {
    return new YamlError(reason, this.position(node), details);
  }

  /** The node that an alias stands for: the last one with its anchor that begins before it. */
  target(alias: Alias): YamlNode {
    this.#targets ??= resolveAliases(this.root);
    const target = this.#targets.get(alias);
    if (target === undefined)
      throw this.fault(alias, `there is no anchor ${JSON.stringify(alias.source)} before its alias`);
    return target;
  }
}

/** All aliases, with what they stand for, in one walk in the order of the text, because looking each of them up is a walk of its own. */
function resolveAliases(root: Node): ReadonlyMap<Alias, Node | undefined> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  const left: unknown[] = [root];
  while (left.length > 0) {
    const next = left.pop();
    if (isAlias(next)) targets.set(next, anchors.get(next.source));
    else if (isNode(next)) {
      if (next.anchor !== undefined) anchors.set(next.anchor, next);
      if (isCollection(next)) for (const child of childrenOf(next).reverse()) left.push(child);
    }
  }
  return targets;
}

function childrenOf(node: YamlMapping | YAMLSeq<unknown>): unknown[] {
  return isMap(node) ? node.items.flatMap((pair) => [pair.key, pair.value]) : [...node.items];
}

function hasProperties(node: Scalar): boolean {
  return node.anchor !== undefined || node.tag !== undefined;
}

function reasonOf(error: { readonly code: string; readonly message: string }): string {
  return error.code === 'RESOURCE_EXHAUSTION' ? 'it is nested too deep' : error.message;
}

function kindOf(node: unknown): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  return isAlias(node) ? 'an alias' : 'a scalar';
}
