import { type AccessRule, denied } from '@cosi-ts/state';
import type { Roles } from './roles.js';

/**
 * The rule for `filter` by which an access needs a role that allows it to the caller's identity.
 *
 * @param roles a function where they can change: it is asked at each access
 */
export function accessRule(roles: Roles | (() => Roles)): AccessRule {
  const current = typeof roles === 'function' ? roles : () => roles;
  return (access, { identity }) => {
    if (current().allows(identity, access)) return;
    throw denied(
      access,
      identity === undefined ? 'the caller has no identity' : `no role of ${JSON.stringify(identity)} allows it`,
    );
  };
}
