import { parentPort } from 'node:worker_threads';
import { InnkeeperError } from '../domain/errors.ts';
import type { TaskMessage, TaskResult } from './pool.ts';
import { TASKS } from './tasks.ts';

/** A thread for work whose cost a caller can choose. The HTTP thread answers others meanwhile. */
parentPort?.on('message', async ({ name, input }: TaskMessage) => {
  const run = TASKS[name] as (input: unknown) => unknown;
  let result: TaskResult;
  try {
    result = { outcome: await run(input) };
  } catch (error) {
    if (error instanceof InnkeeperError) {
      const { error: refused, message, fields, more } = error;
      result = { refused, detail: { message, more, ...(fields && { fields }) } };
    } else result = { failed: error };
  }
  parentPort?.postMessage(result);
});
