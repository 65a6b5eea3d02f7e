/** Where every resource of this app is. */
export const workflowsNamespace = 'workflows';
