import {
  ColorNames,
  ColorSums,
  Copies,
  Crumbs,
  Echoes,
  Evens,
  Factors,
  Flaky,
  Grands,
  GroupSums,
  type Part,
  Parts,
  Products,
  Reds,
  Shares,
  Sparse,
  Squares,
  Steps,
  Sums,
  Texts,
  Thirds,
} from './kinds.js';

/** What writers have left: parts by their ids, and factors by their groups. */
export interface World {
  readonly parts: ReadonlyMap<string, Part>;
  readonly factors: ReadonlyMap<string, number>;
}

/** By a resource's id, its value or text. */
export type Contents = ReadonlyMap<string, number | string>;

/** All types that anybody writes. */
export const allTypes = [
  ...[Parts, Factors, Squares, Products, Evens, Shares, Thirds, Reds, Sums, ColorSums, GroupSums, Grands, Copies],
  ...[Crumbs, Steps, Sparse, Flaky],
];
export const textTypes = [Texts, Echoes, ColorNames];

export const isEven = (id: string) => Number(id.slice(1)) % 2 === 0;

/** What there must be in the end: computed plainly, type by type. */
export function expectedContents({ parts, factors }: World): ReadonlyMap<string, Contents> {
  const each = (value: (part: Part, id: string) => number | string | undefined, name = (id: string) => id) =>
    new Map(
      [...parts].flatMap(([id, part]) => {
        const of = value(part, id);
        return of === undefined ? [] : [[name(id), of] as const];
      }),
    );
  const sums = (key: (part: Part) => string) => {
    const found = new Map<string, number>();
    for (const part of parts.values()) found.set(key(part), (found.get(key(part)) ?? 0) + part.value);
    return found;
  };
  const factorOf = ({ group }: Part) => factors.get(group) ?? 0;
  const total = [...parts.values()].reduce((sum, { value }) => sum + value, 0);
  const colorSums = sums(({ color }) => color);
  return new Map<string, Contents>([
    [Parts.type, each(({ value }) => value)],
    [Factors.type, factors],
    [Squares.type, each(({ value }) => value ** 2)],
    [Products.type, each((part) => part.value * factorOf(part))],
    [
      Evens.type,
      each(
        ({ value }, id) => (isEven(id) ? value : undefined),
        (id) => `even-${id}`,
      ),
    ],
    [Shares.type, each((part) => part.value + factorOf(part))],
    [Thirds.type, each(({ value }) => value / 3)],
    [Reds.type, each(({ value, color }) => (color === 'red' ? value : undefined))],
    [Texts.type, each(({ value }) => `square ${value ** 2}`)],
    [Echoes.type, each(({ value }) => `square ${value ** 2}!`)],
    [Sums.type, new Map([['all', total]])],
    [ColorSums.type, colorSums],
    [ColorNames.type, new Map([...colorSums].map(([color, sum]) => [color, `${color} ${sum}`]))],
    [GroupSums.type, new Map([...factors.keys()].map((group) => [group, sums((part) => part.group).get(group) ?? 0]))],
    [Grands.type, new Map([['grand', total]])],
    [Copies.type, each(({ value }) => value)],
    [
      Crumbs.type,
      each(
        ({ value }) => value,
        (id) => `crumb-${id}`,
      ),
    ],
    [Steps.type, each(({ value }) => value)],
    [Sparse.type, each(({ value }) => (value % 3 === 0 ? undefined : value))],
    [Flaky.type, each(({ value }) => value)],
  ]);
}

/** What differs, in words: at most so many of each type. */
export function differences(expected: ReadonlyMap<string, Contents>, found: ReadonlyMap<string, Contents>): string[] {
  return [...expected].flatMap(([type, contents]) => {
    const there = found.get(type) ?? new Map();
    const wrong = [...contents].filter(([id, value]) => there.get(id) !== value);
    const superfluous = [...there.keys()].filter((id) => !contents.has(id));
    return [
      ...wrong.slice(0, 3).map(([id, value]) => `${type} ${id}: ${there.get(id) ?? 'nothing'} instead of ${value}`),
      ...superfluous.slice(0, 3).map((id) => `${type} ${id}: should be gone`),
    ];
  });
}
