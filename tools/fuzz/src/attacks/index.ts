import type { Attack } from '../attack.js';
import { brokenProtobuf, hostileMessages } from './protobuf.js';

/** All attacks, the quick ones first. */
export const attacks: readonly Attack[] = [hostileMessages, brokenProtobuf];
