import type { JsonValue } from '@cosi-ts/resource';
import { hasExpressions } from '../../expression/template-parts.js';
import type { JsonObject } from '../../json.js';
import { jsonOf, type SourceNode } from '../source-node.js';
import type { Place } from './place.js';
import { type Syntax, unexpected } from './syntax.js';

/** Any value, in which expressions have no meaning. */
export function plainValue(wanted: string): Syntax<JsonValue> {
  return {
    wanted,
    schema: {},
    read(node, place) {
      if (node.kind === 'null') return unexpected(node, place, wanted);
      return isPlain(node, place) ? jsonOf(node) : undefined;
    },
  };
}

/** A map of any values, in which expressions have no meaning. */
export function plainObject(wanted: string): Syntax<JsonObject> {
  return {
    wanted,
    schema: { type: 'object' },
    read(node, place) {
      if (node.kind !== 'map') return unexpected(node, place, wanted);
      return isPlain(node, place) ? (jsonOf(node) as JsonObject) : undefined;
    },
  };
}

function isPlain(node: SourceNode, place: Place): boolean {
  switch (node.kind) {
    case 'invalid':
      return false;
    case 'text': {
      if (!hasExpressions(node.text.text)) return true;
      const at = node.text.at(node.text.text.indexOf('${{'));
      place.problem(at, 'expressions are not evaluated here: write the value itself');
      return false;
    }
    case 'list':
      return node.items.map((item, i) => isPlain(item, place.at(i))).every(Boolean);
    case 'map':
      return node.entries.map(({ key, value }) => isPlain(value, place.at(key))).every(Boolean);
    default:
      return true;
  }
}
