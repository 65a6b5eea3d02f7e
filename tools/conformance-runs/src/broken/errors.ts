import {
  ConflictError,
  isAlreadyExists,
  isOwnerConflict,
  isPendingFinalizers,
  OwnerConflictError,
  PhaseConflictError,
} from '@cosi-ts/resource';
import { brokenCore } from './broken-state.js';

export const brokenErrors = [
  brokenCore('S7', 'a taken pointer is a conflict of no kind', (core) => ({
    create: async (resource, options) => {
      try {
        return await core.create(resource, options);
      } catch (error) {
        if (isAlreadyExists(error)) throw new ConflictError(error.message, { subject: resource.metadata });
        throw error;
      }
    },
  })),

  brokenCore('S7', 'pending finalizers come as another conflict', (core) => ({
    destroy: async (pointer, options) => {
      try {
        await core.destroy(pointer, options);
      } catch (error) {
        if (isPendingFinalizers(error)) throw new PhaseConflictError(pointer, 'running', 'tearingDown');
        throw error;
      }
    },
  })),

  brokenCore(
    'S7',
    'owner conflicts name no resource',
    (core) => {
      const nameless = async <T>(call: Promise<T>): Promise<T> => {
        try {
          return await call;
        } catch (error) {
          if (!isOwnerConflict(error)) throw error;
          throw new OwnerConflictError({ namespace: '', type: '', id: '' }, 'me', 'you');
        }
      };
      return {
        update: (resource, options) => nameless(core.update(resource, options)),
        destroy: (pointer, options) => nameless(core.destroy(pointer, options)),
      };
    },
    { others: 20 },
  ),

  brokenCore(
    'S7',
    'errors are texts without a code',
    (core) => ({
      destroy: async (pointer, options) => {
        try {
          await core.destroy(pointer, options);
        } catch (error) {
          throw new Error(String(error));
        }
      },
    }),
    { others: 14 },
  ),
];
