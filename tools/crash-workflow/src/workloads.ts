/** A workflow of the load, and what its runs must come to when nobody cancels them. */
export interface Workload {
  readonly name: string;
  readonly source: string;
  /** How often it is taken, among the others. */
  readonly weight: number;
  /** The step that asks for an approval. */
  readonly asks?: string;
  /** By its input, and by what was answered where it asks. */
  expected(n: number, approved: boolean): { readonly state: 'succeeded' | 'failed'; readonly outputs?: unknown };
}

/** @param script the file of the script that the processes of the load execute */
export function workloads(script: string): readonly Workload[] {
  const sh = (what: string, gives: string, argument = '') => `[sh, '${script}', '${what}', '${gives}', '${argument}']`;
  const value = (expression: string) => `\${{ ${expression} }}`;
  const input = value('inputs.n');
  const succeeded = (outputs: (n: number) => unknown) => (n: number) =>
    ({ state: 'succeeded', outputs: outputs(n) }) as const;
  return [
    {
      name: 'chain',
      weight: 3,
      source: `
name: chain
inputs: { n: number }
steps:
  first: { run: ${sh('short', input)} }
  rest: { needs: first, sleep: 300ms }
  twice: { needs: rest, function: work, with: { ms: 200, value: "\${{ steps.first.outputs.value * 2 }}" } }
  last: { needs: twice, run: ${sh('long', value('steps.twice.outputs.value + 1'), '0.4')} }
finally:
  tidy: { run: ${sh('short', '0')} }
outputs: { value: "\${{ steps.last.outputs.value }}" }
`,
      expected: succeeded((n) => ({ value: 2 * n + 1 })),
    },
    {
      name: 'fan-out',
      weight: 3,
      source: `
name: fan-out
inputs: { n: number }
steps:
  processes:
    forEach: { items: "\${{ range(int(inputs.n)) }}", parallel: 3 }
    run: ${sh('long', value('item * 2'), '0.2')}
  functions:
    forEach: { items: "\${{ range(int(inputs.n)) }}", parallel: 4 }
    function: work
    with: { ms: 100, value: "\${{ item }}" }
  total:
    needs: [processes, functions]
    outputs:
      processes: "\${{ sum(steps.processes.outputs.items.map(i, i.value)) }}"
      functions: "\${{ sum(steps.functions.outputs.items.map(i, i.value)) }}"
outputs: { all: "\${{ steps.total.outputs }}" }
`,
      expected: succeeded((n) => ({ all: { processes: n * (n - 1), functions: (n * (n - 1)) / 2 } })),
    },
    {
      name: 'rounds',
      weight: 1,
      source: `
name: rounds
inputs: { n: number }
steps:
  count:
    repeat: { until: steps.count.outputs.value >= inputs.n, delay: 50ms }
    function: work
    with: { ms: 50, value: "\${{ index + 1 }}" }
  again:
    repeat: { until: steps.again.outputs.value == 2 }
    run: ${sh('short', value('index'))}
outputs: { counted: "\${{ steps.count.outputs.value }}", again: "\${{ steps.again.outputs.value }}" }
`,
      expected: succeeded((n) => ({ counted: n, again: 2 })),
    },
    {
      name: 'retries',
      weight: 2,
      source: `
name: retries
inputs: { n: number }
steps:
  process: { run: ${sh('failing', input, '2')}, retry: { limit: 2, backoff: 200ms } }
  function: { function: work, with: { ms: 50, fails: 2, value: "${input}" }, retry: { limit: 2, backoff: 100ms } }
  hopeless: { needs: process, run: ${sh('failing', input, '1000')}, retry: { limit: 1, backoff: 100ms } }
  repair: { needs: hopeless, on: failure, run: ${sh('short', input)} }
  never: { needs: hopeless, run: ${sh('short', input)} }
finally:
  tidy: { run: ${sh('short', '0')} }
`,
      expected: () => ({ state: 'failed' }),
    },
    {
      name: 'nested',
      weight: 2,
      source: `
name: nested
inputs: { n: number }
steps:
  inner: { workflow: chain, with: { n: "${input}" } }
  each:
    forEach: { items: [1, 2], parallel: 2 }
    workflow: chain
    with: { n: "\${{ item }}" }
outputs: { inner: "\${{ steps.inner.outputs.value }}", each: "\${{ steps.each.outputs.items.map(i, i.value) }}" }
`,
      expected: succeeded((n) => ({ inner: 2 * n + 1, each: [3, 5] })),
    },
    {
      name: 'approval',
      weight: 3,
      asks: 'ask',
      source: `
name: approval
inputs: { n: number }
steps:
  before: { run: ${sh('short', input)} }
  ask: { needs: before, approve: "Go on with ${input}?" }
  after: { needs: ask, run: ${sh('long', input, '0.3')} }
finally:
  tidy: { function: work, with: { ms: 20, value: 0 } }
outputs: { by: "\${{ steps.ask.outputs.by }}", value: "\${{ steps.after.outputs.value }}" }
`,
      expected: (n, approved) =>
        approved ? { state: 'succeeded', outputs: { by: 'somebody', value: n } } : { state: 'failed' },
    },
    {
      name: 'stubborn',
      weight: 1,
      source: `
name: stubborn
inputs: { n: number }
steps:
  hangs: { run: ${sh('stubborn', input, '300')}, timeout: 500ms, retry: 1, continueOnError: true }
  after: { needs: hangs, run: ${sh('short', input)} }
outputs: { value: "\${{ steps.after.outputs.value }}", hangs: "\${{ steps.hangs.state }}" }
`,
      expected: succeeded((n) => ({ value: n, hangs: 'failed' })),
    },
    {
      name: 'families',
      weight: 2,
      source: `
name: families
inputs: { n: number }
steps:
  family: { run: ${sh('family', input, '0.3')} }
  session: { run: ${sh('session', input)} }
  after: { needs: [family, session], run: ${sh('long', value('steps.family.outputs.value + 1'), '2')} }
outputs: { value: "\${{ steps.after.outputs.value }}" }
`,
      expected: succeeded((n) => ({ value: n + 1 })),
    },
    {
      name: 'alone',
      weight: 1,
      source: `
name: alone
concurrency: alone
inputs: { n: number }
steps:
  process: { run: ${sh('alone', input, 'alone')} }
  rest: { sleep: 200ms }
outputs: { value: "\${{ steps.process.outputs.value }}" }
`,
      expected: succeeded((n) => ({ value: n })),
    },
  ];
}
