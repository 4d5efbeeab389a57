import { pauses } from '../domain/slices.ts';

/** Characters that are sent at once, or one text. */
const CHUNK = 65_536;

/** Small texts as larger ones, for a stream; others have their turns while they are made. */
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
