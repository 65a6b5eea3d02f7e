import type { ControlServer } from './control-server.js';
import { exchangeSuites } from './exchange/suites.js';
import { faultSuites } from './faults/suites.js';
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
  /** Of what is left to chance. */
  readonly seed: number;
}

/** Everything there is to run, in groups that come one after the other: Go's suites have waits of their own. */
export function suiteGroups({ programs, control, peer, stranger, seed }: Setting): readonly (readonly Suite[])[] {
  return [
    goSuites(programs.suites, control.url),
    [
      ...goBackends.map((backend) => ourSuite(peer, stranger, backend)),
      ...faultSuites(peer, seed),
      ...exchangeSuites(peer),
    ],
  ];
}
