import { Code } from '@connectrpc/connect';
import type { Kind, Pointer } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';
import type { Logger } from '../logger.js';

/** What is noted down about a call while it goes on. */
export class CallRecord {
  identity: string | undefined;
  /** What the request was about. */
  subject: Kind | Pointer | undefined;
  /** Of the response. */
  messages = 0;
  bytesReceived = 0;
  bytesSent = 0;
  /** The name of the status that it ended with. Where none is decided on before the end, the caller has gone. */
  status = Code[Code.Canceled];
  #isDecided = false;

  constructor(
    /** `cosi.resource.State/Get` */
    readonly rpc: string,
    readonly peer: string,
    readonly startMs: number,
  ) {}

  ok(): void {
    this.#decide('OK');
  }

  failed(code: Code): void {
    this.#decide(Code[code]);
  }

  /** For calls that the RPC library has refused by itself: what their answer shows. */
  answered(httpStatus: number, grpcStatus: string | null | undefined): void {
    this.#decide(httpStatus >= 400 ? `HTTP ${httpStatus}` : (Code[Number(grpcStatus ?? Code.Unknown)] ?? 'Unknown'));
  }

  #decide(status: string): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.status = status;
  }

  sent(bytes: number): void {
    this.bytesSent += bytes;
  }
}

/** What is told of calls. */
export interface CallObserver {
  begun(record: CallRecord): void;
  ended(record: CallRecord, durationMs: number): void;
}

/** Observers whose faults are logged and change nothing: neither the call nor what the others are told. */
export function sturdyObserver(observer: CallObserver, logger: Logger): CallObserver {
  const unlessItThrows = (tell: () => void, { rpc }: CallRecord) => {
    try {
      tell();
    } catch (error) {
      logger.error({ err: error, rpc }, 'a call could not be counted or written of');
    }
  };
  return {
    begun: (record) => unlessItThrows(() => observer.begun(record), record),
    ended: (record, durationMs) => unlessItThrows(() => observer.ended(record, durationMs), record),
  };
}

/** Tells the observers that a call has begun. Gives a function that tells them that it has ended. */
export function observeCall(record: CallRecord, observers: readonly CallObserver[], clock: Clock): () => void {
  for (const observer of observers) observer.begun(record);
  return () => {
    const durationMs = clock.monotonicMs() - record.startMs;
    for (const observer of observers) observer.ended(record, durationMs);
  };
}
