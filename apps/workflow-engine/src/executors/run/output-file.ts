import { Buffer } from 'node:buffer';
import type { JsonValue } from '@cosi-ts/resource';
import type { JsonObject } from '../../json.js';

/** What a process wrote as its outputs makes no sense. The message says in which line. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** `name=…`, `name<<END`, `name:=…`, `name:=<<END`. */
const entry = /^([A-Za-z_][A-Za-z0-9_-]*)(=|<<|:=<<|:=)(.*)$/s;

/**
 * Reads the file that `WORKFLOW_OUTPUT` names. Each line is an output; empty lines are skipped, and of several with the
 * same name the last one counts:
 *
 * - `name=value`: a text, exactly as it is after the first `=`
 * - `name<<END`: a text of several lines: those up to the line `END`, which may be any text that is not empty
 * - `name:=value`: JSON, in one line
 * - `name:=<<END`: JSON in several lines
 *
 * Throws an {@link OutputError}.
 * @param mask takes secrets out of what its message quotes
 */
export function parseOutputs(bytes: Uint8Array, mask: (text: string) => string = (text) => text): JsonObject {
  const lines = decoded(bytes).split('\n');
  const outputs = new Map<string, JsonValue>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.trim() === '') continue;
    const [, name, form, rest] = entry.exec(line) ?? [];
    if (name === undefined || form === undefined || rest === undefined) {
      throw new OutputError(`line ${at + 1} of the outputs is not of the form name=value: ${shown(line, mask)}`);
    }
    const first = at + 1;
    let text = rest;
    if (form.endsWith('<<')) {
      const end = lines.indexOf(rest, first);
      if (rest === '') throw new OutputError(`line ${first} of the outputs: after << there is no text that ends it`);
      if (end < 0) throw new OutputError(`line ${first} of the outputs: no line ${shown(rest, mask)} ends ${name}`);
      text = lines.slice(first, end).join('\n');
      at = end;
    }
    outputs.set(name, form.startsWith(':') ? json(name, text, first, mask) : text);
  }
  return Object.fromEntries(outputs);
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const line =
      Buffer.from(bytes)
        .toString('utf8')
        .split('\n')
        .findIndex((text) => text.includes('\ufffd')) + 1;
    throw new OutputError(`line ${line} of the outputs is not UTF-8`);
  }
}

function json(name: string, text: string, line: number, mask: (text: string) => string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // It quotes some of the text, from the middle of a secret perhaps.
    const why = mask(text) === text ? `: ${(error as Error).message}` : '';
    throw new OutputError(`line ${line} of the outputs: ${name} is not JSON${why}`);
  }
}

function shown(text: string, mask: (text: string) => string): string {
  const masked = mask(text);
  return JSON.stringify(masked.length > 80 ? `${masked.slice(0, 80)}…` : masked);
}
