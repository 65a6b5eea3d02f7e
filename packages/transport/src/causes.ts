/** An error and what caused it, outermost first. Ends where causes go round or very deep. */
export function* causes(error: unknown): Generator<unknown, void> {
  const seen = new Set<unknown>();
  for (let link = error; link !== undefined && link !== null && !seen.has(link) && seen.size < 32; ) {
    seen.add(link);
    yield link;
    link = typeof link === 'object' ? causeOf(link) : undefined;
  }
}

function causeOf(error: object): unknown {
  try {
    return (error as { readonly cause?: unknown }).cause;
  } catch {
    // One that does not tell its cause has none.
    return undefined;
  }
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'something was thrown that cannot be printed';
  }
}
