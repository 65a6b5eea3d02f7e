import { YamlError } from '@cosi-ts/resource';
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { Entry, Part } from './part.js';

/** Reads the one document of a text. Throws {@link YamlError} when it is no YAML, or empty. */
export function yamlPart(text: string): Part {
  const lines = new LineCounter();
  const errorAt = (offset: number, reason: string, cause?: unknown) => {
    const { line, col } = lines.linePos(offset);
    return new YamlError(reason, { document: 1, line: Math.max(line, 1), column: Math.max(col, 1) }, { cause });
  };
  // Scalars are texts: an identity may be called `yes`.
  const parsed = parseAllDocuments(text, { lineCounter: lines, schema: 'failsafe', prettyErrors: false });
  const documents = Array.isArray(parsed) ? parsed : [];
  const [document, second] = documents;
  if (document === undefined) throw errorAt(0, 'there is nothing here: write `roles:` and `bindings:`');
  const [error] = document.errors;
  if (error !== undefined) throw errorAt(error.pos[0], reasonOf(error), error);
  if (second !== undefined) throw errorAt(second.range[0], 'roles are one document: remove `---` and what follows it');
  const partOf = (node: unknown, parent: Node | undefined): Part => {
    const at = isNode(node) ? node : parent;
    const fault = (reason: string) => errorAt(at?.range?.[0] ?? 0, reason);
    const meant = isAlias(node) ? node.resolve(document) : node;
    return {
      entries(what): readonly Entry[] {
        if (!isMap(meant)) throw fault(`${what} must be a mapping, not ${kindOf(meant)}`);
        return meant.items.map(({ key, value }) => {
          const keyPart = partOf(key, meant);
          return { key: keyPart.text('a key'), keyPart, value: partOf(value, isNode(key) ? key : meant) };
        });
      },
      items(what) {
        if (!isSeq(meant)) throw fault(`${what} must be a list, not ${kindOf(meant)}`);
        return meant.items.map((item) => partOf(item, meant));
      },
      text(what) {
        if (!isScalar(meant)) throw fault(`${what} must be a text, not ${kindOf(meant)}`);
        return String(meant.value ?? '');
      },
      fault,
    };
  };
  return partOf(document.contents, undefined);
}

function reasonOf(error: { readonly code: string; readonly message: string }): string {
  // What a bare star is to YAML: the mention of an anchor.
  if (error.code === 'BAD_ALIAS') return "a star must be in quotes: write '*'";
  return error.message;
}

function kindOf(node: unknown): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || String(node.value ?? '') === '') return 'nothing';
  return `the text ${JSON.stringify(String(node.value))}`;
}
