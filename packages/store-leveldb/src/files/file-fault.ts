/** Something wrong with a file. */
export interface FileFault {
  readonly file: string;
  readonly what: string;
  /**
   * What LevelDB makes of it. `fails`: it cannot be let at the files. `skips`: it goes on without what is in the damaged
   * part. `reads`: it gives other keys or values than were written, which their own checksums show.
   */
  readonly effect: 'fails' | 'skips' | 'reads';
}
