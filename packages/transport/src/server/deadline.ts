import { Code, ConnectError } from '@connectrpc/connect';
import type { Clock } from '@cosi-ts/state';

const grpcUnitsMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/**
 * Takes the deadline out of the headers of a call and gives it in milliseconds from now. The RPC library would hand it
 * to a host timer, which fires at once when there are more than 24 days left. A deadline that cannot be read stays
 * where it is, for the library to refuse.
 */
export function takeDeadlineMs(headers: Headers): number | undefined {
  const grpcMs = grpcTimeoutMs(headers.get('grpc-timeout') ?? undefined);
  if (grpcMs !== undefined) {
    headers.delete('grpc-timeout');
    return grpcMs;
  }
  const connect = /^\d{1,10}$/.exec(headers.get('connect-timeout-ms') ?? '');
  if (connect === null) return undefined;
  headers.delete('connect-timeout-ms');
  return Number(connect[0]);
}

/** The milliseconds that a header `grpc-timeout` means; undefined when there is none, or it cannot be read. */
export function grpcTimeoutMs(header: string | undefined): number | undefined {
  const parts = header === undefined ? null : /^(\d{1,8})([HMSmun])$/.exec(header);
  return parts === null ? undefined : Number(parts[1]) * (grpcUnitsMs[parts[2] as string] as number);
}

/** Aborts with DeadlineExceeded when the time has passed. */
export function scheduleDeadline(clock: Clock, deadlineMs: number, abort: (reason: unknown) => void): () => void {
  const timer = clock.schedule(deadlineMs, () => {
    abort(new ConnectError('the deadline of the call has passed', Code.DeadlineExceeded));
  });
  return () => timer.cancel();
}
