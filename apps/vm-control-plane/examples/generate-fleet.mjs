// Prints a manifest of so many VMs, and of hosts that have room for them.
//   node generate-fleet.mjs 2000 > fleet-2000.yaml
//   curl --data-binary @fleet-2000.yaml http://127.0.0.1:8080/apply
const [text = '2000'] = process.argv.slice(2);
const count = Number(text);
if (!Number.isInteger(count) || count < 0) {
  console.error('usage: node generate-fleet.mjs COUNT');
  process.exit(2);
}

const vmsPerHost = 50;
const zones = ['a', 'b', 'c'];
const tiers = ['web', 'db', 'cache', 'batch'];
const digits = String(Math.max(1, count)).length;
const number = (i) => String(i + 1).padStart(digits, '0');

const documents = [];
for (let i = 0; i < Math.ceil(count / vmsPerHost); i++) {
  documents.push(`metadata:
  type: Hosts.vms.cosi.dev
  id: node-${number(i)}
  labels: { zone: ${zones[i % zones.length]} }
spec: { cpus: 64, memoryMiB: 65536 }
`);
}
for (let i = 0; i < count; i++) {
  documents.push(`metadata:
  type: VMConfigs.vms.cosi.dev
  id: vm-${number(i)}
  labels: { tier: ${tiers[i % tiers.length]} }
spec: { cpus: 1, memoryMiB: 1024, image: debian-12 }
`);
}
process.stdout.write(documents.join('---\n'));
