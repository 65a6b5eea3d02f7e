export { accessRule } from './access-rule.js';
export { type RoleRule, Roles, type RolesInput } from './roles.js';
export type { VerbName } from './rule.js';
