import { Buffer } from 'node:buffer';

/** What is shown in the place of a secret. */
const maskText = '***';

const replacement = Buffer.from(maskText);
const nothing = Buffer.alloc(0);

/** Lines of a secret that are shorter (a brace, say) say nothing, and are in every other text too. */
const shortestLine = 6;

/**
 * The texts that nobody should see. Of a secret these are its text, with and without the white space around it, each of
 * its lines, and its forms in JSON and in URLs. Other encodings of it (base64, say) are not known.
 */
export class Mask {
  /** Each once. */
  readonly #texts = new Set<string>();
  #patterns: readonly Buffer[] = [];

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0;
  }

  add(secret: string): void {
    for (const text of formsOf(secret)) this.#texts.add(text);
    this.#patterns = [...this.#texts].map((text) => Buffer.from(text));
  }

  apply(text: string): string {
    if (this.isEmpty) return text;
    const stream = this.stream();
    return Buffer.concat([stream.push(Buffer.from(text)), stream.end()]).toString('utf8');
  }

  /** For a text that comes in pieces. Secrets that are added later are not known to it. */
  stream(): MaskStream {
    return new MaskStream(this.#patterns);
  }
}

function formsOf(secret: string): string[] {
  const whole = [secret, secret.trim()].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), urlForm(text)]);
  const lines = secret.includes('\n') ? secret.split('\n').map((line) => line.trim()) : [];
  return [...whole, ...lines.filter((line) => line.length >= shortestLine)].filter((text) => text.trim() !== '');
}

/** Half of a surrogate pair has no form in URLs. */
function urlForm(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString('utf8'));
}

/**
 * Replaces secrets in bytes that come in pieces, cut wherever. The result does not depend on where: what may be the
 * beginning of a secret is kept until it is known. Overlapping finds are replaced as one.
 */
export class MaskStream {
  readonly #patterns: readonly Buffer[];
  #kept: Buffer = nothing;

  constructor(patterns: readonly Buffer[]) {
    this.#patterns = patterns;
  }

  push(piece: Buffer): Buffer {
    if (this.#patterns.length === 0) return piece;
    const bytes = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    const found = this.#find(bytes);
    let cut = this.#beginningAtEnd(bytes);
    // What overlaps the part that is kept is replaced together with it, when all of it is there.
    for (const { from, to } of found) if (to > cut && from < cut) cut = from;
    // A copy: the piece may be a part of a buffer that is used again.
    this.#kept = Buffer.from(bytes.subarray(cut));
    return replaced(
      bytes.subarray(0, cut),
      found.filter((range) => range.from < cut),
    );
  }

  end(): Buffer {
    const bytes = this.#kept;
    this.#kept = nothing;
    return replaced(bytes, this.#find(bytes));
  }

  /** In order, and apart from each other. */
  #find(bytes: Buffer): Range[] {
    const all: Range[] = [];
    for (const pattern of this.#patterns) {
      for (let at = bytes.indexOf(pattern); at >= 0; at = bytes.indexOf(pattern, at + 1)) {
        all.push({ from: at, to: at + pattern.length });
      }
    }
    all.sort((a, b) => a.from - b.from);
    const apart: Range[] = [];
    for (const range of all) {
      const last = apart.at(-1);
      if (last !== undefined && range.from < last.to) last.to = Math.max(last.to, range.to);
      else apart.push(range);
    }
    return apart;
  }

  /** Where the longest end of the bytes begins that is the beginning of a secret, and not all of it. */
  #beginningAtEnd(bytes: Buffer): number {
    let earliest = bytes.length;
    for (const pattern of this.#patterns) {
      const first = pattern[0] as number;
      const from = Math.max(0, bytes.length - pattern.length + 1);
      for (let at = bytes.indexOf(first, from); at >= 0 && at < earliest; at = bytes.indexOf(first, at + 1)) {
        if (bytes.compare(pattern, 0, bytes.length - at, at) === 0) earliest = at;
      }
    }
    return earliest;
  }
}

interface Range {
  readonly from: number;
  to: number;
}

function replaced(bytes: Buffer, ranges: readonly Range[]): Buffer {
  if (ranges.length === 0) return bytes;
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to } of ranges) {
    parts.push(bytes.subarray(at, from), replacement);
    at = to;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}
