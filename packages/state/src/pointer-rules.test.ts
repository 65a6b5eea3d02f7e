import { isInvalidArgument } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { checkNewPointer } from './pointer-rules.js';

const good = { namespace: 'n', type: 't', id: 'i' };

describe('parts of a pointer', () => {
  it.each(['/', ' ', '..', '\u0001', '\u{1F600}', 'ä'.repeat(512), 'x'.repeat(1024), '__proto__'])(
    'S17: %j can be created',
    (part) => {
      for (const field of ['namespace', 'type', 'id']) checkNewPointer({ ...good, [field]: part });
    },
  );

  it.each(['', '\0', 'a\0b', '\ud800', 'x\udc00', 'x'.repeat(1025), 'ä'.repeat(513), '€'.repeat(342)])(
    'S17: %j is refused, and the field named',
    (part) => {
      for (const field of ['namespace', 'type', 'id']) {
        const check = () => checkNewPointer({ ...good, [field]: part });
        expect(check).toThrow(field);
        expect(isInvalidArgument(thrown(check))).toBe(true);
      }
    },
  );
});

function thrown(call: () => void): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}
