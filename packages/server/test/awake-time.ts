const TICK_MS = 20;

/**
 * The milliseconds that work takes, minus the time in which this process got no processor: ticks that are due together
 * count once.
 */
export async function awakeTime(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks++;
  }, TICK_MS);
  try {
    await work();
  } finally {
    clearInterval(ticking);
  }
  return ticks * TICK_MS;
}
