import type { Phase } from '@cosi-ts/resource';
import type { Content, Write } from './commands.js';
import type { KindName, PlainResource } from './plain.js';

/** A write as it is sent, with all that it says. */
export interface SentWrite {
  readonly op: 'create' | 'update' | 'destroy';
  readonly kind: KindName;
  readonly id: string;
  readonly content: Content;
  readonly version: number | undefined;
  readonly owner: string;
  readonly expectedPhase: Phase | 'any' | undefined;
}

const nothing: Content = { owner: '', phase: 'running', tier: undefined, finalizers: [], value: 0 };

/** The write of somebody who knows the resource as it is at present. */
export function sentWrite(write: Write, present: PlainResource | undefined): SentWrite {
  const { op, kind, id } = write;
  const base = contentOf(present);
  if (op === 'create') {
    return {
      op,
      kind,
      id,
      content: write.content,
      version: undefined,
      owner: write.content.owner,
      expectedPhase: undefined,
    };
  }
  const owner = write.owner ?? base.owner;
  if (op === 'destroy') return { op, kind, id, content: base, version: undefined, owner, expectedPhase: undefined };
  const version = Math.max(0, (present?.version ?? 1) + write.versionOff);
  const content = { ...base, ...write.content };
  return { op, kind, id, content, version, owner, expectedPhase: write.expectedPhase };
}

export function contentOf(present: PlainResource | undefined): Content {
  if (present === undefined) return nothing;
  const { owner, phase, tier, finalizers, value } = present;
  return { owner, phase, tier, finalizers, value };
}
