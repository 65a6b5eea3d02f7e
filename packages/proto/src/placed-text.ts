import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { type PlacedItem, placedLength, placeHead } from './placed-bytes.js';

/** A field of text. Nothing at all for an empty one. Most text is short and ASCII, and is written without a detour. */
export class PlacedText implements PlacedItem {
  readonly length: number;
  readonly #tag: number;
  readonly #text: string;
  /** Absent where each character is a byte. */
  readonly #bytes: Uint8Array | undefined;

  constructor(tag: number, text: string) {
    this.#tag = tag;
    this.#text = text;
    this.#bytes = isShortAscii(text) ? undefined : getTextEncoding().encodeUtf8(text);
    this.length = text === '' ? 0 : placedLength(this.#bytes?.length ?? text.length);
  }

  place(target: Uint8Array, from: number): number {
    if (this.length === 0) return from;
    const text = this.#text;
    const bytes = this.#bytes;
    const at = placeHead(target, from, this.#tag, bytes?.length ?? text.length);
    if (bytes === undefined) for (let i = 0; i < text.length; i++) target[at + i] = text.charCodeAt(i);
    else target.set(bytes, at);
    return from + this.length;
  }
}

const maxShortText = 64;

function isShortAscii(text: string): boolean {
  if (text.length > maxShortText) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
