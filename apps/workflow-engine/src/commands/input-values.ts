import type { JsonValue } from '@cosi-ts/resource';
import { parse } from 'yaml';
import type { JsonObject } from '../json.js';
import { CommandError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { readText } from './read-text.js';

export interface KnownInput {
  readonly name: string;
  readonly type: string;
}

export interface InputFlags {
  /** `name=value` */
  readonly input?: readonly string[];
  /** A file of JSON or YAML, or `-`. */
  readonly inputs?: string;
}

/**
 * The inputs of a run: those of the file, and over them those that were named one by one, whose texts become what their
 * types say.
 */
export async function inputValues(flags: InputFlags, known: readonly KnownInput[]): Promise<JsonObject> {
  const values = new Map<string, JsonValue>(
    flags.inputs === undefined ? [] : Object.entries(await inputsIn(flags.inputs)),
  );
  for (const text of flags.input ?? []) {
    const equals = text.indexOf('=');
    if (equals <= 0) throw wrong(`--input ${text}: it must be like name=value`);
    const name = text.slice(0, equals);
    const type = known.find((input) => input.name === name)?.type ?? 'string';
    values.set(name, inputOf(name, text.slice(equals + 1), type));
  }
  return Object.fromEntries(values);
}

async function inputsIn(file: string): Promise<JsonObject> {
  let value: unknown;
  try {
    value = parse(await readText(file, 'the inputs'));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw wrong(`--inputs ${file}: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(`--inputs ${file}: it must be a map of inputs by name`);
  }
  return value as JsonObject;
}

function inputOf(name: string, text: string, type: string): JsonValue {
  if (type === 'string') return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw wrong(`--input ${name}=${text}: it must be a ${type}, as JSON`);
  }
}

function wrong(message: string): CommandError {
  return new CommandError(message, exitCodes.usage);
}
