import { pauses } from '../domain/slices.ts';

/** Minimum characters per chunk, unless the texts end. */
const CHUNK = 65_536;

/** Combines small texts into larger chunks for a stream. Other requests get their turn in between. */
export async function* inChunks(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  const pause = pauses();
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
    const turn = pause();
    if (turn) await turn;
  }
  yield chunk;
}
