import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { checkStoredData } from './stored-checks.js';
import { dataFile, type StoredData } from './stored-formats.js';

describe('what the Go implementation wrote once is read here', () => {
  const data: StoredData = JSON.parse(readFileSync(dataFile, 'utf8'));
  checkStoredData(() => data);
});
