/** The milliseconds of processor time that this thread spends on work, regardless of other processes. */
export function processorTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return since(before);
}

/** The same while this thread waits for work, which may run a server in this thread too; with what the work returns. */
export async function awaitedProcessorTime<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const before = process.threadCpuUsage();
  const result = await work();
  return { result, ms: since(before) };
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
