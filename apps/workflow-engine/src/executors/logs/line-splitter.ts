import { Buffer } from 'node:buffer';

export interface SplitLine {
  readonly text: string;
  /** It was too long, and goes on in the next one. */
  readonly goesOn: boolean;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);

/**
 * Makes lines of bytes that come in pieces. The lines do not depend on where the pieces were cut. A line of more than
 * `maxBytes` becomes several, cut between characters. What is not UTF-8 shows as U+FFFD.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #rest: Buffer = nothing;

  /** @param maxBytes at least 4, the length of a character */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Buffer): SplitLine[] {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const lines: SplitLine[] = [];
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(newline, at);
      const length = (end < 0 ? bytes.length : end) - at;
      if (length > this.#maxBytes) {
        const cut = characterEnd(bytes, at, at + this.#maxBytes);
        lines.push({ text: bytes.toString('utf8', at, cut), goesOn: true });
        at = cut;
      } else if (end >= 0) {
        const textEnd = end > at && bytes[end - 1] === carriageReturn ? end - 1 : end;
        lines.push({ text: bytes.toString('utf8', at, textEnd), goesOn: false });
        at = end + 1;
      } else {
        break;
      }
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    return lines;
  }

  /** What came after the last end of a line. */
  end(): SplitLine[] {
    const rest = this.#rest;
    this.#rest = nothing;
    return rest.length === 0 ? [] : [{ text: rest.toString('utf8'), goesOn: false }];
  }
}

/** The last place up to `at` that is not inside of a character; `at` itself when the bytes are no text. */
function characterEnd(bytes: Buffer, from: number, at: number): number {
  for (let end = at; end > from && end > at - 4; end--) {
    if (((bytes[end] as number) & 0xc0) !== 0x80) return end;
  }
  return at;
}
