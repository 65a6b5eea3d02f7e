import net from 'node:net';
import { type Conditions, type Direction, faultless } from './conditions.js';
import { Link } from './link.js';
import { parseTarget, type Target } from './target.js';

const both = ['toServer', 'toClient'] as const;

/**
 * Opens a proxy on a free port of loopback. Resolves when it listens.
 *
 * @param target where connections go: `host:port`, a URL of both, or the absolute path of a Unix socket
 */
export function openFaultProxy(target: string): Promise<FaultProxy> {
  return FaultProxy.open(target);
}

/** Passes connections on to a server, and misbehaves when told to. Faults hold for open and for new connections. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: net.Server;
  readonly #links = new Set<Link>();
  readonly #conditions: Readonly<Record<Direction, Conditions>> = { toServer: faultless(), toClient: faultless() };
  #target: Target;
  #refusing = false;
  #accepted = 0;

  private constructor(target: string) {
    this.#target = parseTarget(target);
    this.#server = net.createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#accept(client));
  }

  static async open(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen({ host: '127.0.0.1', port: 0 }, resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  /** `host:port`. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.address}`;
  }

  /** How many connections are open, on either side. */
  get connections(): number {
    return this.#links.size;
  }

  /** How many connections were accepted so far, the refused ones apart. */
  get accepted(): number {
    return this.#accepted;
  }

  /**
   * Holds what is sent, without closing anything. Ends of connections are held too, so that neither side learns that the
   * other one has gone. New connections are accepted, and held as well.
   */
  pause(direction: Direction | 'both' = 'both'): void {
    this.#set(direction, { paused: true });
  }

  /** Passes on what a pause held. */
  resume(direction: Direction | 'both' = 'both'): void {
    this.#set(direction, { paused: false });
  }

  /** Passes on so many milliseconds later what comes from now on; 0 for no delay. */
  delay(ms: number, direction: Direction | 'both' = 'both'): void {
    if (!(ms >= 0)) throw new RangeError(`a delay cannot be ${ms} ms`);
    this.#set(direction, { delayMs: ms });
  }

  /** Passes on no more than that on each connection; Infinity for no limit. */
  throttle(bytesPerSecond: number, direction: Direction | 'both' = 'both'): void {
    if (!(bytesPerSecond > 0)) throw new RangeError(`a throttle cannot be ${bytesPerSecond} bytes a second`);
    this.#set(direction, { bytesPerSecond });
  }

  /** Ends all connections in order, with FIN on both sides. What is held is lost. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** Ends all connections with RST on both sides. What is held is lost. */
  reset(): void {
    for (const link of this.#links) link.reset();
  }

  /** Resets new connections as soon as they are made. Open ones stay. */
  refuseNew(): void {
    this.#refusing = true;
  }

  acceptNew(): void {
    this.#refusing = false;
  }

  /** New connections go there from now on. Open ones stay. */
  retarget(target: string): void {
    this.#target = parseTarget(target);
  }

  /** Ends every fault: no pause, no delay, no throttle, no refusals. */
  heal(): void {
    this.#refusing = false;
    this.#set('both', faultless());
  }

  /** Ends all connections. Resolves when the port is free. Can be called any number of times. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const link of this.#links) link.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accept(client: net.Socket): void {
    if (this.#refusing) {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    this.#accepted++;
    const server = net.connect({ ...this.#target, noDelay: true, allowHalfOpen: true });
    const link = new Link(client, server, this.#conditions);
    this.#links.add(link);
    void link.closed.then(() => this.#links.delete(link));
  }

  #set(direction: Direction | 'both', conditions: Partial<Conditions>): void {
    for (const each of direction === 'both' ? both : [direction]) Object.assign(this.#conditions[each], conditions);
    for (const link of this.#links) link.pump();
  }
}
