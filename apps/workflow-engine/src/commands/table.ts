import { paintState, type Terminal } from './terminal.js';

export interface Column<T> {
  readonly title: string;
  readonly text: (row: T) => string;
  /** Whether the text is a state, which has a colour. */
  readonly isState?: boolean;
}

/** Rows under titles. Only the last column can be longer than its room: it is cut where somebody looks on. */
export function tableLines<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  terminal: Terminal,
): readonly string[] {
  const texts = rows.map((row) => columns.map(({ text }) => oneLine(text(row))));
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...texts.map((cells) => (cells[i] ?? '').length)),
  );
  const lineOf = (cells: readonly string[], isTitle: boolean) => {
    let room = terminal.isLive ? terminal.columns : Number.POSITIVE_INFINITY;
    return cells
      .map((cell, i) => {
        const isLast = i === cells.length - 1;
        const width = widths[i] ?? 0;
        const fitted = isLast ? cut(cell, room) : cell.padEnd(width);
        room -= width + 2;
        return columns[i]?.isState === true && !isTitle ? paintState(fitted, cell, terminal) : fitted;
      })
      .join('  ')
      .trimEnd();
  };
  return [
    lineOf(
      columns.map(({ title }) => title),
      true,
    ),
    ...texts.map((cells) => lineOf(cells, false)),
  ];
}

export function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
