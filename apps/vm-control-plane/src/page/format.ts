/** `512 MiB`, `1.5 GiB`, `2 TiB` */
export function formatMemory(mebibytes: number): string {
  if (mebibytes < 1024) return `${mebibytes} MiB`;
  const gibibytes = mebibytes / 1024;
  if (gibibytes < 1024) return `${trimmed(gibibytes)} GiB`;
  return `${trimmed(gibibytes / 1024)} TiB`;
}

/** `zone=a, disk=ssd` */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** Reads `zone=a, disk=ssd`. Undefined: a part is not of that form. */
export function parseLabels(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue;
    const at = part.indexOf('=');
    if (at <= 0) return undefined;
    labels[part.slice(0, at).trim()] = part.slice(at + 1).trim();
  }
  return labels;
}

function trimmed(number: number): string {
  return number.toFixed(1).replace(/\.0$/, '');
}
