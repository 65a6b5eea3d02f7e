import type { ResourceView } from '@cosi-ts/app-kit';
import { type Connection, EventFeed } from '@cosi-ts/app-kit/page';
import type { HealthView } from '../http/health-view.js';
import type { MachineJson } from '../http/machine-view.js';
import { Fleet, type FleetHost, type FleetVM } from './fleet.js';
import { type Line, lineOf, lineOfMachine } from './story.js';

/** A line with its time and a number of its own. */
export interface LoggedLine extends Line {
  readonly at: number;
  readonly time: string;
}

/** Many changes come at once when many machines boot: the page is drawn anew at most so often. */
const redrawMs = 120;
const keptLines = 200;

/** The live view of everything, fed by the event stream. */
export class Live {
  vms = $state.raw<readonly FleetVM[]>([]);
  hosts = $state.raw<readonly FleetHost[]>([]);
  orphans = $state.raw<readonly MachineJson[]>([]);
  addressesTaken = $state(0);
  health = $state.raw<HealthView | undefined>(undefined);
  lines = $state.raw<readonly LoggedLine[]>([]);
  /** False until everything was told for the first time. */
  isComplete = $state(false);

  readonly #fleet = new Fleet();
  #newLines: LoggedLine[] = [];
  #lineCount = 0;
  #redraw: ReturnType<typeof setTimeout> | undefined;

  readonly #feed = new EventFeed(
    'events',
    {
      reset: () => this.#fleet.reset(),
      snapshot: (resources: readonly ResourceView[]) => this.#fleet.load(resources),
      ready: () => {
        this.#fleet.ready();
        this.isComplete = true;
      },
      created: (resource: ResourceView) => this.#change('created', resource),
      updated: (resource: ResourceView) => this.#change('updated', resource),
      destroyed: (resource: ResourceView) => this.#change('destroyed', resource),
      machines: (machines: readonly MachineJson[]) => this.#fleet.setMachines(machines),
      machine: ({ id, machine }: { id: string; machine: MachineJson | null }) =>
        this.#log(lineOfMachine(id, machine, this.#fleet.setMachine(id, machine))),
      health: (health: HealthView) => {
        this.health = health;
      },
    },
    () => this.#schedule(),
  );

  get connection(): Connection {
    return this.#feed.connection;
  }

  start(): void {
    this.#feed.start();
  }

  stop(): void {
    this.#feed.stop();
    clearTimeout(this.#redraw);
  }

  #change(event: 'created' | 'updated' | 'destroyed', resource: ResourceView): void {
    this.#log(lineOf(event, resource, this.#fleet.change(event, resource)));
  }

  #log(line: Line | undefined): void {
    if (line === undefined) return;
    const time = new Date().toLocaleTimeString('en-GB');
    this.#newLines.push({ ...line, time, at: this.#lineCount++ });
    if (this.#newLines.length > keptLines) this.#newLines.shift();
  }

  #schedule(): void {
    this.#redraw ??= setTimeout(() => {
      this.#redraw = undefined;
      this.vms = this.#fleet.vms();
      this.hosts = this.#fleet.hosts();
      this.orphans = this.#fleet.orphans();
      this.addressesTaken = this.#fleet.addressesTaken();
      if (this.#newLines.length === 0) return;
      this.lines = [...this.#newLines.reverse(), ...this.lines].slice(0, keptLines);
      this.#newLines = [];
    }, redrawMs);
  }
}
