import { parentPort } from 'node:worker_threads';
import { InnkeeperError } from '../domain/errors.ts';
import type { TaskMessage, TaskResult } from './pool.ts';
import { TASKS } from './tasks.ts';

/** A thread for work whose cost a caller can choose, so that the HTTP thread keeps serving others. */
parentPort?.on('message', (message: TaskMessage) => {
  void run(message).then((result) => parentPort?.postMessage(result));
});

async function run({ name, input }: TaskMessage): Promise<TaskResult> {
  const task = TASKS[name] as (input: unknown) => unknown;
  try {
    return { outcome: await task(input) };
  } catch (error) {
    if (!(error instanceof InnkeeperError)) return { failed: error };
    const { error: refused, message, fields, more } = error;
    return { refused, detail: { message, more, ...(fields && { fields }) } };
  }
}
