import { nextTurn, sleep, systemClock } from '@cosi-ts/state';

/** What is asked of a host's process: Node's has it. */
interface HostProcess {
  readonly getActiveResourcesInfo?: () => string[];
  readonly eventNames?: () => (string | symbol)[];
  readonly listenerCount?: (event: string | symbol) => number;
  readonly stdout?: unknown;
  readonly stderr?: unknown;
}

/** They end by themselves, or are the terminal's. */
const ignored = new Set(['Immediate', 'TickObject', 'FSReqCallback', 'FSReqPromise', 'CloseReq', 'TTYWrap']);

/** Sockets close, and a test runner's own timers end, some turns of the event loop later than they are told to. */
const patienceMs = 1000;
const againMs = 10;
const settlingMs = 250;

/** What a process holds open: timers, sockets, servers, file watches, and listeners to its own events. */
export class HostResources {
  readonly #before: Map<string, number>;

  /** Notes what there is now. */
  constructor() {
    this.#before = counts();
  }

  /**
   * Notes what there is all the time, for a moment: what comes and goes meanwhile, as a test runner's own timers do, would
   * later pass for as much of something else.
   */
  static async settled(): Promise<HostResources> {
    const noted = new HostResources();
    const untilMs = systemClock.monotonicMs() + settlingMs;
    while (systemClock.monotonicMs() < untilMs) {
      await sleep(systemClock, againMs);
      const now = counts();
      // The timer of this wait has just ended.
      for (const [name, count] of noted.#before) noted.#before.set(name, Math.min(count, now.get(name) ?? 0));
    }
    return noted;
  }

  /** What there is more than then, after some patience: a line for each kind. Nothing on hosts that cannot tell. */
  async leaks(): Promise<readonly string[]> {
    const untilMs = systemClock.monotonicMs() + patienceMs;
    for (;;) {
      await nextTurn();
      const more = this.#more();
      if (more.length === 0 || systemClock.monotonicMs() >= untilMs) return more;
      await sleep(systemClock, againMs);
    }
  }

  #more(): readonly string[] {
    return [...counts()].flatMap(([name, count]) => {
      const more = count - (this.#before.get(name) ?? 0);
      return more > 0 ? [`${more} × ${name}`] : [];
    });
  }
}

function counts(): Map<string, number> {
  const { process: host } = globalThis as { readonly process?: HostProcess };
  const counted = new Map<string, number>();
  if (host === undefined) return counted;
  // They are opened when they are looked at first.
  void host.stdout;
  void host.stderr;
  for (const name of host.getActiveResourcesInfo?.() ?? []) {
    if (!ignored.has(name)) counted.set(name, (counted.get(name) ?? 0) + 1);
  }
  for (const event of host.eventNames?.() ?? []) {
    counted.set(`listener to the process's ${String(event)}`, host.listenerCount?.(event) ?? 0);
  }
  return counted;
}
