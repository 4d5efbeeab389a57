/** Work that can pause at each yield: on catalogs of any size, without blocking the HTTP thread. */
export type Steps<T> = Generator<void, T, void>;

/** Maximum length of a slice, which other requests have to wait for. */
const SLICE_MS = 5;
/** Quick work is finished immediately, without waiting for a turn. */
const AT_ONCE_MS = 1;
/** The clock is read once per this many steps; a step takes microseconds, a few take milliseconds. */
const STEPS_PER_LOOK = 4;

type Waiting = { run(until: number): boolean };

const waiting: Waiting[] = [];

/** Runs everything at once: on worker threads, on the command line and in tests. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * For loops in async functions: call it in each round; once the slice is over, it returns a promise. Await only that:
 * any `await` lets other work in, and its time would count as this loop's.
 */
export function pauses(): () => Promise<void> | undefined {
  let until = performance.now() + AT_ONCE_MS;
  return () => {
    if (performance.now() <= until) return undefined;
    return ownTurn().then(() => {
      until = performance.now() + SLICE_MS;
    });
  };
}

const paused: (() => void)[] = [];

/** Loops take turns: each turn of the event loop continues one of them, however many there are. */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    paused.push(resolve);
    if (paused.length === 1) setImmediate(continueOne);
  });
}

function continueOne(): void {
  paused.shift()?.();
  if (paused.length > 0) setImmediate(continueOne);
}

/** Runs one slice per turn of the event loop. Concurrent work takes turns, so that a turn has only one slice. */
export function inSlices<T>(steps: Steps<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.push({
      run(until) {
        try {
          for (let count = 1; ; count++) {
            const step = steps.next();
            if (step.done) {
              resolve(step.value);
              return true;
            }
            if (count % STEPS_PER_LOOK === 0 && performance.now() >= until) return false;
          }
        } catch (error) {
          reject(error);
          return true;
        }
      },
    });
    if (waiting.length === 1) setImmediate(runSlice);
  });
}

/** For work that is usually quick: only longer work is done in slices. */
export function directlyOrInSlices<T>(steps: Steps<T>): T | Promise<T> {
  const until = performance.now() + AT_ONCE_MS;
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return step.value;
    if (count % STEPS_PER_LOOK === 0 && performance.now() >= until) return inSlices(steps);
  }
}

function runSlice(): void {
  const until = performance.now() + SLICE_MS;
  // Several small ones fit into one slice.
  while (performance.now() < until) {
    const work = waiting[0];
    if (!work) return;
    const isDone = work.run(until);
    waiting.shift();
    if (!isDone) waiting.push(work);
  }
  if (waiting.length > 0) setImmediate(runSlice);
}

export function* mapSteps<T, U>(items: Iterable<T>, map: (item: T, index: number) => U): Steps<U[]> {
  const mapped: U[] = [];
  for (const item of items) {
    yield;
    mapped.push(map(item, mapped.length));
  }
  return mapped;
}

/**
 * A long list on its way between threads, as pieces of JSON: the receiver can pause between pieces, which structured
 * cloning does not allow.
 */
export type Packed<T> = { pieces: string[]; readonly of?: T };

const PIECE = 50_000;

export function pack<T>(items: readonly T[]): Packed<T> {
  const pieces: string[] = [];
  let piece = '';
  for (const item of items) {
    piece += `${piece === '' ? '[' : ','}${JSON.stringify(item)}`;
    if (piece.length < PIECE) continue;
    pieces.push(`${piece}]`);
    piece = '';
  }
  if (piece !== '') pieces.push(`${piece}]`);
  return { pieces };
}

export function* unpack<T>({ pieces }: Packed<T>): Steps<T[]> {
  const items: T[] = [];
  for (const piece of pieces) {
    for (const item of JSON.parse(piece) as T[]) items.push(item);
    yield;
  }
  return items;
}
