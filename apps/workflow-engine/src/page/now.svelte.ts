/** The time, for durations of what goes on: moves every second while somebody looks at it. */
export const now = $state({ ms: Date.now() });

/** Gives what ends it. */
export function tick(): () => void {
  const timer = setInterval(() => {
    now.ms = Date.now();
  }, 1000);
  return () => clearInterval(timer);
}
