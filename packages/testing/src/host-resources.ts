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

/** What a process holds open: timers, sockets, servers, file watches, and listeners to its own events. */
export class HostResources {
  readonly #before: ReadonlyMap<string, number>;

  /** Notes what there is now. */
  constructor() {
    this.#before = counts();
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

function counts(): ReadonlyMap<string, number> {
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
