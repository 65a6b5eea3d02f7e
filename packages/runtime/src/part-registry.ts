import type { BridgeReport } from './bridges/bridge.js';
import type { TaskSetReport } from './report.js';
import type { TaskReport } from './tasks/task.js';

/** What reports on itself as a {@link Bridge} does. */
export interface ReportingBridge {
  report(): BridgeReport;
}

/** What reports on itself as a {@link TaskRunner} does. */
export interface ReportingTasks {
  report(): readonly TaskReport[];
}

/** How a controller has what it runs be part of the runtime's report, for as long as it runs. */
export interface PartContext {
  /** The tasks are listed under the controller's name. */
  includeTasks(tasks: ReportingTasks): void;
  includeBridge(bridge: ReportingBridge): void;
}

/** What works beside the controllers and is to be in the runtime's report. */
export class PartRegistry {
  readonly #bridges = new Set<ReportingBridge>();
  readonly #tasks = new Map<ReportingTasks, string>();

  /** Gives what takes it out again. */
  includeBridge(bridge: ReportingBridge): Disposable {
    this.#bridges.add(bridge);
    return { [Symbol.dispose]: () => void this.#bridges.delete(bridge) };
  }

  /** Gives what takes them out again. */
  includeTasks(name: string, tasks: ReportingTasks): Disposable {
    this.#tasks.set(tasks, name);
    return { [Symbol.dispose]: () => void this.#tasks.delete(tasks) };
  }

  /** For one run of a controller; disposed at its end. */
  ofRun(controller: string): PartContext & Disposable {
    const included = new Set<Disposable>();
    return {
      includeTasks: (tasks) => void included.add(this.includeTasks(controller, tasks)),
      includeBridge: (bridge) => void included.add(this.includeBridge(bridge)),
      [Symbol.dispose]: () => {
        for (const each of included) each[Symbol.dispose]();
      },
    };
  }

  bridges(): readonly BridgeReport[] {
    return [...this.#bridges].map((bridge) => bridge.report());
  }

  tasks(): readonly TaskSetReport[] {
    return [...this.#tasks].map(([tasks, name]) => ({ name, tasks: tasks.report() }));
  }
}
