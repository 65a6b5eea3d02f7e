import type { BridgeSource } from './bridge-source.js';
import { fromCallback, type Stop } from './from-callback.js';

/** Watches a path with the means of the host; gives what ends that. */
export type WatchFile = (path: string, onChange: () => void, onError: (error: unknown) => void) => Stop | Promise<Stop>;

/**
 * The path, each time something about it changed. The host's way to watch is given: this package runs where there are no
 * files, too. A bridge with a `coalesceMs` of some 100 makes one event of what an editor does when it saves.
 *
 * @example
 * // Watch the folder: who replaces a file by renaming another one ends the watch of the file itself.
 * const watchFolder: WatchFile = (path, onChange, onError) => {
 *   const watcher = fs.watch(path, onChange).on('error', onError);
 *   return () => watcher.close();
 * };
 * new Bridge('certificates', fileChanges('/etc/certificates', watchFolder), toController(handle), { coalesceMs: 100 });
 */
export function fileChanges(path: string, watch: WatchFile): BridgeSource<string> {
  return fromCallback<string>((emit, fail) => watch(path, () => emit(path), fail));
}
