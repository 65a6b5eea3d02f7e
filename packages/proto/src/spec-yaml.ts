import type { JsonValue } from '@cosi-ts/resource';

/** The printed form of a spec as YAML, ending in a newline. JSON is YAML too. */
export function specYaml(json: JsonValue): string {
  return `${JSON.stringify(json)}\n`;
}
