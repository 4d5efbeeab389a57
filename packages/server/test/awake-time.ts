const TICK_MS = 20;

/** The milliseconds that work takes, without those in which this process had no processor: a tick that comes late is one tick. */
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
