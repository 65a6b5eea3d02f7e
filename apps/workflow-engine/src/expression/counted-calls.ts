import {
  type CelEnv,
  type CelList,
  type CelMap,
  type CelResult,
  type CelValue,
  celError,
  isCelList,
  isCelMap,
} from '@bufbuild/cel';
import { spend } from './effort.js';

/** So many characters of a text cost as much as an item of a list: where texts are compared, searched and put together … */
const searching = 256;
/** … where each character is looked at … */
const reading = 16;
/** … and where a text or a list is made of them, one after the other. */
const building = 2;

const costs: ReadonlyMap<string, number> = new Map([
  ...[
    'size',
    'trim',
    'replace',
    'string',
    'bytes',
    'bool',
    'int',
    'uint',
    'double',
    'timestamp',
    'duration',
    'json.parse',
  ].map((name) => [name, reading] as const),
  ...['lowerAscii', 'upperAscii', 'split', 'strings.quote'].map((name) => [name, building] as const),
]);

/**
 * The same functions, but each call first counts how much it is about to look at. What the library does is not counted
 * there, and a short expression can make texts and lists of any size.
 */
export function countedCalls(env: CelEnv): CelEnv {
  const { funcs } = env;
  const find = (name: string) => {
    const group = funcs.find(name);
    if (group === undefined) return undefined;
    const call = (id: number, target: CelValue | undefined, args: CelValue[]): CelResult | undefined => {
      try {
        charge(name, target === undefined ? args : [target, ...args]);
      } catch (error) {
        return celError(error, id);
      }
      return group.call(id, target, args);
    };
    return Object.create(group, { call: { value: call } });
  };
  return Object.create(env, { funcs: { value: Object.create(funcs, { find: { value: find } }) } });
}

function charge(name: string, operands: readonly CelValue[]): void {
  const [first, second] = operands;
  switch (name) {
    case '_==_':
    case '_!=_':
      // What is the same or of another size is told apart at once.
      if (first !== second && sizeOf(first) === sizeOf(second)) descend(first);
      return;
    case '@in':
      // Lists are searched, in maps something is found at once.
      if (isCelList(second)) spend(second.size * (1 + descend(first)));
      return;
    case 'format':
      for (const operand of operands) descend(operand, building);
      return;
    case 'matches':
      spend((lengthOf(first) * lengthOf(second)) / reading);
  }
  for (const operand of operands) spend(lengthOf(operand) / (costs.get(name) ?? searching));
}

function lengthOf(value: CelValue | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}

function sizeOf(value: CelValue | undefined): number {
  return value !== undefined && isCollection(value) ? value.size : lengthOf(value);
}

function isCollection(value: CelValue): value is CelList | CelMap {
  return isCelList(value) || isCelMap(value);
}

/** Counts everything in a value, and gives how much that was. */
function descend(value: CelValue | undefined, perItem = searching): number {
  if (value === undefined || !isCollection(value)) return paid(lengthOf(value) / perItem);
  let sum = paid(value.size);
  for (const item of isCelList(value) ? value : value.values()) sum += descend(item, perItem);
  return sum;
}

function paid(effort: number): number {
  spend(effort);
  return effort;
}
