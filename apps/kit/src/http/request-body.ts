import type { IncomingMessage } from 'node:http';
import type { JsonValue } from '@cosi-ts/resource';
import { Problem } from './problem.js';

const jsonTypes = ['application/json'];
const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml', 'text/plain'];
/** What curl sends when it is told nothing else. */
const unspecific = ['', 'application/x-www-form-urlencoded', 'application/octet-stream'];

/** What is very deep can be read, but not written again: whoever keeps it would fail later, where nobody is told. */
const deepest = 200;

function isDeeper(value: unknown, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return than === 0 || Object.values(value).some((part) => isDeeper(part, than - 1));
}

/** The body as a JSON object. Rejects with a {@link Problem}. */
export async function readJson(request: IncomingMessage, maxBytes = 1024 * 1024): Promise<Record<string, JsonValue>> {
  checkType(request, jsonTypes);
  const text = await readText(request, maxBytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Problem(400, 'invalid-argument', `the body is no JSON: ${(error as Error).message}`, {
      hint: 'send a JSON object, for instance -d \'{"id": "web-1"}\'',
    });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Problem(400, 'invalid-argument', 'the body must be a JSON object');
  }
  if (isDeeper(json, deepest)) throw new Problem(400, 'invalid-argument', 'the body is nested too deeply');
  return json as Record<string, JsonValue>;
}

/** The body as the text of YAML documents. Rejects with a {@link Problem}. */
export function readYaml(request: IncomingMessage, maxBytes = 16 * 1024 * 1024): Promise<string> {
  checkType(request, [...yamlTypes, ...jsonTypes]);
  return readText(request, maxBytes);
}

function checkType(request: IncomingMessage, known: readonly string[]): void {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (known.includes(type) || unspecific.includes(type)) return;
  throw new Problem(415, 'unsupported-media-type', `a body of type ${type} is not understood`, {
    hint: `send it with -H 'content-type: ${known[0]}'`,
    headers: { accept: known.join(', ') },
  });
}

async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLarge = () =>
    new Problem(413, 'too-large', `the body has more than ${maxBytes} bytes`, { headers: { connection: 'close' } });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem(400, 'invalid-argument', 'the body is not valid UTF-8');
  }
}
