/** Where commands write. */
export interface Terminal {
  /** Writes a line of what was asked for. */
  print(line: string): void;
  /** Writes a line about it. */
  note(line: string): void;
  /** Writes as it is. */
  write(text: string): void;
  /** Whether somebody looks on, and lines can be drawn again. */
  readonly isLive: boolean;
  readonly hasColors: boolean;
  readonly columns: number;
  readonly rows: number;
}

export function processTerminal(environment: Readonly<Record<string, string | undefined>> = process.env): Terminal {
  const { stdout, stderr } = process;
  const isLive = stdout.isTTY === true && environment.TERM !== 'dumb';
  return {
    print: (line) => stdout.write(`${line}\n`),
    note: (line) => stderr.write(`${line}\n`),
    write: (text) => stdout.write(text),
    isLive,
    hasColors: isLive && (environment.NO_COLOR ?? '') === '',
    get columns() {
      return stdout.columns ?? 80;
    },
    get rows() {
      return stdout.rows ?? 24;
    },
  };
}

export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'gray' | 'bold';

const codes: Readonly<Record<Color, number>> = { red: 31, green: 32, yellow: 33, blue: 34, gray: 90, bold: 1 };

export function paint(text: string, color: Color | undefined, { hasColors }: Pick<Terminal, 'hasColors'>): string {
  return hasColors && color !== undefined ? `\u001b[${codes[color]}m${text}\u001b[0m` : text;
}

const stateColors: Readonly<Record<string, Color>> = {
  running: 'blue',
  waiting: 'yellow',
  paused: 'yellow',
  cancelling: 'yellow',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'red',
  skipped: 'gray',
  pending: 'gray',
  queued: 'gray',
};

export function paintState(text: string, state: string, terminal: Pick<Terminal, 'hasColors'>): string {
  return paint(text, stateColors[state], terminal);
}
