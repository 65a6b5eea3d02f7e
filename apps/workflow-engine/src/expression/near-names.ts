/** Of more names only so many are looked at: with many mistakes in a file of many names it would take minutes. */
const most = 200;

/** The names that somebody may have meant who wrote `name`, the nearest first; at most `limit`. */
function nearNames(name: string, names: Iterable<string>, limit = 1): readonly string[] {
  const written = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(name.length / 3));
  return Array.from(firstOf(names), (other) => ({ other, distance: distanceOf(written, other.toLowerCase()) }))
    .filter(({ other, distance }) => distance <= allowed || startsAlike(written, other.toLowerCase()))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ other }) => other);
}

function* firstOf(names: Iterable<string>): Generator<string> {
  let left = most;
  for (const name of names) {
    if (left-- === 0) return;
    yield name;
  }
}

/** `timeoutSeconds` for `timeout`: more was written than is there, or less. */
function startsAlike(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a));
}

/** How many letters must be put in, left out, changed, or exchanged with the one beside them. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] as number) + 1);
      }
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length] as number;
}

/** `; did you mean build?`, or nothing. */
export function suggestion(name: string, names: Iterable<string>): string {
  const [near] = nearNames(name, names);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
