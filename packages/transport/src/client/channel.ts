import type { Rpc } from '../rpc.js';
import type { CallInit } from './calls.js';

/** The calls that are answered with a number of messages. */
export type StreamRpc = Extract<Rpc, 'list' | 'watch'>;

/** The calls that are answered with one message. */
export type UnaryRpc = Exclude<Rpc, StreamRpc>;

/** What carries the calls of the service: messages as bytes, there and back. All rejections are statuses. */
export interface StateChannel {
  unary(rpc: UnaryRpc, request: Uint8Array, init: CallInit): Promise<Uint8Array>;
  /** The messages of the answer, all that have come at a time. Whoever leaves off ends the call. */
  stream(rpc: StreamRpc, request: Uint8Array, init: CallInit): AsyncIterable<readonly Uint8Array[]>;
}
