import { compressed, encrypted, protobufMarshaler } from '@cosi-ts/marshalers';
import { defineResource, type Resource } from '@cosi-ts/resource';
import type { Marshaler } from '@cosi-ts/state-inmem';

/** What the writers write. The text tells one write from every other. */
export const Thing = defineResource<{ text: string }>({ type: 'Things.crash.cosi.dev', namespace: 'default' });

export const stacks = ['plain', 'packed'] as const;
export type Stack = (typeof stacks)[number];

/** How a store's records are written. */
export function marshalerOf(stack: Stack): Marshaler {
  if (stack === 'plain') return protobufMarshaler();
  return encrypted(compressed(protobufMarshaler(), { minBytes: 200 }), { keys: () => new Uint8Array(32).fill(9) });
}

/** What tells the spec from every other: its first word, and how long it is. */
export function textOf(resource: Resource): string {
  return summary(Thing.from(resource).spec.text);
}

export function summary(text: string): string {
  return `${text.split(' ', 1)[0]} (${text.length})`;
}

export function bookmarkText(bookmark: Uint8Array): string {
  return Buffer.from(bookmark).toString('hex');
}

/** The position that a bookmark stands for. */
export function bookmarkPosition(text: string): number {
  return Number(BigInt(`0x${text.slice(16)}`));
}
