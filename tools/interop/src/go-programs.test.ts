import { describe, expect, it } from 'vitest';
import { findGo, goModuleVersion } from './go-programs.js';

describe('Go', () => {
  it('may be missing', async () => {
    expect(await findGo(['no-such-command', '/no/such/path/go'])).toBeUndefined();
    expect(await findGo(['no-such-command', 'echo'])).toBe('echo');
  });

  it('has a module that asks for one version of the implementation', async () => {
    expect(await goModuleVersion()).toMatch(/^github\.com\/cosi-project\/runtime v\d+\.\d+\.\d+$/);
  });
});
