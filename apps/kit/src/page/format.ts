/** A number of something, with its thousands apart. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** `Destroy[VMConfigs.vms.cosi.dev]` is `Destroy[VMConfigs]`, and `vms/Hosts.vms.cosi.dev` is `Hosts`: all are of one app. */
export function shortName(name: string): string {
  return name.replace(/^\w+\/(?=\w+\.)/, '').replace(/(\w+)(\.\w+)+/, '$1');
}
