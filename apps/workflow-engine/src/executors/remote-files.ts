import { pathToFileURL } from 'node:url';

/** Where the files of an attempt are that a worker executed, on its machine. */
export interface RemoteFiles {
  readonly host: string;
  /** The path of the log. */
  readonly log: string;
  /** The folder with the artifacts of the run. */
  readonly artifacts: string;
}

/**
 * Names logs for who reads of them on another machine: as `file://<host>/<path>`.
 * @param logs the folder of the logs, an absolute path
 */
export function remoteLogName(host: string, logs: string): (name: string) => string {
  return (name) => `file://${encodeURIComponent(host)}${pathToFileURL(`${logs}/${name}`).pathname}`;
}

/** Reads the name of a log. Undefined: it is no other machine's. */
export function parseRemoteLog(name: string): RemoteFiles | undefined {
  const [, host, path] = /^file:\/\/([^/]+)(\/.*)$/.exec(name) ?? [];
  if (host === undefined || path === undefined) return undefined;
  try {
    const log = decodeURIComponent(path);
    // <data>/logs/<run>/<execution>/<attempt>.log
    const parts = log.split('/');
    const artifacts = [...parts.slice(0, -4), 'artifacts', parts.at(-3) ?? ''].join('/');
    return { host: decodeURIComponent(host), log, artifacts };
  } catch {
    // Workers write what they like.
    return undefined;
  }
}
