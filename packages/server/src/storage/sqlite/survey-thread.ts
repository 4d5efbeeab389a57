import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../caught.ts';
import { connectToRead } from './connection.ts';
import { isDamage } from './errors.ts';
import { type SurveyMessage, type SurveyResult, surveyReads } from './surveys.ts';

/** The thread that counts. The HTTP thread serves requests meanwhile. */
const connection = connectToRead((workerData as { path: string }).path);
const reads = surveyReads(connection) as Record<string, (...args: unknown[]) => unknown>;

parentPort?.on('message', (message: SurveyMessage | 'close') => void perform(message));

async function perform(message: SurveyMessage | 'close'): Promise<void> {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  const { id, name, args } = message;
  let result: SurveyResult;
  try {
    result = { id, outcome: await reads[name]?.(...args) };
  } catch (error) {
    result = { id, failed: messageOf(error), damaged: isDamage(error) };
  }
  parentPort?.postMessage(result);
}
