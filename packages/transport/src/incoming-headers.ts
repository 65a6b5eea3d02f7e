import type { IncomingHttpHeaders } from 'node:http';

/** Headers of Node in the form that is the same everywhere. */
export function headersOf(...all: readonly (IncomingHttpHeaders | undefined)[]): Headers {
  const headers = new Headers();
  for (const incoming of all) {
    for (const [name, value] of Object.entries(incoming ?? {})) {
      if (name.startsWith(':') || value === undefined) continue;
      for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each);
    }
  }
  return headers;
}
