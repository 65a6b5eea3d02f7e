import type { ControlServer } from './control-server.js';
import { exchangeSuites } from './exchange/suites.js';
import { type GoPeer, goBackends } from './go-peer.js';
import type { GoPrograms } from './go-programs.js';
import { goSuites } from './go-suites.js';
import { ourSuite } from './our-suite.js';
import type { Suite } from './outcome.js';

/** What suites are run with. */
export interface Setting {
  readonly programs: GoPrograms;
  readonly control: ControlServer;
  readonly peer: GoPeer;
  /** Another process of the same program. */
  readonly stranger: GoPeer;
}

/** Everything there is to run; what takes long comes first. */
export function allSuites({ programs, control, peer, stranger }: Setting): readonly Suite[] {
  return [
    ...goBackends.map((backend) => ourSuite(peer, stranger, backend)),
    ...goSuites(programs.suites, control.url),
    ...exchangeSuites(peer),
  ];
}
