import { Code, createContextValues } from '@connectrpc/connect';
import type { UniversalHandler, UniversalServerRequest } from '@connectrpc/connect/protocol';
import { universalRequestFromNodeRequest } from '@connectrpc/connect-node';
import type { CallContext, Clock } from '@cosi-ts/state';
import { type LinkedSignal, linkSignals } from '../linked-signal.js';
import type { Logger } from '../logger.js';
import type { Admission } from './admission.js';
import { callInfoKey } from './call-info.js';
import { type CallObserver, CallRecord, observeCall } from './call-record.js';
import { type Connection, connectionOf } from './connection.js';
import type { Cors } from './cors.js';
import { scheduleDeadline, takeDeadlineMs } from './deadline.js';
import { shortenEchoed } from './echoed-headers.js';
import {
  abandon,
  answered,
  closeQueued,
  dropRest,
  makeLast,
  type NodeRequest,
  type NodeResponse,
  writeEmpty,
  writeResponse,
} from './node-response.js';
import { countedBody, refusedBody } from './request-body.js';
import { statusOf } from './status.js';

export interface RequestListenerOptions {
  readonly admission: Admission;
  readonly cors: Cors;
  readonly observers: readonly CallObserver[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A request for one of the handlers. */
interface Arrival {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly handler: UniversalHandler;
  readonly connection: Connection;
  readonly record: CallRecord;
  /** Resolves when it has been answered. */
  readonly done: Promise<void>;
}

/** Hands the requests of a Node server to the RPC library's handlers, and keeps count of them. */
export class RequestListener {
  readonly #handlers: ReadonlyMap<string, UniversalHandler>;
  readonly #options: RequestListenerOptions;
  readonly #active = new Map<NodeResponse, Promise<void>>();
  #isDraining = false;

  constructor(handlers: readonly UniversalHandler[], options: RequestListenerOptions) {
    this.#handlers = new Map(handlers.map((handler) => [handler.requestPath, handler]));
    this.#options = options;
  }

  readonly listen = (request: NodeRequest, response: NodeResponse): void => {
    const done = answered(response);
    this.#active.set(response, done);
    const unfollow = connectionOf(request).closed.follow(() => closeQueued(response));
    void done.then(() => {
      unfollow();
      this.#active.delete(response);
    });
    if (this.#isDraining) makeLast(response);
    // Without a listener a failing write would be thrown at the process. The stream closes after it, which is noticed.
    response.on('error', () => {});
    this.#respond(request, response, done)
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error, path: request.url }, 'a request failed outside of its handler');
        abandon(response);
      })
      .finally(() => dropRest(request, this.#options.clock));
  };

  /** From now on each response over HTTP/1.1 is the last of its connection. */
  drain(): void {
    this.#isDraining = true;
    for (const response of this.#active.keys()) makeLast(response);
  }

  /** Resolves when the requests that are being answered now have been. */
  async idle(): Promise<void> {
    await Promise.all(this.#active.values());
  }

  async #respond(request: NodeRequest, response: NodeResponse, done: Promise<void>): Promise<void> {
    const { clock, cors, observers } = this.#options;
    const verdict = cors.judge(request, response);
    if (verdict === 'refuse') return writeEmpty(response, 403);
    if (verdict === 'preflight') return writeEmpty(response, 204);
    const path = pathOf(request);
    const handler = this.#handlers.get(path);
    if (handler === undefined) return writeEmpty(response, 404);
    const connection = connectionOf(request);
    const record = new CallRecord(path.slice(1), connection.peer, clock.monotonicMs());
    void done.then(observeCall(record, observers, clock));
    await this.#call({ request, response, handler, connection, record, done });
  }

  async #call(arrival: Arrival): Promise<void> {
    const { request, response, handler, connection, record } = arrival;
    let universal: UniversalServerRequest;
    try {
      universal = universalRequestFromNodeRequest(request, response as never, undefined, createContextValues());
    } catch {
      // No authority, or a target that is no URL.
      record.failed(Code.InvalidArgument);
      return writeEmpty(response, 400);
    }
    shortenEchoed(universal.header);
    const deadlineMs = takeDeadlineMs(universal.header);
    let linked: LinkedSignal | undefined;
    let cancel: (() => void) | undefined;
    if (deadlineMs !== undefined) {
      linked = linkSignals(universal.signal);
      cancel = scheduleDeadline(this.#options.clock, deadlineMs, linked.abort);
    }
    try {
      const call = { ...universal, signal: linked?.signal ?? universal.signal };
      const answer = await handler({ ...call, body: await this.#admittedBody(arrival, call) });
      await writeResponse(answer, response, {
        hold: (bytes) => connection.unsent.hold(bytes),
        sent: (bytes) => record.sent(bytes),
        ending: () => record.answered(answer.status, answer.trailer?.get('grpc-status')),
      });
    } catch (error) {
      record.failed(Code.Internal);
      throw error;
    } finally {
      cancel?.();
      linked?.unlink();
    }
  }

  /** What the handler is to read: the body of the request, or that the call is refused. */
  async #admittedBody(arrival: Arrival, call: UniversalServerRequest): Promise<AsyncIterable<Uint8Array>> {
    const { connection, done, record, request } = arrival;
    try {
      const { admission } = this.#options;
      const { header: headers, signal } = call;
      record.identity = await admission.admit({ rpc: record.rpc, headers, connection, signal });
      const { identity, peer } = record;
      const context: CallContext = identity === undefined ? { peer } : { peer, identity };
      call.contextValues?.set(callInfoKey, { context, answered: done, record, unsent: connection.unsent });
      return countedBody(request, record);
    } catch (error) {
      const status = statusOf(error, 'get');
      record.failed(status.code);
      return refusedBody(status);
    }
  }
}

function pathOf(request: NodeRequest): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}
