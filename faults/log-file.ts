import { readFileSync } from 'node:fs';

/** The log of a service in a file: how many requests it has, and how many lines it reports as dropped. */
export type LogFile = {
  /** Every line is read again: the file is small. Throws where a line is not whole. */
  read(): { requestIds: Set<unknown>; reported: number };
};

export function logFile(path: string): LogFile {
  return {
    read() {
      const requestIds = new Set<unknown>();
      let reported = 0;
      // The last one may still be being written.
      for (const text of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
        const line = JSON.parse(text) as { reqId?: unknown; droppedLines?: number };
        if (line.reqId !== undefined) requestIds.add(line.reqId);
        reported += line.droppedLines ?? 0;
      }
      return { requestIds, reported };
    },
  };
}

/** What the metric says. */
export async function droppedLines(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^innkeeper_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
}
