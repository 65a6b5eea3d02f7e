import { pointerText, type Resource, toYaml } from '@cosi-ts/resource';

/** So many resources of a list are shown. */
const maxShown = 20;

/** A resource for people: all of it, as far as it can be read. */
export function shownResource(resource: Resource | undefined): string {
  if (resource === undefined) return 'nothing';
  try {
    return toYaml(resource).trimEnd();
  } catch (error) {
    return `${shownBriefly(resource)}, whose spec cannot be shown: ${messageOf(error)}`;
  }
}

/** Resources for people, a line for each. */
export function shownList(resources: readonly Resource[]): string {
  if (resources.length === 0) return 'nothing';
  const lines = resources.slice(0, maxShown).map((resource) => `${shownBriefly(resource)} ${shownSpec(resource)}`);
  if (resources.length > maxShown) lines.push(`and ${resources.length - maxShown} more`);
  return lines.join('\n');
}

export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** What was thrown, for people. Assertion libraries put the difference into the message. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function shownBriefly({ metadata }: Resource): string {
  const { version, phase, owner, finalizers } = metadata;
  const facts = [`version ${version ?? 'undefined'}`, phase];
  if (owner !== '') facts.push(`owned by ${owner}`);
  if (finalizers.length > 0) facts.push(`held by ${[...finalizers].join(', ')}`);
  return `${pointerText(metadata)}: ${facts.join(', ')}`;
}

/** On one line, shortened. */
function shownSpec(resource: Resource): string {
  const maxLength = 200;
  try {
    const text = JSON.stringify((resource as { readonly spec?: unknown }).spec) ?? '';
    return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  } catch {
    // Big integers, cycles: the rest of the line says which resource it is.
    return '(a spec that has no JSON form)';
  }
}
