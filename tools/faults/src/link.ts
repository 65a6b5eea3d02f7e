import type net from 'node:net';
import type { Conditions, Direction } from './conditions.js';
import { Lane, reset } from './lane.js';

/** How long the two sides have to answer the end of a connection with theirs. */
const farewellMs = 1000;

/** One connection of a client, and the one to the server that was opened for it. */
export class Link {
  readonly #sockets: readonly net.Socket[];
  readonly #lanes: readonly Lane[];
  /** Resolves when both sides are closed. */
  readonly closed: Promise<void>;

  constructor(client: net.Socket, server: net.Socket, conditions: Readonly<Record<Direction, Conditions>>) {
    this.#sockets = [client, server];
    // What breaks is closed next, and then passed on to the other side.
    for (const socket of this.#sockets) socket.on('error', () => {});
    this.#lanes = [new Lane(client, server, conditions.toServer), new Lane(server, client, conditions.toClient)];
    const closings = this.#sockets.map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    this.closed = Promise.all(closings).then(() => this.#stop());
  }

  pump(): void {
    for (const lane of this.#lanes) lane.pump();
  }

  cut(): void {
    this.#stop();
    for (const socket of this.#sockets) socket.end();
    const timer = setTimeout(() => this.destroy(), farewellMs);
    void this.closed.then(() => clearTimeout(timer));
  }

  reset(): void {
    this.#stop();
    for (const socket of this.#sockets) reset(socket);
  }

  destroy(): void {
    this.#stop();
    for (const socket of this.#sockets) socket.destroy();
  }

  #stop(): void {
    for (const lane of this.#lanes) lane.stop();
  }
}
