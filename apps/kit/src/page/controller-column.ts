import type { HealthView } from '../http/health-view.js';

/** What a table of controllers counts of each. */
export interface ControllerColumn {
  readonly title: string;
  /** What is counted, in a sentence. */
  readonly what: string;
  /** Whether more than none is worth a look. */
  readonly isTrouble: boolean;
  readonly count: (controller: HealthView['controllers'][number]) => number;
}
