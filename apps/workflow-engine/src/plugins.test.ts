import { writeFile } from 'node:fs/promises';
import { StartError } from '@cosi-ts/app-kit';
import { TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPlugins } from './plugins.js';

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await TemporaryFolder.make();
});

afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
});

let count = 0;

async function plugin(source: string, ending = 'mjs'): Promise<string> {
  const file = folder.file(`plugin-${count++}.${ending}`);
  await writeFile(file, source);
  return file;
}

describe('plugins', () => {
  it('bring functions and executors, by their names or by default', async () => {
    const first = await plugin(`
      export const functions = [{ name: 'double', handler: ({ n }) => ({ n: 2 * n }) }];
    `);
    const second = await plugin(`
      const sql = { name: 'sql', execute: async () => ({ state: 'succeeded', outputs: {} }) };
      export default { executors: [sql], functions: [{ name: 'half', call: ({ n }) => ({ n: n / 2 }) }] };
    `);
    const { functions, executors } = await loadPlugins([first, second]);
    expect(functions.map(({ name }) => name)).toEqual(['double', 'half']);
    expect(functions.map((each) => each.call({ n: 4 }, undefined as never))).toEqual([{ n: 8 }, { n: 2 }]);
    expect(executors.map(({ name }) => name)).toEqual(['sql']);
    expect(await loadPlugins([])).toEqual({ functions: [], executors: [] });
  });

  it('take what the schema of their input makes of it', async () => {
    const file = await plugin(`
      const input = { '~standard': { version: 1, vendor: 'test', validate: (value) =>
        typeof value.n === 'number' ? { value } : { issues: [{ message: 'must be a number', path: ['n'] }] } } };
      export const functions = [{ name: 'double', input, handler: ({ n }) => ({ n: 2 * n }) }];
    `);
    const { functions } = await loadPlugins([file]);
    expect(functions[0]?.call({ n: 4 }, undefined as never)).toEqual({ n: 8 });
    expect(() => functions[0]?.call({ n: 'four' }, undefined as never)).toThrow('n: must be a number');
  });

  it.each([
    ['export const steps = [];', 'exports neither functions nor executors: write export const functions = ['],
    ['export const functions = {};', 'functions of the plugin'],
    ['export const functions = [() => 1];', 'has no name or no handler'],
    ['export const functions = [{ name: "" , handler() {} }];', 'has no name or no handler'],
    ['export const executors = [{ name: "sql" }];', 'has no name or no execute'],
    ['export const executors = [{ name: "run", execute() {} }];', 'cannot have the name run'],
    ['const f = { name: "f", handler() {} }; export const functions = [f, f];', 'the function f of the plugin'],
    ['throw new Error("no database");', 'cannot be imported: no database'],
  ])('say what is wrong with %s', async (source, message) => {
    const file = await plugin(source);
    const error = await loadPlugins([file]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).toContain(file);
  });

  it('say that a module is missing', async () => {
    await expect(loadPlugins([folder.file('none.mjs')])).rejects.toThrow(/none\.mjs cannot be imported/);
  });
});
