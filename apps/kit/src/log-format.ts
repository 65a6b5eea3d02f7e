/** What pino writes: one JSON object for each record. */
interface LogRecord {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
  readonly controller?: string;
  readonly resource?: string;
}

const levels: Readonly<Record<number, readonly [name: string, color: number]>> = {
  10: ['trace', 90],
  20: ['debug', 90],
  30: ['info', 36],
  40: ['warn', 33],
  50: ['error', 31],
  60: ['fatal', 31],
};
const placed = new Set(['level', 'time', 'msg', 'err', 'controller', 'resource']);

/**
 * A record as a short line for people: time of day, level, who, what, and the facts that are left. An error adds its
 * stack. Lines that are no records are given back as they are.
 */
export function prettyLine(line: string, withColor: boolean): string {
  let record: LogRecord;
  try {
    record = JSON.parse(line) as LogRecord;
  } catch {
    return line;
  }
  const paint = (text: string, color: number) => (withColor ? `\u001b[${color}m${text}\u001b[0m` : text);
  const [name, color] = levels[record.level] ?? ['log', 37];
  const parts = [paint(timeOfDay(record.time), 90), paint(name.padEnd(5), color)];
  const who = whoOf(record);
  if (who !== '') parts.push(paint(who, 1));
  if (record.msg !== undefined && record.msg !== '') parts.push(record.msg);
  for (const [key, value] of Object.entries(record)) {
    if (!placed.has(key)) parts.push(paint(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`, 90));
  }
  const { err } = record;
  const stack = err === undefined ? '' : `\n${paint(err.stack ?? err.message ?? String(err), 90)}`;
  return `${parts.join(' ')}${stack}\n`;
}

function whoOf({ controller, resource }: LogRecord): string {
  // Controllers name what they work on as `type(namespace/id)`.
  const item = resource?.replace(/^[^(]*\([^/]*\/(.*)\)$/s, '$1');
  return [controller, item].filter((part) => part !== undefined && part !== '').join(' ');
}

function timeOfDay(time: number): string {
  const date = new Date(time);
  const two = (number: number) => number.toString().padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
