/**
 * Closes what was opened, the last first; one that fails does not keep the others open.
 *
 * @throws AggregateError of everything that was thrown
 */
export async function closeAll(opened: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of [...opened].reverse()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => String(error)).join('; '));
}
