/** Pause between background loads. */
const RETRY_MS = 1_000;

export type Cached<T> = {
  /**
   * Returns the cached value, loading it first if needed. An old value is served while a newer one is loaded in the
   * background.
   */
  get(): Promise<T>;
  /** Returns a value no older than `maxAgeMs`. */
  getNewer(maxAgeMs: number): Promise<T>;
};

/**
 * Something the token service publishes that rarely changes, such as its metadata or keys. Callers share one load, and
 * an outage does not drop the cached value. Failures are not cached: a caller only gets the failure of a load that
 * began after its call.
 */
export function createCached<T>(options: {
  load(): Promise<T>;
  freshMs: number;
  keptMs: number;
  now?: () => number;
}): Cached<T> {
  const { load, freshMs, keptMs, now = () => performance.now() } = options;
  let cached: { value: T; loadedAt: number } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<T> | undefined;

  async function loadOnce(): Promise<T> {
    try {
      const value = await load();
      cached = { value, loadedAt: now() };
      return value;
    } catch (error) {
      failedAt = now();
      throw error;
    } finally {
      loading = undefined;
    }
  }

  async function reload(): Promise<T> {
    if (loading) {
      try {
        return await loading;
      } catch {
        // That load began before this call.
      }
    }
    loading ??= loadOnce();
    return loading;
  }

  return {
    async get() {
      if (!cached || now() - cached.loadedAt >= keptMs) return reload();
      // Loads in the background. A failure does not affect this caller: the cached value is still valid.
      const isDue = now() - cached.loadedAt >= freshMs && now() - failedAt >= RETRY_MS;
      if (isDue && !loading) reload().catch(() => undefined);
      return cached.value;
    },
    async getNewer(maxAgeMs) {
      if (cached && now() - cached.loadedAt < maxAgeMs) return cached.value;
      return reload();
    },
  };
}

type LruMap<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/** A map of at most `limit` entries that evicts the least recently used. */
export function createLruMap<V>(limit: number): LruMap<V> {
  // A Map iterates in insertion order: the first key is the one to evict.
  const entries = new Map<string, V>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > limit) entries.delete(entries.keys().next().value as string);
    },
    delete(key) {
      entries.delete(key);
    },
  };
}
