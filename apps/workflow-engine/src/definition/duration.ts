const unitsMs = Object.freeze({ d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 });
const parts = /(\d+(?:\.\d+)?)(ms|d|h|m|s)/g;
const whole = /^(?:\d+(?:\.\d+)?d)?(?:\d+(?:\.\d+)?h)?(?:\d+(?:\.\d+)?m)?(?:\d+(?:\.\d+)?s)?(?:\d+(?:\.\d+)?ms)?$/;

/** Reads `90s`, `5m`, `1h30m`, `2d`, `250ms`: the largest unit first, each at most once. Undefined for anything else. */
export function durationMs(text: string): number | undefined {
  if (text === '' || !whole.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(parts)) sum += Number(amount) * unitsMs[unit as keyof typeof unitsMs];
  return Math.round(sum);
}

/** Writes a duration as it is read: `1h30m`, `250ms`. */
export function durationText(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  let text = '';
  for (const [unit, size] of Object.entries(unitsMs)) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) text += `${amount}${unit}`;
  }
  return text === '' ? '0s' : text;
}
