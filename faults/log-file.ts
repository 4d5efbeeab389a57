import { readFileSync } from 'node:fs';

/** A service's log in a file: how many requests it has, and how many lines it reports as dropped. */
export type LogFile = {
  /** Reads the whole file again: it is small. Throws if any line but the last is incomplete. */
  read(): { requestIds: Set<unknown>; reported: number };
};

export function logFile(path: string): LogFile {
  return {
    read() {
      const requestIds = new Set<unknown>();
      let reported = 0;
      // The last line may still be incomplete.
      for (const text of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
        const line = JSON.parse(text) as { reqId?: unknown; droppedLines?: number };
        if (line.reqId !== undefined) requestIds.add(line.reqId);
        reported += line.droppedLines ?? 0;
      }
      return { requestIds, reported };
    },
  };
}

/** The value of the metric. */
export async function droppedLines(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^innkeeper_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
}
