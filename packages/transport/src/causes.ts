/** An error and what caused it, outermost first. Ends where causes go round or very deep. */
export function* causes(error: unknown): Generator<unknown, void> {
  const seen = new Set<unknown>();
  for (let link = error; link !== undefined && link !== null && !seen.has(link) && seen.size < 32; ) {
    seen.add(link);
    yield link;
    link = typeof link === 'object' ? (link as { readonly cause?: unknown }).cause : undefined;
  }
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'something was thrown that cannot be printed';
  }
}
