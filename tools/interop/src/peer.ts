import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

export interface PeerAnswer {
  readonly read: readonly Outcome[] | null;
  readonly written: readonly { readonly bytes: string; readonly plain: string }[] | null;
  readonly opened: readonly Outcome[] | null;
  readonly blob: string;
}

/** Builds the Go program; gives what asks it. */
export function buildPeer(go: string): (request: PeerRequest) => PeerAnswer {
  const program = join(mkdtempSync(join(tmpdir(), 'cosi-interop-')), 'peer');
  const folder = join(import.meta.dirname, '../peer');
  execFileSync(go, ['build', '-o', program, '.'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return (request) => JSON.parse(execFileSync(program, { input: JSON.stringify(request), encoding: 'utf8' }));
}
