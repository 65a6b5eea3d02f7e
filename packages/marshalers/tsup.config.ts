import { library } from '../../tools/build/tsup.mjs';

export default library(['src/index.ts', 'src/protobuf.ts', 'src/compression.ts', 'src/encryption.ts']);
