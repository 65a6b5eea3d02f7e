import { stringify } from 'yaml';
import { type Column, tableLines } from './table.js';
import type { Terminal } from './terminal.js';

export type OutputFormat = 'table' | 'json' | 'yaml';
export const outputFormats: readonly OutputFormat[] = ['table', 'json', 'yaml'];

/** Prints what the API gave, in the format that programs read. */
export function printAs(data: unknown, format: Exclude<OutputFormat, 'table'>, terminal: Terminal): void {
  terminal.print(format === 'json' ? JSON.stringify(data, undefined, 2) : stringify(data).trimEnd());
}

/** Prints a list: as a table, or as what programs read. */
export function printList<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { format, none }: { readonly format: OutputFormat; readonly none: string },
  terminal: Terminal,
): void {
  if (format !== 'table') printAs(rows, format, terminal);
  else if (rows.length === 0) terminal.note(none);
  else for (const line of tableLines(columns, rows, terminal)) terminal.print(line);
}
