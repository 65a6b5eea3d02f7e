/** What went wrong with what was asked last; shown for a while. */
export const notice = $state({ text: '' });

const shownMs = 9000;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Asks the API; what goes wrong is shown. False: it did go wrong. */
export async function ask(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    complain(sentenceOf(error));
    return false;
  }
}

function complain(text: string): void {
  notice.text = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    notice.text = '';
  }, shownMs);
}

/** An error with what can be done about it, where it has a `hint` that says so. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { hint } = error as { hint?: unknown };
  return typeof hint === 'string' && hint !== '' ? `${error.message} – ${hint}` : error.message;
}
