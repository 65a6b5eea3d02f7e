import { type CosiError, isCosiError, isResource, type Resource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';

/** A value as text, for comparing and for messages: equal data gives equal texts, whatever the order of keys. */
export function show(value: unknown): string {
  return JSON.stringify(plain(value)) ?? 'undefined';
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value === undefined) return '(undefined)';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'symbol' || typeof value === 'function') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array)
    return `bytes ${[...value].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  if (isCosiError(value)) return errorText(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (isResource(value)) return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (isEvent(value)) return eventText(value);
  const source = hasToJson(value) ? value.toJSON() : value;
  if (typeof source !== 'object' || source === null) return plain(source);
  const keys = Object.keys(source).sort();
  return Object.fromEntries(keys.map((key) => [key, plain((source as Record<string, unknown>)[key])]));
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}

function isEvent(value: object): value is Event {
  const { type, resource, error } = value as Partial<Record<string, unknown>>;
  return typeof type === 'string' && (isResource(resource) || (type === 'errored' && error instanceof Error));
}

function errorText(error: CosiError): string {
  return `${error.code}: ${error.message}`;
}

/** `created a@1`, `updated a@2`, `destroyed a@2`, `bootstrapped`, `noop`, `errored overrun`; without a version it is `a@-`. */
export function eventText(event: Event): string {
  switch (event.type) {
    case 'errored':
      return `errored ${isCosiError(event.error) ? event.error.code : String(event.error)}`;
    case 'bootstrapped':
    case 'noop':
      return event.type;
    default:
      return `${event.type} ${resourceText(event.resource)}`;
  }
}

function resourceText({ metadata }: Resource): string {
  return `${metadata.id}@${metadata.version ?? '-'}`;
}
