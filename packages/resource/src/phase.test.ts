import { describe, expect, it } from 'vitest';
import { parsePhase } from './phase.js';

describe('parsePhase', () => {
  it('R3: knows running and tearingDown', () => {
    expect(parsePhase('running')).toBe('running');
    expect(parsePhase('tearingDown')).toBe('tearingDown');
  });

  it.each(['', 'Running', 'walking', 'running ', 'toString'])('R3: %j is an error that names the text', (text) => {
    expect(() => parsePhase(text)).toThrow(JSON.stringify(text));
  });
});
