import type { CallObserver, CallRecord } from './call-record.js';

/** Where one line is written for each call: any logger with the call shape of pino. */
export interface AccessLog {
  info(fields: object, message: string): void;
}

/** Longer names are shortened: an id can have a kibibyte. */
const maxNameLength = 128;

export function accessLogger(log: AccessLog): CallObserver {
  return {
    begun() {},
    ended(record, durationMs) {
      log.info(fieldsOf(record, durationMs), 'call');
    },
  };
}

function fieldsOf(record: CallRecord, durationMs: number): object {
  const { rpc, subject, identity, peer, status, messages, bytesReceived, bytesSent } = record;
  return {
    rpc,
    ...(subject !== undefined && {
      namespace: short(subject.namespace),
      type: short(subject.type),
      ...('id' in subject && { id: short(subject.id) }),
    }),
    ...(identity !== undefined && { identity: short(identity) }),
    peer,
    status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    messages,
    bytesReceived,
    bytesSent,
  };
}

function short(name: string): string {
  // A character that is cut in half would be none.
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).replace(/\p{Surrogate}$/u, '')}…`;
}
