// The workflows of the benchmark as a service of Restate. Argument: the port. Copied beside what is installed for it.
// The SDK takes it for given; Node 20 has not got it.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

const { endpoint, RestatePromise, service } = await import('@restatedev/restate-sdk');

const nothing = () => null;

const bench = service({
  name: 'bench',
  handlers: {
    fanOut: async (context, { items, parallel }) => {
      for (let begin = 0; begin < items; begin += parallel) {
        const count = Math.min(parallel, items - begin);
        await RestatePromise.all(Array.from({ length: count }, () => context.run('step', nothing)));
      }
    },
    chain: async (context, { steps }) => {
      for (let step = 0; step < steps; step++) await context.run('step', nothing);
    },
  },
});

await endpoint().bind(bench).listen(Number(process.argv[2]));
