export type BulkAct = 'suspend' | 'resume' | 'export' | 'delete';

/** Concurrent requests: enough to be fast, few enough to leave room for others. */
const AT_ONCE = 4;

type Options = { signal: AbortSignal; onProgress(done: number): void };

/** Does the work for each, a few at a time, and continues after failures. If cancelled, returns the rest. */
export async function runBulk(
  ids: readonly string[],
  work: (id: string) => Promise<unknown>,
  { signal, onProgress }: Options,
): Promise<{ failed: string[]; left: string[]; error: unknown }> {
  const waiting = [...ids];
  const [failed, left]: [string[], string[]] = [[], []];
  let error: unknown;
  let done = 0;
  const workOff = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        signal.throwIfAborted();
        await work(id);
      } catch (problem) {
        if (signal.aborted) left.push(id);
        else {
          failed.push(id);
          error ??= problem;
        }
      }
      done += 1;
      onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOff));
  return { failed, left, error };
}
