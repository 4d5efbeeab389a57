const RETRY_MS = 1_000;

export type Remembered<T> = {
  /** What is held, loaded first if need be. An old value is served while a newer one is fetched behind it. */
  get(): Promise<T>;
  /** A value no older than `maxAgeMs`. */
  getNewer(maxAgeMs: number): Promise<T>;
};

/**
 * Something published by the token service that changes rarely: its metadata, its keys. Everybody who needs it shares one
 * load; a failed load is not tried again for a second; and an outage does not take away what is already known.
 */
export function createRemembered<T>(options: {
  load(): Promise<T>;
  freshMs: number;
  keptMs: number;
  now?: () => number;
}): Remembered<T> {
  const { load, freshMs, keptMs, now = () => performance.now() } = options;
  let held: { value: T; loadedAt: number } | undefined;
  let failed: { error: unknown; at: number } | undefined;
  let loading: Promise<T> | undefined;

  async function loadOnce(): Promise<T> {
    try {
      const value = await load();
      held = { value, loadedAt: now() };
      failed = undefined;
      return value;
    } catch (error) {
      failed = { error, at: now() };
      throw error;
    } finally {
      loading = undefined;
    }
  }

  async function reload(): Promise<T> {
    if (!loading && failed && now() - failed.at < RETRY_MS) throw failed.error;
    loading ??= loadOnce();
    return loading;
  }

  return {
    async get() {
      if (!held || now() - held.loadedAt >= keptMs) return reload();
      // Not waited for, and a failure changes nothing for this caller: the cached value is valid for some time yet.
      if (now() - held.loadedAt >= freshMs) reload().catch(() => undefined);
      return held.value;
    },
    async getNewer(maxAgeMs) {
      if (held && now() - held.loadedAt < maxAgeMs) return held.value;
      return reload();
    },
  };
}
