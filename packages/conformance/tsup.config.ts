import { library } from '../../tools/build/tsup.mjs';

export default library(['src/index.ts', 'src/runtime.ts']);
