import { wire } from '@cosi-ts/proto';
import type { Attack } from '../attack.js';
import { Connection, checkStatus } from '../grpc.js';
import { numericText, oddText } from '../texts.js';
import { createThing, listing } from '../things.js';

const things = 50;
const queries = 25;
const maxDigits = 1_000_000;

const { LT, LTE, LT_NUMERIC, LTE_NUMERIC, IN, EQUAL } = wire.LabelTerm_Operation;

/** Labels and label queries: numbers of millions of digits, many terms, many values. */
export const hostileLabels: Attack = {
  name: 'labels',
  async run({ target, random, tally }) {
    await using connection = new Connection(target);
    for (let i = 0; i < things; i++) {
      const labels = { n: numericText(random, i < 5 ? maxDigits : 1000), odd: oddText(random), [oddText(random)]: 'x' };
      tally.add(await createThing(connection, `labelled-${i}`, { labels }));
    }
    for (let i = 0; i < queries; i++) {
      const term = () => ({
        key: random.pick(['n', 'n', 'odd', '__proto__']),
        op: random.pick([LT, LTE, LT_NUMERIC, LT_NUMERIC, LTE_NUMERIC, IN, EQUAL]),
        value: [numericText(random, maxDigits)],
        invert: random.float() < 0.5,
      });
      const short = () => ({ ...term(), value: [numericText(random, 50)] });
      const many = random.pick([1, 1, 1, 2000]);
      const terms = many === 1 ? [term()] : Array.from({ length: many }, short);
      const labelQuery = random.float() < 0.5 ? [{ terms }] : terms.map((each) => ({ terms: [each] }));
      tally.add(checkStatus('List', await connection.call('List', listing({ labelQuery }))));
    }
  },
};
