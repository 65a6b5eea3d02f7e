// npm run crash:workflow -- --rounds 200: kills the workflow engine, and checks what its steps did. Builds what it needs
// before.
import '../launch/node-version.mjs';

const { runTool } = await import('../launch/tool.mjs');

await runTool({
  builds: ['@cosi-ts/workflow-engine', '@cosi-ts/crash-workflow'],
  entry: 'tools/crash-workflow/dist/crash-workflow.js',
  failure: 'crash-workflow: steps did not have the effects that they must have',
});
