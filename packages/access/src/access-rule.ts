import { type AccessRule, denied } from '@cosi-ts/state';
import type { Roles } from './roles.js';

/**
 * The rule for `filter` by which an access needs a role that allows it to the caller's identity.
 *
 * @param roles a function where they can change: it is asked at each access, and what it throws denies that one. Throws
 *   a `TypeError` for what are no roles
 */
export function accessRule(roles: Roles | (() => Roles)): AccessRule {
  if (typeof roles !== 'function') checkRoles(roles);
  const current = typeof roles === 'function' ? roles : () => roles;
  return (access, { identity }) => {
    if (checkRoles(current()).allows(identity, access) === true) return;
    throw denied(
      access,
      identity === undefined ? 'the caller has no identity' : `no role of ${JSON.stringify(identity)} allows it`,
    );
  };
}

function checkRoles(roles: Roles): Roles {
  if (typeof (roles as Partial<Roles> | null | undefined)?.allows === 'function') return roles;
  throw new TypeError('access rules need roles: what Roles.parse or Roles.from gives, or a function that gives that');
}
