import { Host } from './host.js';
import { VMConfig } from './vm-config.js';

/** What users of the API call a type: `VMConfigs.vms.cosi.dev` is a VM to them. */
export function userName(type: string): string {
  if (type === VMConfig.type) return 'VM';
  return type === Host.type ? 'host' : type;
}
