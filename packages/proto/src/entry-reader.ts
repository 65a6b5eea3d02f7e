import { emptyStringMap, type StringMap } from '@cosi-ts/resource';
import { ByteReader } from './byte-reader.js';
import { entryTags } from './field-tags.js';
import { knownMap, rememberMap, sharedMap } from './shared-maps.js';

/**
 * Reads the entries of a map from text to text. A part that is absent is empty; of two entries with one key the later
 * counts. Entries whose bytes were read lately are not read again: they give the same map.
 */
export class EntryReader {
  readonly #tag: number;
  #source: Uint8Array = new Uint8Array(0);
  // Where the entries lie, as long as they follow each other.
  #start = 0;
  #end = 0;
  /** What these bytes are known to give. */
  #known: StringMap | undefined;
  /** Whether there are others elsewhere. */
  #isScattered = false;
  /** Keys and values in turn, and what is left of the lists before. */
  readonly #texts: string[] = [];
  #count = 0;

  /** @param tag of the field that holds an entry */
  constructor(tag: number) {
    this.#tag = tag;
  }

  /** Forgets what was read. */
  clear(): void {
    if (this.#start === this.#end) return;
    this.#start = this.#end = this.#count = 0;
    this.#known = undefined;
    this.#isScattered = false;
  }

  /** Reads an entry whose tag was read, and those that follow it. */
  read(reader: ByteReader): void {
    const source = reader.bytesRead;
    const start = reader.repeatedBytes(this.#tag);
    if (this.#start === this.#end) {
      this.#source = source;
      this.#start = start;
      this.#end = reader.at;
      this.#known = knownMap(source, start, reader.at);
      if (this.#known === undefined) this.#readEntries(source, start, reader.at);
      return;
    }
    if (this.#known !== undefined) this.#readEntries(this.#source, this.#start, this.#end);
    this.#known = undefined;
    this.#isScattered = true;
    this.#readEntries(source, start, reader.at);
  }

  map(): StringMap {
    if (this.#start === this.#end) return emptyStringMap;
    if (this.#known !== undefined) return this.#known;
    const map = sharedMap(this.#texts, this.#count);
    if (!this.#isScattered) rememberMap(this.#source, this.#start, this.#end, map);
    return map;
  }

  #readEntries(source: Uint8Array, start: number, end: number): void {
    entries.begin(source, start, end);
    do entries.message(this.#entry);
    while (entries.tag() !== 0);
  }

  readonly #entry = {
    read: (reader: ByteReader) => {
      let key = '';
      let value = '';
      for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
        if (tag === entryTags.key) key = reader.string();
        else if (tag === entryTags.value) value = reader.string();
        else reader.skip(tag, 2);
      }
      this.#texts[this.#count++] = key;
      this.#texts[this.#count++] = value;
    },
  };
}

/** One for all maps, because reading never waits. */
const entries = new ByteReader(new Uint8Array(0));
