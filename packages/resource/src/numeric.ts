/** Powers of the base by the letter of the unit: k is the first, m the second and so on. */
const unitLetters = 'kmgtp';

// Each part ends where the next begins, so this takes linear time on any text.
const numeric = /^\p{White_Space}*(-?[0-9]+)\p{White_Space}*(.*)$/su;

/**
 * Reads the text of a number in a label, exactly: optional spaces (Unicode `White_Space`), an optional minus, ASCII
 * digits, then optional spaces and a unit of which only the first letters count, in any case: `ki`, `mi`, `gi`, `ti`,
 * `pi` are powers of 1024, otherwise `k`, `m`, `g`, `t`, `p` powers of 1000. Any other text gives `undefined`.
 */
export function parseNumeric(text: string): bigint | undefined {
  const parts = numeric.exec(text);
  if (parts === null) return undefined;
  const factor = unitFactor(parts[2] as string);
  return factor === undefined ? undefined : BigInt(parts[1] as string) * factor;
}

function unitFactor(unit: string): bigint | undefined {
  if (unit === '') return 1n;
  // Lower-casing also brings the Kelvin sign to its k, as it does for peers.
  const first = unit.slice(0, 1).toLowerCase();
  const power = unitLetters.indexOf(first) + 1;
  if (power === 0) return undefined;
  const base = unit.slice(1, 2).toLowerCase().startsWith('i') ? 1024n : 1000n;
  return base ** BigInt(power);
}
