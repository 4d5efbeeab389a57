/** The first SIGINT or SIGTERM aborts between two steps of the command; a second one ends the process immediately. */
export function watchInterrupts(onInterrupt: () => void): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
    onInterrupt();
    unwatch();
  };
  const unwatch = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return { signal: controller.signal, [Symbol.dispose]: unwatch };
}
