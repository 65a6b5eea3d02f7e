import type { Clock, Timer } from '@cosi-ts/state';
import type { Logger } from './logger.js';
import type { LoopHold, LoopReport } from './report.js';

const tickMs = 250;
/** What is shorter happens on any host, and says nothing. */
const holdMs = 250;

/**
 * Notices that the event loop was held up, and by whom. Work tells when it goes on and when it lets go. While there is
 * any, a timer ticks: when it is overdue the loop has been held, and who is seen first then is who held it, for nobody
 * else could run. What is held up while no controller works is nobody's business here.
 */
export class LoopWatch {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #timer: Timer | undefined;
  #dueMs = 0;
  /** When somebody was seen last. */
  #seenMs = 0;
  #isOpen = false;
  #isActive = false;
  #holds = 0;
  #lagMs = 0;
  #last: LoopHold | undefined;
  #longest: LoopHold | undefined;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Leaves no timer. */
  close(): void {
    this.#isOpen = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Work begins; who ran until now is not known. Gives the time. */
  begin(): number {
    const nowMs = this.#clock.monotonicMs();
    if (this.#timer === undefined) this.#arm(nowMs);
    this.#isActive = true;
    return nowMs;
  }

  /** To be called from the controller's own turn: it has just run until now. Gives the time. */
  seen(controller: string): number {
    const nowMs = this.#clock.monotonicMs();
    if (this.#timer === undefined) this.#arm(nowMs);
    else if (nowMs - this.#dueMs >= holdMs) this.#held(controller, nowMs);
    this.#isActive = true;
    this.#seenMs = nowMs;
    return nowMs;
  }

  report(): LoopReport {
    return { lagMs: this.#lagMs, holds: this.#holds, lastHold: this.#last, longestHold: this.#longest };
  }

  #arm(nowMs: number): void {
    if (!this.#isOpen) return;
    this.#dueMs = nowMs + tickMs;
    this.#timer = this.#clock.schedule(tickMs, () => this.#tick());
  }

  #tick(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    this.#lagMs = Math.max(0, nowMs - this.#dueMs);
    if (this.#lagMs >= holdMs) this.#held(undefined, nowMs);
    // Whatever goes on arms it again.
    if (this.#isActive) this.#arm(nowMs);
    this.#isActive = false;
  }

  #held(controller: string | undefined, nowMs: number): void {
    const heldMs = nowMs - Math.max(this.#seenMs, this.#dueMs - tickMs);
    const hold = Object.freeze({ controller, heldMs, at: this.#clock.now().toString() });
    this.#holds++;
    this.#last = hold;
    this.#lagMs = heldMs;
    if (heldMs > (this.#longest?.heldMs ?? 0)) this.#longest = hold;
    this.#logger.warn({ controller, heldMs }, 'the event loop was held up');
    // It counts once: the tick that comes late because of it comes in a turn of its own.
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#arm(nowMs);
  }
}
