import type { JsonValue } from '@cosi-ts/resource';
import type { SourceText } from '../expression/source-text.js';
import type { TemplateSource } from '../expression/template.js';

/** A value of a document, and where it is. Anchors and merge keys are resolved. */
export type SourceNode = TextNode | NumberNode | BooleanNode | NullNode | ListNode | MapNode | InvalidNode;

interface Located {
  /** Where it begins, in characters. */
  readonly offset: number;
}

export interface TextNode extends Located {
  readonly kind: 'text';
  readonly text: SourceText;
}

interface Written extends Located {
  /** As it is written: `0x10`, `~`. */
  readonly written: string;
}

export interface NumberNode extends Written {
  readonly kind: 'number';
  readonly value: number;
}

export interface BooleanNode extends Written {
  readonly kind: 'boolean';
  readonly value: boolean;
}

export interface NullNode extends Written {
  readonly kind: 'null';
  readonly value: null;
}

export interface ListNode extends Located {
  readonly kind: 'list';
  readonly items: readonly SourceNode[];
}

export interface MapNode extends Located {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyOffset: number;
  readonly value: SourceNode;
}

/** Something that was reported already. */
export interface InvalidNode extends Located {
  readonly kind: 'invalid';
}

/** What a node is, in words. */
export function kindText(node: SourceNode): string {
  switch (node.kind) {
    case 'text':
      return node.text.text.length > 40 ? 'a text' : `the text ${JSON.stringify(node.text.text)}`;
    case 'number':
      return `the number ${node.written}`;
    case 'boolean':
      return node.written;
    case 'null':
      return 'nothing';
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    case 'invalid':
      return 'a mistake';
  }
}

/** The value without its places. */
export function jsonOf(node: SourceNode): JsonValue {
  switch (node.kind) {
    case 'text':
      return node.text.text;
    case 'list':
      return node.items.map(jsonOf);
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, jsonOf(value)]));
    case 'invalid':
      return null;
    default:
      return node.value;
  }
}

/** The value as templates are made of. */
export function templateSource(node: SourceNode): TemplateSource {
  switch (node.kind) {
    case 'text':
      return { kind: 'text', text: node.text };
    case 'list':
      return { kind: 'list', items: node.items.map(templateSource) };
    case 'map':
      return { kind: 'object', fields: node.entries.map(({ key, value }) => [key, templateSource(value)] as const) };
    case 'invalid':
      return { kind: 'constant', value: null };
    default:
      return { kind: 'constant', value: node.value };
  }
}
