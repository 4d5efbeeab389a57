import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../caught.ts';
import { connectToRead } from './connection.ts';
import { isDamage } from './errors.ts';
import { checkSteps } from './file-check.ts';

/**
 * The thread for one check of the whole file. It pauses after each statement for as long as that took, so that requests
 * get the disk.
 */
const { path } = workerData as { path: string };
const findings: string[] = [];
try {
  const connection = connectToRead(path);
  for (const { run } of checkSteps(connection.database, { deep: true })) {
    const began = performance.now();
    findings.push(...run());
    // The first findings are enough to require a restore.
    if (findings.length > 0) break;
    await sleep(performance.now() - began);
  }
  connection.close();
} catch (error) {
  // A file that cannot be opened has no steps to run.
  if (!isDamage(error)) throw error;
  findings.push(messageOf(error));
}
parentPort?.postMessage(findings.slice(0, 3));
