import { parseArgs } from 'node:util';
import { loads } from './load.js';

const help = `Measures what steps cost that do nothing: a fan-out, and chains of ten.

  --items <n>      items of the fan-out (10000)
  --parallel <n>   how many of them at once (50)
  --chains <n>     chains (1000)
  --durable        keep everything on disk
  --json           print a line of JSON for each, and nothing else
`;

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '10000' },
    parallel: { type: 'string', default: '50' },
    chains: { type: 'string', default: '1000' },
    durable: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(help);
else {
  const [items, parallel, chains] = [values.items, values.parallel, values.chains].map(Number);
  if (![items, parallel, chains].every((n) => Number.isInteger(n) && (n as number) > 0)) {
    process.stderr.write(`${help}\nthe numbers must be whole and above 0\n`);
    process.exitCode = 2;
  } else await measure(items as number, parallel as number, chains as number);
}

async function measure(items: number, parallel: number, chains: number): Promise<void> {
  const { durable, json } = values;
  for await (const load of loads({ items, parallel, chains, durable })) {
    if (json) {
      process.stdout.write(`${JSON.stringify(load)}\n`);
      continue;
    }
    const { name, steps, ms, cpuMs, rssMb } = load;
    const rate = Math.round((steps / ms) * 1000);
    const told = [
      `${Math.round(ms)} ms`,
      `${rate} steps/s`,
      `${Math.round(cpuMs)} ms of CPU`,
      `${Math.round(rssMb)} MiB`,
    ];
    process.stdout.write(`${name.padEnd(8)} ${String(steps).padStart(7)} steps: ${told.join(', ')}\n`);
  }
  if (!json) process.stdout.write(`done, ${durable ? 'on disk' : 'in memory'}\n`);
}
