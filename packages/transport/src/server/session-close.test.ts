import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, systemClock } from '@cosi-ts/state';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../logger.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { Listener } from './listener.js';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const types = { headers: 1, rstStream: 3, settings: 4, goaway: 7, windowUpdate: 8 };
const endOfHeaders = 4;
const endOfStream = 1;

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** GET, http, / and the name of an authority are in the table that header compression begins with. */
const head = Buffer.of(0x82, 0x86, 0x84, 0x01, 1, 0x61);
const request = (stream: number) => frame(types.headers, endOfHeaders | endOfStream, stream, head);
/** Nothing of the server's is refused, and nothing is wrong. */
const goaway = frame(types.goaway, 0, 0, Buffer.alloc(8));

class RawConnection {
  readonly #socket: net.Socket;
  /** Resolves with the frames that came, when the server has closed the connection. */
  readonly frames: Promise<readonly Frame[]>;

  constructor(address: string) {
    this.#socket = net.connect({ port: Number(address.split(':')[1]), host: '127.0.0.1', noDelay: true });
    const chunks: Buffer[] = [];
    this.#socket.on('data', (chunk) => chunks.push(chunk));
    this.frames = once(this.#socket, 'close').then(() => framesOf(Buffer.concat(chunks)));
    this.send(preface, frame(types.settings, 0, 0));
    onTestFinished(() => void this.#socket.destroy());
  }

  send(...frames: readonly Buffer[]): void {
    this.#socket.write(Buffer.concat(frames));
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

function framesOf(bytes: Buffer): readonly Frame[] {
  const found: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const payload = bytes.subarray(at + 9, at + 9 + bytes.readUIntBE(at, 3));
    found.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5),
      payload,
    });
    at += 9 + payload.length;
  }
  return found;
}

const answered = (frames: readonly Frame[]) => frames.filter(({ type }) => type === types.headers).map((f) => f.stream);
const refused = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === types.rstStream).map((f) => f.stream);
/** What the server says was the last that counted: first that it refuses none, and then which it was. */
const lastStreams = (frames: readonly Frame[]) => [
  ...new Set(frames.filter(({ type }) => type === types.goaway).map(({ payload }) => payload.readUInt32BE(0))),
];

const all = 2 ** 31 - 1;
const most = Buffer.of(0x7f, 0xff, 0xff, 0xff);

async function open(takeStream: (stream: ServerHttp2Stream) => void, clock: Clock = systemClock): Promise<Listener> {
  const handlers = {
    onRequest() {},
    takeStream(stream: ServerHttp2Stream) {
      takeStream(stream);
      return true;
    },
  };
  const options = { clock, logger: silentLogger, maxConnections: 10, maxStreamsPerConnection: 10 };
  const listener = await Listener.open({ host: '127.0.0.1', port: 0 }, handlers, options);
  onTestFinished(() => listener.close());
  return listener;
}

const respond = (stream: ServerHttp2Stream) => stream.respond({ ':status': 200 }, { endStream: true });

describe('closing an HTTP/2 connection', () => {
  it('N7: a request right behind the GOAWAY of its client is answered', async () => {
    const listener = await open(respond);
    const connection = new RawConnection(listener.address);
    connection.send(goaway, request(1));
    const frames = await connection.frames;
    expect(answered(frames)).toEqual([1]);
    expect(refused(frames)).toEqual([]);
    expect(lastStreams(frames)).toEqual([all, 1]);
  });

  it('N7: so are many of them, and none of those that come with a later GOAWAY is half read', async () => {
    const listener = await open(respond);
    const connection = new RawConnection(listener.address);
    connection.send(goaway, request(1), request(3), goaway, request(5), goaway);
    const frames = await connection.frames;
    expect(answered(frames)).toEqual([1, 3, 5]);
    expect(lastStreams(frames)).toEqual([all, 5]);
  });

  it('N3: a request that is read before the client can know that the server stops is answered', async () => {
    let first: ServerHttp2Stream | undefined;
    let begun: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const listener = await open((stream) => {
      if (first !== undefined) return respond(stream);
      first = stream;
      begun();
    });
    const connection = new RawConnection(listener.address);
    connection.send(request(1));
    await reached;
    // What is written now is read in this turn of the loop, and what is sent now only after that.
    await turn();
    connection.send(request(3));
    listener.stop();
    await turn();
    await turn();
    if (first !== undefined) respond(first);
    const frames = await connection.frames;
    expect(answered(frames).toSorted()).toEqual([1, 3]);
    expect(refused(frames)).toEqual([]);
    expect(lastStreams(frames)).toEqual([all, 3]);
  });

  it('N3: a request that comes later is not begun, and the client is told so', async () => {
    const streams: ServerHttp2Stream[] = [];
    let begun: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const listener = await open((stream) => {
      streams.push(stream);
      begun();
    });
    const connection = new RawConnection(listener.address);
    connection.send(request(1));
    await reached;
    const told = once(streams[0]?.session as never, 'close');
    listener.stop();
    await turn();
    await turn();
    connection.send(request(3));
    await turn();
    await turn();
    respond(streams[0] as ServerHttp2Stream);
    await told;
    const frames = await connection.frames;
    expect(answered(frames)).toEqual([1]);
    expect(lastStreams(frames)).toEqual([all, 1]);
  });

  it('N3: a client that does not read is waited for until it has been sent that the server stops', async () => {
    const clock = new ManualClock();
    let large: ServerHttp2Stream | undefined;
    const listener = await open((stream) => {
      large = stream;
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(32 << 20));
    }, clock);
    const connection = new RawConnection(listener.address);
    connection.pause();
    const window = Buffer.concat([Buffer.of(0, 4), most]);
    connection.send(frame(types.settings, 0, 0, window), frame(types.windowUpdate, 0, 0, Buffer.of(0x7f, 0, 0, 0)));
    connection.send(request(1));
    // Where it waits for nothing more, it has read the preface.
    while (large === undefined || clock.pending > 0) await turn();
    listener.stop();
    while (clock.pending === 0) await turn();
    clock.advance(1000);
    expect(clock.pending).toBe(1);
    expect(large.session?.closed).toBe(false);
    connection.resume();
    let isOver = false;
    const frames = connection.frames.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      clock.advance(1000);
      await turn();
    }
    expect(lastStreams(await frames)).toEqual([all, 1]);
  });
});
