import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Problem } from './problem.js';
import { scalarText } from './scalar-text.js';
import type { MapEntry, SourceNode } from './source-node.js';
import { type Path, pathText } from './syntax/path.js';
import { syntaxMessage, unclosedQuote, unquotedAdvice } from './yaml-message.js';

/** A document, as far as it could be read. */
export interface YamlDocument {
  /** Undefined when there is nothing, or when its structure is in doubt. */
  readonly root: SourceNode | undefined;
  readonly problems: readonly Problem[];
  problem(offset: number, path: Path, message: string): Problem;
}

/** So many values at most does a document have, those behind anchors counted each time. */
const mostNodes = 1_000_000;
const deepest = 100;
const tooDeep = 'this is nested too deeply';

/** Reads a document, with every place in it. Never throws: mistakes are problems. */
export function readYaml(source: string): YamlDocument {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const problem = (offset: number, path: Path, message: string): Problem => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col), offset, path: pathText(path), message };
  };
  const problems: Problem[] = [];
  let sound = true;
  // The parser gives up on its own stack, again and again on the way back.
  const overflow = document.errors.find(({ message }) => /call stack/.test(message));
  if (overflow !== undefined) return { root: undefined, problems: [problem(overflow.pos[0], [], tooDeep)], problem };
  const told = new Set<string>();
  for (const error of document.errors) {
    sound = false;
    const message = syntaxMessage(error, source);
    // What follows from a mistake is no other one.
    const key = `${lines.linePos(error.pos[0]).line} ${message}`;
    if (told.has(key)) continue;
    told.add(key);
    const offset = unclosedQuote(error) === undefined ? undefined : beginningOfText(document, error.pos[0]);
    problems.push(problem(offset ?? error.pos[0], [], message));
    if (message.endsWith(unquotedAdvice)) break;
  }
  const contents = document.contents as ParsedNode | null;
  if (!sound || contents === null) return { root: undefined, problems, problem };
  const walk = new Walk(source, document, (offset, path, message) => problems.push(problem(offset, path, message)));
  return { root: walk.root(contents), problems, problem };
}

/** Where the text in quotes begins that ends, for the parser, at an offset. */
function beginningOfText(document: Document.Parsed, end: number): number | undefined {
  let found: number | undefined;
  visit(document, {
    Scalar(_, { type, range }) {
      if (type?.startsWith('QUOTE') === true && range?.[1] === end) found = range[0];
    },
  });
  return found;
}

/** Whether JSON would have the same digits: of very long numbers it has the first ones only. */
function isKeptExactly(value: number, written: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(written)) return true;
  const digits = written.replace(/^[-+]?0*/, '').replace(/0+$/, '');
  return value.toExponential().replace(/e.*$/, '').replace(/[-.]/g, '') === digits;
}

class Walk {
  readonly #source: string;
  readonly #document: Parameters<Alias['resolve']>[0];
  readonly #report: (offset: number, path: Path, message: string) => void;
  readonly #known = new Map<ParsedNode, { readonly node: SourceNode; readonly size: number }>();
  readonly #open = new Set<ParsedNode>();
  #size = 0;

  constructor(
    source: string,
    document: Parameters<Alias['resolve']>[0],
    report: (offset: number, path: Path, message: string) => void,
  ) {
    this.#source = source;
    this.#document = document;
    this.#report = report;
  }

