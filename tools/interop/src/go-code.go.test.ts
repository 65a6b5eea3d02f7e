import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generateGoCode, goCodeIn } from './go-code.js';

it('is what the .proto files give: npm run interop -- --generate', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cosi-interop-'));
  await generateGoCode(process.env.COSI_GO ?? 'go', folder);
  expect(readFileSync(goCodeIn(), 'utf8')).toBe(readFileSync(goCodeIn(folder), 'utf8'));
  rmSync(folder, { recursive: true });
});
