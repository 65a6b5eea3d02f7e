import { execFileSync } from 'node:child_process';

export interface StackOptions {
  /** Innermost first: `protobuf`, `zstd`, `aes-gcm`. */
  readonly layers: readonly string[];
  readonly minSize?: number;
  /** Hexadecimal. */
  readonly key?: string;
}

export interface PeerRequest {
  readonly read?: readonly (StackOptions & { readonly bytes: string })[];
  readonly write?: readonly StackOptions[];
  readonly open?: readonly { readonly blob: string; readonly slot: string; readonly privateKey: string }[];
  readonly newBlob?: {
    readonly masterKey: string;
    readonly publicKeys: Readonly<Record<string, string>>;
    readonly first: string;
    readonly privateKey: string;
  };
}

export interface Outcome {
  readonly value: string;
  readonly error?: string;
}

/** What the Go implementation wrote, and the same resource as a plain protobuf record, both in base64. */
export interface WrittenRecord {
  readonly bytes: string;
  readonly plain: string;
}

export interface PeerAnswer {
  readonly read: readonly Outcome[] | null;
  readonly written: readonly WrittenRecord[] | null;
  readonly opened: readonly Outcome[] | null;
  readonly blob: string;
}

/** Asks the program of the Go implementation about stored formats. */
export function askStored(program: string, request: PeerRequest): PeerAnswer {
  return JSON.parse(execFileSync(program, ['stored'], { input: JSON.stringify(request), encoding: 'utf8' }));
}
