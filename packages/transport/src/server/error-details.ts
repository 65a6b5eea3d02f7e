import type { ConnectError } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import type { CosiError, Subject } from '@cosi-ts/resource';
import { errorDomain } from '../error-domain.js';

/**
 * How many bytes the parts of a pointer in a detail may have. Details travel in trailers, which peers limit to 64 KiB:
 * a pointer of ours fits always, one that a peer made may not.
 */
const maxPointerBytes = 4096;

type OutgoingDetail = NonNullable<ConstructorParameters<typeof ConnectError>[3]>[number];

const utf8 = new TextEncoder();

/** The code of the error and its pointer, which is there whole or not at all. */
export function errorDetail(error: CosiError): OutgoingDetail {
  return {
    desc: wire.ErrorInfoSchema,
    value: { reason: error.code, domain: errorDomain, metadata: pointerMetadata(error.subject) },
  };
}

function pointerMetadata(subject: Subject | undefined): Record<string, string> {
  if (subject === undefined) return {};
  const { namespace, type } = subject;
  const parts: Record<string, string> = 'id' in subject ? { namespace, type, id: subject.id } : { namespace, type };
  const bytes = Object.values(parts).reduce((sum, part) => sum + utf8.encode(part).length, 0);
  return bytes > maxPointerBytes ? {} : parts;
}
