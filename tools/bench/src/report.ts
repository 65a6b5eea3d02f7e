/** One measured value. */
export interface Row {
  /** The benchmark, as the project's list of them names it. */
  readonly id: string;
  readonly what: string;
  /** On how many of what. */
  readonly size: string;
  readonly value: number;
  readonly unit: string;
  /** What the value is to be compared with, measured in the same run, in the same unit. */
  readonly against?: readonly Against[];
}

export interface Against {
  readonly name: string;
  readonly value: number;
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ id, what, size, value, unit, against = [] }) => [
    id,
    what,
    size,
    `${amount(value)} ${unit}`,
    against.map((other) => `${(value / other.value).toFixed(2)} × ${other.name} (${amount(other.value)})`).join(', '),
  ]);
  const all = [['', 'what', 'size', 'value', 'against'], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function amount(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
