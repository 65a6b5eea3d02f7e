/** Where every resource of this app is. */
export const vmsNamespace = 'vms';
