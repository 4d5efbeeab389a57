import { type ServeOptions, type ServeProcess, serve } from '../packages/server/test/operations/serve-process.ts';

const TRIES = 3;

/**
 * One that finds no connection to its database in 2 s ends, and is started again: whoever runs replicas has something that does so, and
 * on a machine with much other work it comes to pass.
 */
export async function startReplica(options: ServeOptions, onAgain: () => void = () => {}): Promise<ServeProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await serve(options);
    } catch (error) {
      if (tries === TRIES) throw error;
      onAgain();
    }
  }
}
