import type net from 'node:net';
import type { Conditions } from './conditions.js';

/** So much is held here before the sender has to wait; the operating system holds more on both sides. */
const maxHeldBytes = 64 * 1024;

/** A throttled lane passes on a part so often in a second. */
const partsPerSecond = 50;

type Item = Buffer | 'end' | 'reset';

/** One direction of one connection. Ends and resets wait their turn among the bytes, so that a pause holds them too. */
export class Lane {
  readonly #from: net.Socket;
  readonly #to: net.Socket;
  readonly #conditions: Conditions;
  readonly #held: { item: Item; readonly dueMs: number }[] = [];
  #heldBytes = 0;
  /** When the throttle lets the next part pass. */
  #freeMs = 0;
  #full = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: net.Socket, to: net.Socket, conditions: Conditions) {
    this.#from = from;
    this.#to = to;
    this.#conditions = conditions;
    from.on('data', (chunk: Buffer) => this.#add(chunk));
    from.once('end', () => this.#add('end'));
    from.once('close', (broken) => broken && this.#add('reset'));
    to.on('drain', () => {
      this.#full = false;
      this.pump();
    });
  }

  /** Passes on what may pass now. To be called when the conditions have changed. */
  pump(): void {
    clearTimeout(this.#timer);
    for (let head = this.#held[0]; head !== undefined; head = this.#held[0]) {
      if (this.#stopped || this.#full || this.#conditions.paused) return;
      const waitMs = Math.max(head.dueMs, this.#freeMs) - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.pump(), waitMs);
        return;
      }
      if (typeof head.item === 'string') {
        this.#held.shift();
        if (head.item === 'end') this.#to.end();
        else reset(this.#to);
        continue;
      }
      const part = this.#part(head.item);
      if (part.length === head.item.length) this.#held.shift();
      else head.item = head.item.subarray(part.length);
      this.#pass(part);
    }
  }

  /** Drops what is held, and whatever comes. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#held.length = 0;
    this.#from.resume();
  }

  #add(item: Item): void {
    if (this.#stopped) return;
    this.#held.push({ item, dueMs: performance.now() + this.#conditions.delayMs });
    if (typeof item !== 'string') this.#heldBytes += item.length;
    if (this.#heldBytes > maxHeldBytes) this.#from.pause();
    this.pump();
  }

  #part(bytes: Buffer): Buffer {
    const { bytesPerSecond } = this.#conditions;
    return bytes.subarray(0, Math.max(1, Math.floor(bytesPerSecond / partsPerSecond)));
  }

  #pass(part: Buffer): void {
    const { bytesPerSecond } = this.#conditions;
    this.#freeMs = Math.max(performance.now(), this.#freeMs) + (part.length / bytesPerSecond) * 1000;
    this.#heldBytes -= part.length;
    if (this.#heldBytes <= maxHeldBytes) this.#from.resume();
    if (!this.#to.destroyed && !this.#to.write(part)) this.#full = true;
  }
}

/** Ends a connection without a farewell. Unix sockets know no other way of ending. */
export function reset(socket: net.Socket): void {
  if (socket.destroyed) return;
  // It would wait until all is sent; told to end at once, it resets at once.
  if (socket.remoteAddress !== undefined) socket.resetAndDestroy();
  socket.destroy();
}