  root(contents: ParsedNode): SourceNode {
    const node = this.#node(contents, [], 0);
    if (this.#size <= mostNodes) return node;
    this.#report(0, [], `the document has more than ${mostNodes} values, when all anchors are resolved`);
    return { kind: 'invalid', offset: 0 };
  }

  #node(yaml: ParsedNode | null, path: Path, fallback: number): SourceNode {
    this.#size++;
    if (yaml === null) return { kind: 'null', value: null, written: '', offset: fallback };
    const offset = yaml.range[0];
    if (path.length > deepest) return this.#invalid(offset, path.slice(0, 3), tooDeep);
    const known = this.#known.get(yaml);
    if (known !== undefined) {
      this.#size += known.size;
      return known.node;
    }
    if (this.#open.has(yaml)) return this.#invalid(offset, path, 'this anchor is within itself');
    this.#open.add(yaml);
    const before = this.#size;
    const node = this.#tagged(yaml, path, offset) ?? this.#untagged(yaml, path, offset);
    this.#open.delete(yaml);
    this.#known.set(yaml, { node, size: this.#size - before });
    return node;
  }

  #tagged(yaml: ParsedNode, path: Path, offset: number): SourceNode | undefined {
    const tag = isAlias(yaml) ? undefined : yaml.tag;
    if (tag === undefined || tag.startsWith('tag:yaml.org,2002:')) return undefined;
    const at = this.#source.lastIndexOf(tag, offset);
    return this.#invalid(
      at < 0 ? offset : at,
      path,
      `${tag} is a tag to YAML, for it begins with !: put the whole text in quotes`,
    );
  }

  #untagged(yaml: ParsedNode, path: Path, offset: number): SourceNode {
    if (isAlias(yaml)) {
      const target = yaml.resolve(this.#document) as ParsedNode | undefined;
      if (target !== undefined) return this.#node(target, path, offset);
      const advice = `there is no anchor &${yaml.source} before this`;
      return this.#invalid(offset, path, `${advice}; a text that begins with * must be in quotes`);
    }
    if (isSeq(yaml)) {
      const items = yaml.items.map((item, i) => this.#node(item as ParsedNode | null, [...path, i], offset));
      return { kind: 'list', items, offset };
    }
    if (isMap(yaml)) return { kind: 'map', entries: this.#entries(yaml as YAMLMap.Parsed, path), offset };
    return this.#scalar(yaml, path, offset);
  }

  #scalar(yaml: ParsedNode, path: Path, offset: number): SourceNode {
    if (!isScalar(yaml)) return { kind: 'invalid', offset };
    const { value } = yaml;
    const written = yaml.source ?? '';
    switch (typeof value) {
      case 'string':
        return { kind: 'text', text: scalarText(this.#source, yaml as Parameters<typeof scalarText>[1]), offset };
      case 'number':
        if (isKeptExactly(value, written)) return { kind: 'number', value, written, offset };
        return this.#invalid(
          offset,
          path,
          `${written} is no number that can be kept exactly: put it in quotes, as a text`,
        );
      case 'boolean':
        return { kind: 'boolean', value, written, offset };
      default:
        return { kind: 'null', value: null, written, offset };
    }
  }

  #entries(yaml: YAMLMap.Parsed, path: Path): readonly MapEntry[] {
    const own = new Map<string, MapEntry>();
    const merged: MapEntry[] = [];
    for (const { key, value } of yaml.items) {
      const keyOffset = key === null ? yaml.range[0] : key.range[0];
      const name = this.#keyOf(key, keyOffset, path);
      if (name === undefined) continue;
      const node = this.#node(value, [...path, name], key === null ? keyOffset : key.range[1]);
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') {
        merged.push(...this.#merged(node, path));
        continue;
      }
      if (own.has(name)) this.#report(keyOffset, [...path, name], `${name} is there twice: take one of them away`);
      else own.set(name, { key: name, keyOffset, value: node });
    }
    // What is written here goes before what is merged, and what is merged first before what comes later.
    for (const entry of merged) if (!own.has(entry.key)) own.set(entry.key, entry);
    return [...own.values()];
  }

  #keyOf(key: ParsedNode | null, offset: number, path: Path): string | undefined {
    const resolved = isAlias(key) ? (key.resolve(this.#document) as ParsedNode | undefined) : key;
    if (isScalar(resolved)) return typeof resolved.value === 'string' ? resolved.value : (resolved.source ?? 'null');
    this.#report(offset, path, 'a key must be a text');
    return undefined;
  }

  #merged(node: SourceNode, path: Path): readonly MapEntry[] {
    // A list of lists that anchors have made large is told as that, and not gone through.
    if (this.#size > mostNodes) return [];
    if (node.kind === 'map') return node.entries;
    if (node.kind === 'list') return node.items.flatMap((item) => this.#merged(item, path));
    if (node.kind !== 'invalid') this.#report(node.offset, [...path, '<<'], '<< takes a map, or a list of maps');
    return [];
  }

  #invalid(offset: number, path: Path, message: string): SourceNode {
    this.#report(offset, path, message);
    return { kind: 'invalid', offset };
  }
}
