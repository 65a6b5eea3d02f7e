/** A span as people read it: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
function spanText(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, size]) => seconds >= size);
  const [unit, size] = units[first] ?? (['s', 1] as const);
  const next = units[first + 1];
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[1]);
  return `${Math.floor(seconds / size)} ${unit}${rest === 0 || next === undefined ? '' : ` ${rest} ${next[0]}`}`;
}

/** How long ago a time is; empty where there is none. */
export function agoText(time: string | null, nowMs: number): string {
  return time === null || time === '' ? '' : `${spanText(nowMs - Date.parse(time))} ago`;
}

/** How long something took, or has taken so far. */
export function tookText(from: string | null, to: string | null, nowMs: number): string {
  return from === null ? '' : spanText((to === null ? nowMs : Date.parse(to)) - Date.parse(from));
}
