import type { Subject } from '@cosi-ts/resource';

/** The longest text of a status, in bytes of UTF-8. */
export const maxStatusBytes = 2048;

/** Names longer than this are shortened in a text that is too long. */
const maxNameLength = 64;

const utf8 = new TextEncoder();

/** The text as a status can carry it: valid in Unicode, not too long, the names in it shortened before anything is cut off. */
export function statusText(text: string, subject?: Subject): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\ufffd');
  if (fits(wellFormed)) return wellFormed;
  return cut(shortenNames(wellFormed, subject));
}

function fits(text: string): boolean {
  return text.length * 3 <= maxStatusBytes || utf8.encode(text).length <= maxStatusBytes;
}

function shortenNames(text: string, subject: Subject | undefined): string {
  if (subject === undefined) return text;
  const names = 'id' in subject ? [subject.namespace, subject.type, subject.id] : [subject.namespace, subject.type];
  let shortened = text;
  for (const name of names) {
    if (name.length <= maxNameLength) continue;
    // Messages quote some names, with the escapes of JSON.
    for (const form of [name, JSON.stringify(name).slice(1, -1)]) {
      shortened = shortened.replaceAll(form, () => `${beginning(form, maxNameLength)}…`);
    }
  }
  return shortened;
}

/** Without half a character at the end. */
function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/\p{Surrogate}$/u, '');
}

function cut(text: string): string {
  if (fits(text)) return text;
  const ellipsis = '…';
  const { read } = utf8.encodeInto(text, new Uint8Array(maxStatusBytes - utf8.encode(ellipsis).length));
  return text.slice(0, read) + ellipsis;
}
