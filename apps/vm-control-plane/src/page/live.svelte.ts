import type { ResourceView } from '@cosi-ts/app-kit';
import type { HealthView } from '../http/health-view.js';
import type { MachineJson } from '../http/machine-view.js';
import { Fleet, type FleetHost, type FleetVM } from './fleet.js';
import { type Line, lineOf, lineOfMachine } from './story.js';

/** A line with its time and a number of its own. */
export interface LoggedLine extends Line {
  readonly at: number;
  readonly time: string;
}

export type Connection = 'connecting' | 'live' | 'lost';

/** Many changes come at once when many machines boot: the page is drawn anew at most so often. */
const redrawMs = 120;
const keptLines = 200;
/** After the server has refused the stream, which browsers do not try again by themselves. */
const reconnectMs = 2000;

/** The live view of everything, fed by the event stream. */
export class Live {
  connection = $state<Connection>('connecting');
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
  #reconnect: ReturnType<typeof setTimeout> | undefined;
  #source: EventSource | undefined;
  #lastEventId = '';

  start(): void {
    const query = this.#lastEventId === '' ? '' : `?lastEventId=${encodeURIComponent(this.#lastEventId)}`;
    const source = new EventSource(`events${query}`);
    this.#source = source;
    const on = <T>(event: string, take: (data: T) => void) =>
      source.addEventListener(event, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId !== '') this.#lastEventId = lastEventId;
        take(JSON.parse(data) as T);
        this.#schedule();
      });
    on('reset', () => this.#fleet.reset());
    on<readonly ResourceView[]>('snapshot', (resources) => this.#fleet.load(resources));
    on('ready', () => {
      this.#fleet.ready();
      this.connection = 'live';
      this.isComplete = true;
    });
    for (const event of ['created', 'updated', 'destroyed'] as const) {
      on<ResourceView>(event, (resource) => this.#log(lineOf(event, resource, this.#fleet.change(event, resource))));
    }
    on<readonly MachineJson[]>('machines', (machines) => this.#fleet.setMachines(machines));
    on<{ id: string; machine: MachineJson | null }>('machine', ({ id, machine }) =>
      this.#log(lineOfMachine(id, machine, this.#fleet.setMachine(id, machine))),
    );
    on<HealthView>('health', (health) => {
      this.health = health;
    });
    source.onerror = () => {
      this.connection = 'lost';
      if (source.readyState === EventSource.CLOSED) {
        this.#reconnect = setTimeout(() => this.start(), reconnectMs);
      }
    };
  }

  stop(): void {
    this.#source?.close();
    clearTimeout(this.#redraw);
    clearTimeout(this.#reconnect);
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
