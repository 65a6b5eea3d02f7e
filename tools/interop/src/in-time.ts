/** How long anything that has to come may take. */
const defaultMs = 60_000;

/** The promise, which rejects when it takes too long. */
export async function inTime<T>(promise: Promise<T>, what: string, limitMs = defaultMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${limitMs} ms in vain for ${what}`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls every `pauseMs` until the check passes; rejects with what it said last. */
export async function eventually(
  check: () => void | Promise<void>,
  { limitMs = defaultMs, pauseMs = 20 }: { readonly limitMs?: number; readonly pauseMs?: number } = {},
): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
