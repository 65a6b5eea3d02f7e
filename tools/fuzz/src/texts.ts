import type { Seeded } from '@cosi-ts/harness';

const odd: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '.',
  '..',
  '../../etc/passwd',
  '/',
  '%00',
  '%',
  '"',
  "'",
  '\\',
  '\n\r\t',
  '\u202eabc',
  '\ufeff',
  '\u{1f600}',
  'e\u0301',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'undefined',
  'null',
  'true',
  'NaN',
  '%s%n%d',
  '<script>',
  '&a [*a,*a]',
  '!!js/function "x"',
];

export const namespaces = ['attack', 'attack-2', 'default'] as const;
export const types = ['Things.fuzz.cosi.dev', 'Other.fuzz.cosi.dev', 'Namespaces.meta.cosi.dev'] as const;
export const ids = ['one', 'two', 'three', 'four'] as const;

/** A text that programs stumble over. */
export function oddText(random: Seeded): string {
  switch (random.below(8)) {
    case 0:
      return 'x'.repeat(random.pick([1023, 1024, 1025, 5000]));
    case 1:
      return '\u00e4'.repeat(random.pick([511, 512, 513, 3000]));
    case 2:
      return String.fromCodePoint(...Array.from({ length: random.below(40) }, () => codePoint(random)));
    case 3:
      return random.pick(odd).repeat(1 + random.below(100));
    default:
      return random.pick(odd);
  }
}

function codePoint(random: Seeded): number {
  const point = random.below(random.pick([0x80, 0x800, 0x110000]));
  return point >= 0xd800 && point < 0xe000 ? 0xfffd : point;
}

/** Mostly what is expected there, sometimes not. */
export function textLike(random: Seeded, good: readonly string[]): string {
  return random.float() < 0.75 ? random.pick(good) : oddText(random);
}

/** Patterns that backtracking engines take for ever on, that grow when they are compiled, or that are none. */
export function hostilePattern(random: Seeded): string {
  const n = 1 + random.below(1000);
  return random.pick([
    '(a+)+$',
    '(a|a)*b',
    '(.*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    '(a|b|ab)*c',
    `(.{0,${n}}){0,${n}}z`,
    `${'(a?){30}'.repeat(1 + (n % 30))}a{30}`,
    `x{${n}}{${n}}`,
    `(((x{${n}}){${n}}){${n}})`,
    '('.repeat(n * 50),
    `${'('.repeat(n)}${')'.repeat(n)}`,
    '['.repeat(n),
    `[${'a-z'.repeat(n)}]`,
    'a|'.repeat(n),
    '.*'.repeat(n),
    '(?i)\\pL+$'.repeat(1 + (n % 50)),
    '\\p{Greek}*\\P{L}'.repeat(1 + (n % 100)),
    '\\x{10FFFF}',
    '\\Q'.repeat(n),
    '(?P<n>a)'.repeat(n),
    `(?P<${'n'.repeat(n)}>a)`,
    '\\',
    '(?=a)',
    '(?<!a)',
    '\\1',
    'a**',
    '[z-a]',
    oddText(random),
  ]);
}

/** A number of a numeric label term, or what looks like one. */
export function numericText(random: Seeded, maxDigits: number): string {
  const digits = random.pick(['0', '1', '9', '12']).repeat(1 + random.below(random.pick([3, 30, maxDigits])));
  const sign = random.pick(['', '', '-', '--', '+', ' -']);
  const unit = random.pick(['', '', 'k', 'Ki', ' PiB', 'p', 'E', '\u212a', '\u0130', ' '.repeat(random.below(1000))]);
  return `${random.pick(['', ' ', '\u2003'.repeat(50)])}${sign}${digits}${unit}`;
}
