import { ResourceExhaustedError, UnavailableError } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { StartError } from '../start-error.js';
import { thingData } from '../testdata/things.js';
import { dataError, targetError } from './data-error.js';
import { DataFolder } from './data-folder.js';

const folder = new DataFolder(thingData, '/data');
const systemError = (code: string) => Object.assign(new Error(`${code}: no`), { code, syscall: 'write' });

describe('what is said about errors of the data', () => {
  it.each([
    [new ResourceExhaustedError('disk full'), 'there is no room for the data in /data'],
    [systemError('ENOSPC'), 'there is no room for the data in /data'],
    [systemError('EDQUOT'), 'there is no room for the data in /data'],
    [systemError('EACCES'), 'the data in /data cannot be read and written: EACCES'],
    [new UnavailableError('no lock'), 'the data in /data cannot be read and written: no lock'],
  ])('says what to do about %s', (error, message) => {
    const said = dataError(error, folder);
    expect(said).toBeInstanceOf(StartError);
    expect((said as StartError).message).toContain(message);
    expect((said as StartError).cause).toBe(error);
  });

  it('speaks of the new folder where that is meant', () => {
    for (const error of [systemError('ENOSPC'), new UnavailableError('no lock'), systemError('EROFS')]) {
      expect((targetError(error, '/new') as StartError).message).toBe(`cannot write /new: ${error.message}`);
    }
  });

  it('leaves others as they are', () => {
    for (const error of [new TypeError('a fault of the program'), new StartError('said already')]) {
      expect(dataError(error, folder)).toBe(error);
      expect(targetError(error, '/new')).toBe(error);
    }
  });
});
