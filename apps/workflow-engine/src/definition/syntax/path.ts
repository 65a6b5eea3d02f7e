/** Where in a document: keys of maps and indexes of lists. */
export type Path = readonly (string | number)[];

/** `steps.build.needs[0]`. */
export function pathText(path: Path): string {
  let text = '';
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`;
  return text;
}
