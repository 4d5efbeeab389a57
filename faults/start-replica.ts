import { type ServeOptions, type ServeProcess, serve } from '../packages/server/test/operations/serve-process.ts';

const TRIES = 3;

/**
 * A replica that gets no connection to its database within 2 s exits and is restarted, as any supervisor would do: on a
 * busy machine this happens.
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
