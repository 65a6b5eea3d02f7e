/** `850 ms`, `12.3 s`, `3 min 05 s`, `2 h 04 min`, `3 d 2 h`: as exact as people want it. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${two(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const two = (count: number) => String(count).padStart(2, '0');

/** From one time to the other, or to now. Empty: it has not begun. */
export function formatSpan(from: string | null, to: string | null, nowMs: number): string {
  if (from === null) return '';
  return formatDuration((to === null ? nowMs : Date.parse(to)) - Date.parse(from));
}

/** The time of day, with the date when it is another one than today's. */
export function formatTime(time: string | null, nowMs: number): string {
  if (time === null) return '';
  const date = new Date(time);
  const clock = date.toLocaleTimeString('en-GB');
  return date.toDateString() === new Date(nowMs).toDateString()
    ? clock
    : `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${clock}`;
}

const lineLength = 72;

/** Values as people read them: texts as they are, all else as JSON, in one line where it has room. */
export function formatJson(value: unknown): string {
  if (typeof value === 'string') return value;
  const line = JSON.stringify(value);
  return line.length <= lineLength ? line : JSON.stringify(value, null, 2);
}
