import { BlockCursor, compareBytes } from './block-cursor.js';
import { type NamedTable, type TablePiece, type TableRange, tablePieces } from './table-pieces.js';

/**
 * Goes through the entries of tables that follow each other, as far as their keys lie in a range. What is in memory is gone
 * through at once, and the next pieces are read meanwhile.
 */
export class TableRun {
  readonly cursor = new BlockCursor();
  readonly #range: TableRange;
  readonly #reading: AsyncGenerator<readonly TablePiece[]>;
  /** The pieces to come. */
  #ahead: Promise<IteratorResult<readonly TablePiece[]>>;
  #pieces: readonly TablePiece[] = [];
  #piece = 0;
  #block = 0;
  #begun = false;
  #ended = false;

  constructor(folder: string, tables: readonly NamedTable[], range: TableRange) {
    this.#range = range;
    this.#reading = tablePieces(folder, tables, range);
    this.#ahead = this.#next();
  }

  /** True when there are no more entries. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Goes to the next key of the range. False: at its end, or before pieces that are to be {@link fill}ed in. */
  advance(): boolean {
    const { cursor } = this;
    while (!this.#ended) {
      if (!cursor.next()) {
        if (this.#beginBlock()) continue;
        return false;
      }
      const { start, end } = this.#range;
      if (!this.#begun && compareBytes(cursor.key, cursor.keyLength, start, start.length) < 0) continue;
      this.#begun = true;
      if (compareBytes(cursor.key, cursor.keyLength, end, end.length) < 0) return true;
      this.#ended = true;
    }
    return false;
  }

  /** Waits for the next pieces. To be called when {@link advance} gave false before the end. */
  async fill(): Promise<void> {
    const { done, value } = await this.#ahead;
    if (done === true) {
      this.#ended = true;
      return;
    }
    this.#pieces = value;
    this.#piece = this.#block = 0;
    this.#ahead = this.#next();
  }

  async close(): Promise<void> {
    await this.#ahead.catch(() => undefined);
    await this.#reading.return(undefined);
  }

  #beginBlock(): boolean {
    const piece = this.#pieces[this.#piece];
    if (piece === undefined) return false;
    const block = piece.blocks[this.#block++];
    if (block === undefined) {
      this.#piece++;
      this.#block = 0;
      return this.#beginBlock();
    }
    this.cursor.begin(piece.bytes, block.offset, block.offset + block.size);
    return true;
  }

  #next(): Promise<IteratorResult<readonly TablePiece[]>> {
    const next = this.#reading.next();
    // That it failed is seen when it is its turn.
    next.catch(() => undefined);
    return next;
  }
}
