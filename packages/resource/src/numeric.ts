/** Powers of the base by the letter of the unit: k is the first, m the second and so on. */
const unitLetters = 'kmgtp';

// Each part ends where the next begins, so this takes linear time on any text.
const numeric = /^\p{White_Space}*(-?)([0-9]+)\p{White_Space}*(.*)$/su;

/** The exact value of a number in a label. In decimal, because peers may send any number of digits. */
export interface Numeric {
  readonly negative: boolean;
  /** Without leading zeros; empty for zero. */
  readonly digits: string;
}

/**
 * Reads the text of a number in a label, exactly: optional spaces (Unicode `White_Space`), an optional minus, ASCII
 * digits, then optional spaces and a unit of which only the first letters count, in any case: `ki`, `mi`, `gi`, `ti`,
 * `pi` are powers of 1024, otherwise `k`, `m`, `g`, `t`, `p` powers of 1000. Any other text gives `undefined`.
 *
 * Takes linear time, as {@link compareNumeric} does. What a `bigint` does with millions of digits takes seconds.
 */
export function readNumeric(text: string): Numeric | undefined {
  const parts = numeric.exec(text);
  if (parts === null) return undefined;
  const digits = inOnes(withoutZeros(parts[2] as string), parts[3] as string);
  return digits === undefined ? undefined : { negative: parts[1] === '-' && digits !== '', digits };
}

/** Less than 0 when a is the smaller one, 0 when they are equal. */
export function compareNumeric(a: Numeric, b: Numeric): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const larger = a.digits.length - b.digits.length || Number(a.digits > b.digits) - Number(a.digits < b.digits);
  return a.negative ? -larger : larger;
}

/** The same as {@link readNumeric}, as a number to calculate with. For texts that are known to be short. */
export function parseNumeric(text: string): bigint | undefined {
  const value = readNumeric(text);
  if (value === undefined) return undefined;
  const magnitude = BigInt(value.digits);
  return value.negative ? -magnitude : magnitude;
}

function withoutZeros(digits: string): string {
  return digits.startsWith('0') ? digits.replace(/^0+/, '') : digits;
}

function inOnes(digits: string, unit: string): string | undefined {
  if (unit === '') return digits;
  // Lower-casing also brings the Kelvin sign to its k, as it does for peers.
  const first = unit.slice(0, 1).toLowerCase();
  const power = unitLetters.indexOf(first) + 1;
  if (power === 0) return undefined;
  if (digits === '') return '';
  return unit.slice(1, 2).toLowerCase().startsWith('i') ? times1024(digits, power) : digits + '000'.repeat(power);
}

/** Digits that are multiplied at once: the products stay exact as floating-point numbers. */
const groupDigits = 12;

function times1024(digits: string, power: number): string {
  const groups: number[] = [];
  for (let end = digits.length; end > 0; end -= groupDigits) {
    groups.push(Number(digits.slice(Math.max(0, end - groupDigits), end)));
  }
  const base = 10 ** groupDigits;
  for (let i = 0; i < power; i++) {
    let carry = 0;
    for (let j = 0; j < groups.length; j++) {
      const product = (groups[j] as number) * 1024 + carry;
      carry = Math.floor(product / base);
      groups[j] = product - carry * base;
    }
    if (carry > 0) groups.push(carry);
  }
  const texts = groups.map((group) => String(group).padStart(groupDigits, '0'));
  return withoutZeros(texts.reverse().join(''));
}
